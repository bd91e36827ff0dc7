/*
 * Shared by timehist*.c: selected threads, threads with their times, and lines.
 */
#pragma once
#include "analysis/sched/sched_bad.h"
#include "analysis/sched/sched_clock.h"
#include "analysis/sched/sched_threads.h"
#include "analysis/sched/sched_window.h"
#include "analysis/sched/timehist.h"
#include "analysis/sched/timehist_times.h"
#include "base/arena.h"
#include "resolve/resolve.h"

#define TIMEHIST_PRIOS 140
#define TIMEHIST_LABEL_BYTES 32

struct idle_chain {
	uint64_t key;
	const char *text;
	uint64_t total_ns, count;
};

/* The idle thread of a CPU. */
struct timehist_idle {
	struct timehist_times times;
	bool exists;
	uint32_t last;      /* the thread before it, or UINT32_MAX */
	uint64_t chain_key; /* its call chain when it went to sleep */
	const char *chain;
	VEC(struct idle_chain) chains;
	struct u64map by_key;
};

struct timehist_cpu {
	uint64_t last_ns; /* of its last switch */
	struct timehist_idle idle;
};

/* The label of a thread in lines, valid for this comm and process. */
struct timehist_label {
	const char *comm; /* NULL: not written yet */
	uint32_t pid;
	bool has_column;
	char text[TIMEHIST_LABEL_BYTES];
	char column[TIMEHIST_LABEL_BYTES - 1]; /* the padded text; has_column: it needs no escapes */
};

struct timehist {
	const struct timehist_request *q;
	struct sched_source *source;
	struct sched_threads threads;
	VEC(struct timehist_times) times; /* by thread */
	VEC(struct timehist_cpu) cpus;
	struct resolve_filter filter;
	struct sched_window window;       /* --time */
	uint64_t shown_start_ns, shown_end_ns;
	bool prios[TIMEHIST_PRIOS];
	bool has_waking, is_ready, with_chains;
	uint32_t max_cpu;
	uint64_t skipped;
	int comm_width;
	VEC(struct timehist_label) labels; /* by thread */
	struct u64map chains;             /* by key: const char * */
	struct arena arena;
	struct sched_rows rows;
	struct sched_clock clock;
	struct out *out;
};

/* A thread in a line: the idle one of a CPU, or one of the threads. */
struct timehist_subject {
	uint32_t thread; /* UINT32_MAX: idle */
	struct timehist_times *times;
};

/* "comm[tid/pid]", which may widen the column; valid until the next call. */
const struct timehist_label *timehist_label(struct timehist *t, const struct timehist_subject *s);
void timehist_put_time(struct out *out, uint64_t ns, size_t width);
void timehist_header(struct timehist *t);
void timehist_line(struct timehist *t, const struct sched_event *e, const struct timehist_subject *s, uint64_t shown_ns);
void timehist_wakeup_line(struct timehist *t, const struct sched_event *e, const struct timehist_subject *waker,
			  const struct timehist_subject *wakee);
void timehist_migration_line(struct timehist *t, const struct sched_event *e, const struct timehist_subject *waker,
			     const struct timehist_subject *migrant);
void timehist_lost_line(struct timehist *t, uint64_t lost, const struct sample_tail *tail);
void timehist_summary(struct timehist *t);
/* The functions of a chain, innermost first, without those of the scheduler. */
const char *timehist_chain(struct timehist *t, const struct sched_event *e);
bool timehist_has_thread(const struct timehist *t, uint32_t thread);
bool timehist_has_cpu(const struct timehist *t, uint32_t cpu);
