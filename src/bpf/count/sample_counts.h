/*
 * Samples of an event, counted in the kernel by thread, address and stack: for `top`, which reads the sums at each refresh.
 *
 *	TRY(sample_counts_open(&o, &c));                    beside an event of a capture that does not count yet
 *	sample_counts_enable(c, true); capture_enable(…);
 *	each time: sample_counts_turn(c); bpf_wait_for_programs(); drain the rings; sample_counts_read(c, fn, ctx);
 *
 * A BPF program runs at each sample. It looks the sample up in a table of its CPU and adds to its entry; only samples for
 * which the table has no room go into the ring, as they would without the program. Each CPU has two tables, which are mapped:
 * one is filled while the other is read. The cost of a reading depends on the number of different samples.
 *
 * The events of a tracepoint stay disabled and have no ring: samples that do not fit are counted as lost. Their program runs
 * for every task and selects the targets itself.
 *
 * Linux 5.17 or later, in the initial PID namespace, with permission to load BPF programs; built with clang. The events' clock must be
 * CLOCK_MONOTONIC. Samples inside other BPF programs (of kprobes, tracepoints and events) are missed: the kernel runs one at a time on
 * a CPU. Belongs to one thread. Source: bpf-helpers(7), kernel/events/core.c (bpf_overflow_handler).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/session.h"

struct sample_counts_options {
	const struct sys *sys;
	struct capture *capture;
	uint32_t event;         /* index */
	uint32_t without_pid;   /* a process that is not counted; 0: none */
	bool inherit;           /* of tracepoints: what the target starts is counted as well */
	uint64_t bytes_max;     /* of all tables together */
};

struct sample_count {
	uint32_t pid, tid, cpu;
	bool is_user, is_exact;
	uint64_t ip, count;
	uint64_t period;        /* the sum */
	uint64_t first_ns;      /* of the first of them; all have the same thread, program and name */
	const uint64_t *chain;  /* as in a sample's record; until the table is read again */
	uint32_t chain_nr;
};

struct sample_counts;

/* An error if samples of this event cannot be counted here, as far as that can be checked without loading programs. */
struct strobe_error *sample_counts_check(const struct sample_counts_options *o) _must_check_;
/* Nothing is counted before sample_counts_enable(). */
struct strobe_error *sample_counts_open(const struct sample_counts_options *o, struct sample_counts **ret) _must_check_;
void sample_counts_close(struct sample_counts *c);
void sample_counts_enable(struct sample_counts *c, bool on);
/* Programs count into the other tables from now on. Those that are still running may use the old ones: see bpf_wait_for_programs(). */
void sample_counts_turn(struct sample_counts *c);
/* The samples between the last two turns, each once. */
void sample_counts_read(struct sample_counts *c, void (*fn)(void *ctx, const struct sample_count *s), void *ctx);
/* The fill level of the fullest table in use, from 0 to 1. */
double sample_counts_fill(const struct sample_counts *c);
/* Events lost so far because a table was full. */
uint64_t sample_counts_lost(const struct sample_counts *c);
