strobe diff --before "a*"
