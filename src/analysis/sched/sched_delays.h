/*
 * Show how long threads wait for a CPU: a histogram of times, four buckets for each power of two, and percentiles of it.
 *
 * A percentile is interpolated within its bucket: it is at most 13 % off. Times in nanoseconds. The BPF program that counts in the kernel
 * has the same buckets (bpf/count/sched_counts_shared.h).
 */
#pragma once
#include <stdint.h>

#include "bpf/count/sched_counts_shared.h"

/* The least time of a bucket. */
uint64_t sched_delay_start(unsigned bucket);
/* The time that this share of them, 0 to 1, does not exceed; no more than max_ns. 0: there are none. */
uint64_t sched_delay_percentile(const uint32_t *buckets, double share, uint64_t max_ns);
