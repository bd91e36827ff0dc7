# no file of ours takes the place of a descriptor that is closed
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe evlist -i x.data >&-
