strobe annotate --tui -i nowhere.data </dev/null
