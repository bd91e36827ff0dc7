python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --folded -e cpu-clock -i x.data -o out.txt
cat out.txt
