printf 'main;a 50\n' >x.folded
strobe pprof -symbolize=nosuch -top x.folded
