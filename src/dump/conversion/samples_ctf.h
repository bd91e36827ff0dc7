/*
 * A recording as a CTF trace, as perf's `data convert --to-ctf` writes it: a class of events for each event of the
 * recording, its samples with what they hold (perf_ip, perf_tid, …, the fields of a tracepoint), and, where that is requested,
 * the side-band records. What perf leaves out is there as well: addresses, page sizes, cgroups, all records.
 *
 * One writer a run, one thread. Samples and records come in the order of time, as resolve_stream() gives them.
 * Source: perf's output; perf_event_open(2).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "decode/tracepoint.h"
#include "dump/conversion/ctf.h"
#include "record/env.h"
#include "resolve/resolve.h"

struct samples_ctf {
	struct ctf_trace *trace;
	const struct env *env;
	struct tracepoints *tracepoints;
	struct {
		uint32_t fields, raw; /* number of the class + 1: of samples that fit the event's format, and of others */
	} *events;
	uint32_t events_nr;
	uint32_t records_class[RECORD_USER_FIRST]; /* number + 1 */
	uint64_t offset_ns; /* from the recording's clock to the trace's */
	uint64_t samples, records;
};

/*
 * directory and replace: see ctf_create(). wall_clock: times of day; ERROR_NOT_FOUND if the recording does not have them.
 * env is borrowed.
 */
struct strobe_error *samples_ctf_begin(struct samples_ctf *w, const struct env *env, bool wall_clock, const char *directory,
				       bool replace) _must_check_;
void samples_ctf_add(struct samples_ctf *w, const struct resolved_sample *s);
/* A record of the kernel that is no sample; those of user space are not of the trace. */
void samples_ctf_add_record(struct samples_ctf *w, struct record r, uint64_t time_ns);
/* What was lost at a time is in the packets, with or without records. */
void samples_ctf_count_lost(struct samples_ctf *w, struct record r);
struct strobe_error *samples_ctf_end(struct samples_ctf *w) _must_check_;
/* Whatever came of begin, and of a zeroed one. What was not ended leaves nothing behind. */
void samples_ctf_deinit(struct samples_ctf *w);
