printf 'main;a 50\n' >x.folded
strobe pprof -mean -disasm=a x.folded
