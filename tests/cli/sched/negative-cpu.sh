strobe sched latency -C -3
