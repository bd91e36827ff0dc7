strobe bench numa mem -a
