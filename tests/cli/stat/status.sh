# the program's own
strobe stat --null -o out.txt sh -c 'echo printed; exit 3'
