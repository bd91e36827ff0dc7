printf 'main;a 50\n' >x.folded
strobe pprof -symbolize=remote -top x.folded
