printf 'main;a;b 50\nmain;a 20\nmain;c;a 30\nmain;a;b;a 7\n' >in.folded
strobe pprof -tree in.folded
strobe pprof -peek='^b$' -trim=false in.folded
