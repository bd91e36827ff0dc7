strobe probe --no-such-option
