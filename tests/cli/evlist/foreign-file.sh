echo "not a recording at all" > x.data
strobe evlist -i x.data
