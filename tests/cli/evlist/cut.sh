python3 "$STROBE_TOP/tests/lib/recording.py" two-events-cut x.data
strobe evlist -i x.data
