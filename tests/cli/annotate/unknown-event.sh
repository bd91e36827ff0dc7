python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe annotate -i x.data -e nothing
