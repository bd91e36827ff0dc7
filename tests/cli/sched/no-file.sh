strobe sched latency -i no-such.data
