# native
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -D -i x.data | head -60
