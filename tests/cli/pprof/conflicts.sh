printf 'main;a 50\n' >x.folded
refused() {
	strobe pprof "$@" x.folded 2>&1 | head -n 1
}
refused -top -lines -files
refused -top -flat -cum
refused -top -inuse_space -alloc_space
refused -top -normalize
refused -top -base x.folded -diff_base x.folded
refused -http localhost:0 -output=x
strobe pprof -top x.folded nosuch.folded x.folded
