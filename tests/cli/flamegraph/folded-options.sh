python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --folded -e cpu-clock --pid -i x.data
strobe flamegraph --folded -e cpu-clock --tid --addrs -i x.data
