strobe bench sched pipe -G a,b,c
