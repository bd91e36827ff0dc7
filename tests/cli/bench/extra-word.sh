strobe bench sched pipe extra
