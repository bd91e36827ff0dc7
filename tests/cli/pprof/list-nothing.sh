printf 'main;a 50\n' >x.folded
strobe pprof -list nosuch x.folded
