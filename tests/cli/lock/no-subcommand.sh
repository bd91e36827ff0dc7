strobe lock
