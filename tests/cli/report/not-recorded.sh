# what needs more than was recorded says how to record it
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
# shellcheck disable=SC2086 # an option and its value are two words
for option in -g -b --mem-mode --total-cycles --branch-history --latency '-s parent' '-s symbol_from' '-s latency'; do
	strobe report --stdio $option -i x.data || echo "$option: $?"
done
