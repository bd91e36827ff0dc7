printf 'main;a 50\nmain;b 50\n' >old.folded
printf 'main;a 80\nmain;b 20\n' >new.folded
strobe pprof -top -diff_base old.folded new.folded
