python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph --pid=99 -i x.data -o out.svg
status=$?
test -e out.svg && echo "a picture of nothing was written"
exit $status
