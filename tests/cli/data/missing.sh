strobe data convert -i nowhere.data --to-json out.json
