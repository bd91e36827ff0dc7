# what is whole is shown, and the status tells
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-cut x.data
strobe flamegraph --folded -e cpu-clock -i x.data
