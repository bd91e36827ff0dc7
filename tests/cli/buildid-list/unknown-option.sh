strobe buildid-list --with-hit-s
