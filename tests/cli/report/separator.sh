# columns as perf pads them, and a dot where a name has the separator
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio -q --no-group -s comm,dso -t , -i x.data
strobe report --stdio -q --no-group -s dso -t a -i x.data
