printf "main;one 60\nmain;two 40\n" > old.folded; printf "main;one 60\nmain;two 140\n" > new.folded
strobe diff --ci old.folded new.folded
