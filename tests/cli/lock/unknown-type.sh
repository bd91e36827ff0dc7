strobe lock contention -Y no-such-lock
