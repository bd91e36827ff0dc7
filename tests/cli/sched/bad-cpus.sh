strobe sched map --cpus x
