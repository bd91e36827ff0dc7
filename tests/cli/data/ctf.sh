strobe data convert --to-ctf out
