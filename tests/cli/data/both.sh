strobe data convert --to-ctf out --to-json out.json
