strobe lock contention -i no-such.data
