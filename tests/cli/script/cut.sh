# what is whole is printed, and the status tells
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-cut x.data
strobe script -i x.data -G
