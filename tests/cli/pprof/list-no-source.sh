printf 'main;a 50\nmain 50\n' >x.folded
strobe pprof -list 'a' x.folded
