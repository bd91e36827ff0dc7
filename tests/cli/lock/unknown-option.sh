strobe lock contention --no-such-option
