printf 'main;a 50\n' >x.folded
strobe pprof -http localhost:0 -mean x.folded
