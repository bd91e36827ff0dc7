python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe evlist -g -i x.data
