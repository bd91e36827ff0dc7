strobe bench sched pipe --no-such
