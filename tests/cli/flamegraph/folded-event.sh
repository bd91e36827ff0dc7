# a name without modifiers finds page-faults:u
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --folded -e page-faults -i x.data
