strobe trace -T record true
