strobe c2c report --no-such
