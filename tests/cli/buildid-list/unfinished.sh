python3 "$STROBE_TOP/tests/lib/recording.py" two-events-unfinished x.data
strobe buildid-list -i x.data
