printf "main;one 60\n" > a.folded; strobe diff -o 5 a.folded a.folded
