# before anything runs
strobe trace --map-dump nonsense sh -c 'echo ran'
