# a frequency for one, a period for the other
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe evlist -F -i x.data
