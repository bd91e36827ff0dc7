strobe probe -q -v main
