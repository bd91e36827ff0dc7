strobe bench numa mem -P 1 -L 2
