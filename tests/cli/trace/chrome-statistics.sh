strobe trace -s --format chrome true
