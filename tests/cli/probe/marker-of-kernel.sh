strobe probe -D %sdt_a:b
