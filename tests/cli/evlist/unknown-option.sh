strobe evlist --gruop
