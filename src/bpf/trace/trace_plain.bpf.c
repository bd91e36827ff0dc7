/* The stream of system calls without extras (struct trace_extras), and without functions. */
#define TRACE_PLAIN
#include "bpf/trace/trace_stream.bpf.c"
