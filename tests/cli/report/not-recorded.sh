# what needs more than was recorded says how to record it
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
for option in -g -b --mem-mode --total-cycles --branch-history --latency '-s parent' '-s symbol_from' '-s latency'; do
	strobe report --stdio $option -i x.data && exit 2
done
exit 129
