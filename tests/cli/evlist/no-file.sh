strobe evlist -i absent.data
