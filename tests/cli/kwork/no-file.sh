strobe kwork report -i no-such.data
