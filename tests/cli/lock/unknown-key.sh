strobe lock contention -k acquired
