strobe bench internals synthesize
