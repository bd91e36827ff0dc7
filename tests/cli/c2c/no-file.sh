strobe c2c report -i no-such.data
