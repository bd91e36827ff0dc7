strobe inject --no-such-option
