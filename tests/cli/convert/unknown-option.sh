strobe convert --form pprof a b
