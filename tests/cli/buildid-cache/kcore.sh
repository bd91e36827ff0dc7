strobe buildid-cache -k /proc/kcore
