# each event by itself: its samples, its sum of periods
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio --no-group -s dso -n --show-total-period -i x.data
