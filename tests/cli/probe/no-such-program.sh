strobe probe -x ./no-such-file -F
