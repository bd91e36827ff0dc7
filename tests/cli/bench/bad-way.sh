strobe bench mem mmap -f nope
