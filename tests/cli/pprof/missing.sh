strobe pprof -top nowhere.pb.gz
