/*
 * -D and --threads: times at which events count, and CPUs of each reader.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"
#include "sys/cpus.h"
#include "sys/sys.h"

struct delay_range {
	uint64_t start_ms, end_ms; /* end 0: to the end of the recording */
};

struct delay_schedule {
	VEC(struct delay_range) ranges; /* ascending, apart from each other */
	bool never;                     /* -1: until --control says enable */
};

/* "100", "-1", "10-20,30-40". */
struct strobe_error *delay_parse(const char *text, struct delay_schedule *ret) _must_check_;

/*
 * The time of an edge, from 0 on: start and end of each range in turn. False: none, since the last range is over, or has no end.
 */
bool delay_edge(const struct delay_schedule *d, size_t edge, uint64_t *ret_ms);

struct reader_mask {
	sys_cpus read;     /* rings of these CPUs */
	sys_cpus affinity; /* CPUs on which the thread runs; empty: any */
};

struct reader_masks {
	VEC(struct reader_mask) masks;
};

/* "cpu", "core", "package", "numa", or "0-3/0:4-7/4" (CPUs/affinity of each thread). used: the recorded CPUs.
 */
struct strobe_error *reader_masks_parse(const char *text, const struct sys *sys, const sys_cpus *used,
					struct reader_masks *ret) _must_check_;
void reader_masks_deinit(struct reader_masks *m);
