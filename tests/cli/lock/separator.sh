strobe lock contention -x:
