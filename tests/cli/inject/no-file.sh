strobe inject -b -i absent.data -o x.data
