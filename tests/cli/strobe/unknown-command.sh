strobe versoin
