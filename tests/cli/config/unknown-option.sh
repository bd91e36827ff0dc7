strobe config --no-such-option
