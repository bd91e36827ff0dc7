: > x.data
strobe evlist -i x.data
