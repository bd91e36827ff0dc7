strobe bench sched pipe -l 0
