strobe convert nowhere.pb.gz out.folded
