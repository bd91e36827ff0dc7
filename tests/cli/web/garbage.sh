echo garbage >x
strobe web x
