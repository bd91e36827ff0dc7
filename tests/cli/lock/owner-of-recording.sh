strobe lock contention -o
