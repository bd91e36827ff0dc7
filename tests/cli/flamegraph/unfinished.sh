python3 "$STROBE_TOP/tests/lib/recording.py" two-events-unfinished x.data
strobe flamegraph --folded -e cpu-clock -i x.data
