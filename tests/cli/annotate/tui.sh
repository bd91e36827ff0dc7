strobe annotate --tui
