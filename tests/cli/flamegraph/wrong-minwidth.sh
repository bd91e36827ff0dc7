strobe flamegraph --minwidth 5px
