strobe bench mem memcpy -s 1XB
