# rows that a filter hides count in the totals, unless shares are relative; a column of one name is left out
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio --no-group -s dso,sym -d plain.so -i x.data
strobe report --stdio --no-group -s dso,sym -d plain.so -q --percentage relative -i x.data
strobe report --stdio --no-group -s dso --comms nobody -q -i x.data
