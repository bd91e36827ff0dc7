strobe web no-such-file
