strobe data convert --to-json x.json --all
