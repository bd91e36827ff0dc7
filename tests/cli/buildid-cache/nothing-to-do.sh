strobe buildid-cache
