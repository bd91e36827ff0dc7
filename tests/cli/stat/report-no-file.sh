strobe stat report -i no.data
