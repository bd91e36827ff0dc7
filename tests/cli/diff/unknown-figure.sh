strobe diff -c nothing a b
