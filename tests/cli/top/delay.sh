strobe top -d 0 --stdio
