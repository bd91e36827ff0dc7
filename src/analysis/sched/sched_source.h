/*
 * The scheduler's events of a recording, decoded and in order of time.
 *
 *	err = sched_source_open(&request, &s);    *ret in any case
 *	err = sched_source_run(s, &callbacks);    complete records have been delivered even with an error
 *	sched_source_remarks(s);
 *	sched_source_close(s);
 *
 * Names and call chains belong to the record, until the callback returns. One thread. Sources: include/trace/events/sched.h.
 */
#pragma once
#include "base/error.h"
#include "decode/tracepoint.h"
#include "record/env.h"
#include "resolve/resolve.h"
#include "session/host.h"
#include "symbol/symbol.h"

enum sched_kind {
	SCHED_UNRELATED,  /* not a scheduler event: only its record is set */
	SCHED_SWITCH,
	SCHED_WAKING,     /* in the waker's context, before the wake-up */
	SCHED_WAKEUP,     /* the thread is on a run queue */
	SCHED_WAKEUP_NEW,
	SCHED_MIGRATE,
	SCHED_RUNTIME,
	SCHED_FORK,
	SCHED_KINDS
};
#define SCHED_BIT(kind) (UINT32_C(1) << (kind))

#define SCHED_COMM_BYTES 16 /* the kernel's size; without a NUL in damaged recordings */

struct sched_event {
	enum sched_kind kind;
	uint64_t time_ns;
	uint32_t cpu, pid, tid; /* of the sample, its CPU and context */
	union {
		struct {
			uint32_t prev_pid, next_pid;
			int32_t prev_prio, next_prio;
			char letter; /* of prev_state */
		};
		struct {
			uint32_t wakee;
			int32_t prio;
			bool in_interrupt; /* the waker is not the thread of the sample */
		};
		struct {
			uint32_t migrant, from_cpu, to_cpu;
		};
		struct {
			uint32_t runner;
			uint64_t runtime_ns;
		};
		uint32_t child;
	};
	struct field_span comm, next_comm; /* of prev_pid and next_pid; of the wakee */
	const struct resolved_frame *chain; /* requests with chains: the chain of sched_switch; innermost first */
	uint32_t chain_nr;
	uint64_t chain_key;                 /* equal chains have equal keys; 0: none */
};

struct sched_source_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	bool with_chains;
	uint32_t skipped_kinds; /* SCHED_BIT() of events to skip */
	struct symbols_options symbols;
};

struct sched_source_callbacks {
	struct strobe_error *(*event)(void *ctx, const struct sched_event *e);
	/* Called with other records, including those of user types. NULL: skip them. */
	struct strobe_error *(*record)(void *ctx, struct record r, const struct sample_tail *tail);
	void *ctx;
};

struct sched_source_counts {
	uint64_t records;      /* all */
	uint64_t lost_records; /* records that say so */
	uint64_t lost;         /* what they say */
	uint64_t bad_samples;
};

struct sched_source;

struct strobe_error *sched_source_open(const struct sched_source_request *q, struct sched_source **ret) _must_check_;
void sched_source_close(struct sched_source *s);
const struct env *sched_source_env(const struct sched_source *s);
/* ERROR_NOT_FOUND if the recording has no sched_switch. */
struct strobe_error *sched_source_run(struct sched_source *s, const struct sched_source_callbacks *c) _must_check_;
const struct sched_source_counts *sched_source_counts(const struct sched_source *s);
/* As far as events are known yet. */
bool sched_source_has(const struct sched_source *s, enum sched_kind kind);
/* Whether sched_switch has call chains. */
bool sched_source_has_chains(const struct sched_source *s);
/* Reports lost or damaged records. */
void sched_source_remarks(const struct sched_source *s);
