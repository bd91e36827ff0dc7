strobe sched latency -a -i x.data
