# as guides of old versions write it
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -f time,event -i x.data
