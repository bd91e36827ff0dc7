strobe test no-such-check
