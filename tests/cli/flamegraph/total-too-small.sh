python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --total 3 -e cpu-clock -i x.data > out.svg
