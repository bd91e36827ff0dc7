python3 "$STROBE_TOP/tests/lib/recording.py" two-events-cut x.data
strobe buildid-list -i x.data
