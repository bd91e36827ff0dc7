strobe sched stats diff a b c
