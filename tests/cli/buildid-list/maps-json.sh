strobe buildid-list -m --format json
