strobe ftrace latency -T vfs_read --min-latency 3 -- true
strobe ftrace latency -T vfs_read --bucket-range 10 --max-latency 12 -- true
strobe ftrace profile -s size -- true
strobe ftrace trace --graph-opts depth -- true
strobe ftrace trace -m 12 -- true
