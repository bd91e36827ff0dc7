/* Leaving what takes the kernel long to give up to a child, so that whoever waits for trace need not wait for that. */
#pragma once
#include "bpf/stream_tracer.h"

/* Just before the tracer is closed, which is just before this process ends. tracer may be NULL. */
void trace_part(const struct stream_tracer *tracer);
