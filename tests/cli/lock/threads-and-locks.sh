strobe lock contention -t -l
