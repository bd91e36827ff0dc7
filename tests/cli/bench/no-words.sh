strobe bench
