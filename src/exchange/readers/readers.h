/* Formats that are only read: profiles and traces of other tools. Private to the room exchange/. */
#pragma once
#include "base/error.h"
#include "profile/profile.h"

/* CPU profiles of V8: node --cpu-prof, Chrome's developer tools. The time between samples, and the time of each. */
bool cpuprofile_probe(const uint8_t *p, size_t n);
struct strobe_error *cpuprofile_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;

/*
 * Callgrind's costs of lines and calls. It has no stacks: each function's cost is divided among its callers in proportion to their
 * calls' costs, and the part outside of the larger paths has a stack with only this function. Totals of functions are exact.
 */
bool callgrind_probe(const uint8_t *p, size_t n);
struct strobe_error *callgrind_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;

/* Lines of strace (-T; -f, -t, -r, -k as well), and of perf trace or strobe trace: time in system calls by call, process and stack. */
bool strace_probe(const uint8_t *p, size_t n);
struct strobe_error *strace_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
bool perf_trace_probe(const uint8_t *p, size_t n);
struct strobe_error *perf_trace_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
