strobe data convert --to-xml x
