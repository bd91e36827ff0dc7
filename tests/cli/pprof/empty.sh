printf 'main;a 0\n' >in.folded
strobe pprof -top in.folded
