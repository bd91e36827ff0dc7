strobe doctor --nosuch
