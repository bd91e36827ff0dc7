strobe daemon --no-such-option
