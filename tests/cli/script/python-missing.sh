python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -i x.data -s missing.py
