printf 'main;a;b 50\nmain;a 20\nmain;c;a 30\nmain;a;b;a 7\n' >in.folded
strobe pprof -top in.folded
strobe pprof --top -cum -focus=c in.folded
