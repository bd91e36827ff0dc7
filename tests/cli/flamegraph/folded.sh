# flat samples are stacks of one frame; the first event with samples is shown, and the other one named
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --folded -i x.data
