strobe annotate -n --show-total-period
