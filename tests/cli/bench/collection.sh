strobe bench sched
