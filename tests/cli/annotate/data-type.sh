strobe annotate --data-type
