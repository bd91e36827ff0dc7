strobe c2c
