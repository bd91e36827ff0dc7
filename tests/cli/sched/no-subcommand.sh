strobe sched
