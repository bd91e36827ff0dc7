strobe web --no-such-option
