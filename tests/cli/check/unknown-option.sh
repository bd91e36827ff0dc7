strobe check --nosuch
