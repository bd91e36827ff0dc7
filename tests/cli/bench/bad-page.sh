strobe bench mem memset -p 8KB
