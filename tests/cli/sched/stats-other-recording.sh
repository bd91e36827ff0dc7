python3 "$STROBE_TOP/tests/lib/recording.py" two-events-big x.data
strobe sched stats report -i x.data
