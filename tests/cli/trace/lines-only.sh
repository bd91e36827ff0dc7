# what chooses lines makes no sense without them
strobe trace -s --failure true
