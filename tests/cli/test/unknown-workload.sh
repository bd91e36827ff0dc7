strobe test -w nosuch
