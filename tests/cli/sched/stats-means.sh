python3 "$STROBE_TOP/tests/lib/schedstats.py" 17 x.data
strobe sched stats report -i x.data -C 1 | head -n 30
