# by hand: a ends 20 + 30 + 7, b 50 samples; b is in 57
printf 'main;a;b 50\nmain;a 20\nmain;c;a 30\nmain;a;b;a 7\n' >in.folded
strobe pprof -format=json in.folded
strobe pprof -peek='^b$' -format json -focus=b in.folded
strobe pprof -peek=nosuch -format=json in.folded 2>&1
strobe pprof -traces -format=json in.folded 2>&1
strobe pprof -top -format=xml in.folded 2>&1 | head -n 1
