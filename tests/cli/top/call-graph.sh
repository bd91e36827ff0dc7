strobe top --call-graph dwarf,4096,wrong
