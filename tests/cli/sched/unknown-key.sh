strobe sched latency -s avg,nothing
