python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --folded -e cpu-clock --pid=10 --comms first --tid=10,11 -i x.data
strobe flamegraph --folded -e cpu-clock --time 0.000002001,0.000002003 -i x.data
