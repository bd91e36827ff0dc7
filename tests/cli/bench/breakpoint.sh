strobe bench breakpoint
