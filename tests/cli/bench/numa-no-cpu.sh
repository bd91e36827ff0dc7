strobe bench numa mem -l 1 -C 65000
