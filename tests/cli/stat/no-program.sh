# native
strobe stat -e cpu-clock no-such-program
