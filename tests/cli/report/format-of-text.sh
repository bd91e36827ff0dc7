# what is text alone is refused as data; the header is JSON, too
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
for option in --header --stats --mmaps --total-cycles; do
	strobe report $option --format json -i x.data && echo "$option was not refused"
done
strobe report --header-only --format csv -i x.data && echo "a header was not refused"
strobe report --header-only --format json -i x.data | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["version"], d["headers"]["nrcpus-online"])'
