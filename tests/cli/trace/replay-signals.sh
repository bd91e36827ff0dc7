strobe trace -i perf.data --signals
