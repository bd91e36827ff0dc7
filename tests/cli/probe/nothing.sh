strobe probe
