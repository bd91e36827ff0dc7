# periods 2 3 5 6 8 9 of cpu-clock, 33 in all, and 1 4 7 10 of page-faults, 22: shares of each event beside the other's
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio -i x.data
