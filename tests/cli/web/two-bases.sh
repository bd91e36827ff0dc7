printf 'main;a 1\n' >a.folded
strobe web -base a.folded -diff_base a.folded a.folded
