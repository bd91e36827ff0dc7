# a line for each row and event; -F names its columns
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --format csv -F overhead,sample,dso -i x.data
