strobe bench futex
