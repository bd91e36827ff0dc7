# a stream says what the file says
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-stream x.stream
strobe report --stdio -i x.data > file
strobe report --stdio -i - < x.stream > stream
cmp file stream && grep -c first file
