strobe bench -f xml sched pipe
