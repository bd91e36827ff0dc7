strobe data convert
