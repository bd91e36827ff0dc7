strobe
