python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --html - -i x.data | head -c 15
test ! -e -
