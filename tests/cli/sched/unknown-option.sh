strobe sched lat --no-such
