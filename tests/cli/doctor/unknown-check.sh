strobe doctor nosuch
