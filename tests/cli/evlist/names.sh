# the default input is perf.data
python3 "$STROBE_TOP/tests/lib/recording.py" two-events perf.data
strobe evlist
