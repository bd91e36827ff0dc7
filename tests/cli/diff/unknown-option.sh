strobe diff --no-such-option
