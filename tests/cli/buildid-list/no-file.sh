strobe buildid-list -i absent.data
