python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -F comm,sim -i x.data
