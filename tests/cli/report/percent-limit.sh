# rows of 24.24 % and more of the first event
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio -q --percent-limit 24.2 -i x.data
