python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -i x.data -G --tid 10
strobe script -i x.data -G --comms first
strobe script -i x.data -G --reltime --time 0.000002001,0.000002003
