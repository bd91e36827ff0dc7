strobe iostat --no-such-option
