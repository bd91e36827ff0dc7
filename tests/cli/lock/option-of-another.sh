strobe lock info -l
