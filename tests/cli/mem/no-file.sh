strobe mem report -i no-such.data
