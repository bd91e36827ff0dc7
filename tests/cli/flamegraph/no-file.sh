strobe flamegraph
