strobe mem report --no-such
