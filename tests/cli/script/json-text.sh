# what is text has no place among objects
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script --format json -D -i x.data
