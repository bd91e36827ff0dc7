strobe ftrace --no-such-option true
