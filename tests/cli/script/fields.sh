python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -i x.data -F comm,pid,tid,time,event,ip,sym
strobe script -i x.data -F -comm,+misc -G
strobe script -i x.data --ns -F time,ip -G
