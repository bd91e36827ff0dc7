strobe bench sched nope
