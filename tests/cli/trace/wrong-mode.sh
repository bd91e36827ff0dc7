strobe trace -s --summary-mode process true
