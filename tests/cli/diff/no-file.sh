strobe diff no-such.data other.data
