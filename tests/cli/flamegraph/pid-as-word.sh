strobe flamegraph --pid 10
