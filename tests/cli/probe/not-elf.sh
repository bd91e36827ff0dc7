echo text >text; strobe probe -x ./text -F
