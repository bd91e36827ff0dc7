strobe kwork latency --no-such
