# the recorder was killed: events are named by their attrs
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-unfinished x.data
strobe evlist -i x.data
