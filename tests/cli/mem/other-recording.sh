python3 "$STROBE_TOP/tests/lib/recording.py" two-events-big x.data
strobe mem report -i x.data
