python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph -e cpu-clock -i x.data -o /dev/full
