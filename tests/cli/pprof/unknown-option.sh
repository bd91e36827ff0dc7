strobe pprof -tops x
