strobe mem
