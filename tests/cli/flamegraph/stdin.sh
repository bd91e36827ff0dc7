# a stream through a pipe is taken without -i
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-stream /dev/stdout | strobe flamegraph --folded -e cpu-clock
