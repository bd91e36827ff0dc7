strobe diff --fail-over much a b
