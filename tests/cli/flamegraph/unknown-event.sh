python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph -e cycles -i x.data
