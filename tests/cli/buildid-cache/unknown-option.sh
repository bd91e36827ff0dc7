strobe buildid-cache --adx x
