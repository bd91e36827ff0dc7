python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe evlist -v -i x.data
