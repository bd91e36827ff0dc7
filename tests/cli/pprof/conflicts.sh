printf 'main;a 50\n' >x.folded
for words in "-top -lines -files" "-top -flat -cum" "-top -inuse_space -alloc_space" "-top -normalize" "-top -base x.folded -diff_base x.folded" "-http localhost:0 -drop_negative"; do
	strobe pprof $words x.folded 2>&1 | head -n 1
done
strobe pprof -top x.folded nosuch.folded x.folded
