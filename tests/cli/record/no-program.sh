# native
# status of a shell that does not find it
strobe record -e cpu-clock -o x.data no-such-program
