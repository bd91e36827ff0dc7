strobe trace -i perf.data -a
