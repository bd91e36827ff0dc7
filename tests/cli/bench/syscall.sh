strobe bench syscall
