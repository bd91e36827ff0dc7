strobe annotate --percent-type local
