strobe ftrace latency -- true
