python3 "$STROBE_TOP/tests/lib/recording.py" two-events-big x.data
strobe c2c report -i x.data
