strobe top sleep 1
