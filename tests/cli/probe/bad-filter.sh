strobe probe -F '(a'
