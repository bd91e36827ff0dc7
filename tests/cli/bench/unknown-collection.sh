strobe bench nope
