/*
 * A histogram of the times that threads wait for a CPU, with four buckets per power of two, and its percentiles.
 *
 * A percentile is interpolated within its bucket: its error is at most 13 %. Times in nanoseconds. The BPF program that counts in the
 * kernel has the same buckets (bpf/count/sched_counts_shared.h).
 */
#pragma once
#include <stdint.h>

#include "bpf/count/sched_counts_shared.h"

/* The least time of a bucket. */
uint64_t sched_delay_start(unsigned bucket);
/* The percentile for a share from 0 to 1, limited to max_ns; 0: empty. */
uint64_t sched_delay_percentile(const uint32_t *buckets, double share, uint64_t max_ns);
