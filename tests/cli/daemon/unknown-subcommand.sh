strobe daemon restart
