strobe probe -l -F
