strobe probe -x ./x -D ''
