strobe test --nosuch
