python3 "$STROBE_TOP/tests/lib/recording.py" two-events-big x.data
strobe sched timehist --prio 200 -i x.data
strobe sched latency -i x.data
