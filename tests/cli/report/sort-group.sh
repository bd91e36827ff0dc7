# a group is sorted by its second event
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio -q -s dso --group-sort-idx 1 -i x.data
strobe report --stdio -q -s dso --group-sort-idx 0 -i x.data
