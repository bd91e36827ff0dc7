strobe evlist -g -v
