# a list in the header: all of it, or what has samples
python3 "$STROBE_TOP/tests/lib/recording.py" header-list x.data
strobe buildid-list -i x.data
echo hits
strobe buildid-list -H -i x.data
