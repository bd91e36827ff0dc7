strobe trace -i missing.data
