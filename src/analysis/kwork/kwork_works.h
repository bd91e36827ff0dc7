/*
 * Works of the kernel and what they took, by kind, CPU and number.
 *
 * Names are borrowed. A zeroed struct is empty and valid. Times in nanoseconds. One thread. Source: the rules of perf 7.2.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/vector.h"

enum kwork_kind { KWORK_IRQ, KWORK_SOFTIRQ, KWORK_WORKQUEUE, KWORK_SCHED, KWORK_KINDS };
enum kwork_report { KWORK_RUNTIME, KWORK_LATENCY, KWORK_TIMEHIST, KWORK_TOP };
enum kwork_point { KWORK_RAISE, KWORK_ENTRY, KWORK_EXIT, KWORK_POINTS };

struct kwork_question {
	enum kwork_report report;
	enum kwork_kind kinds[KWORK_KINDS]; /* in the order that equal rows have */
	uint32_t kinds_nr;
	const char *name;     /* only this work; top: only in the list; NULL: any */
	const char *sort;     /* NULL: perf's default of the report */
	bool summary;
};

struct kwork_work {
	enum kwork_kind kind;
	uint32_t cpu;
	uint64_t id;
	const char *name;         /* or NULL */
	uint64_t count, total_ns, max_ns, max_start_ns, max_end_ns;
	uint64_t raised_ns, entered_ns; /* not over yet; with the flags below */
	uint64_t entered_raise_ns;      /* of the one that has begun: when it was requested; 0: not known */
	bool is_raised, is_entered;
	uint64_t unmatched[KWORK_POINTS];
	uint32_t usage;           /* top: hundredths of a percent of its CPU */
	const char *chain;        /* timehist: of the beginning, or NULL */
};

struct kwork_works {
	VEC(struct kwork_work) works;
	struct idset index;
	uint64_t skipped[KWORK_POINTS]; /* events that another one of the kind came before the end of */
	uint64_t first_ns, last_ns;     /* of what was chosen */
	uint64_t records, lost, lost_records;
};

void kwork_works_deinit(struct kwork_works *w);
/* Index of the work; made where there is none. name: of a new one, and of one without a name. */
uint32_t kwork_works_find(struct kwork_works *w, enum kwork_kind kind, uint32_t cpu, uint64_t id, const char *name);
/* IDSET_NONE: there is none. Before they are sorted. */
uint32_t kwork_works_lookup(const struct kwork_works *w, enum kwork_kind kind, uint32_t cpu, uint64_t id);

/* "irq,softirq": ERROR_USAGE names an unknown one. NULL: those that the report has by default. */
struct strobe_error *kwork_kinds_parse(const char *text, struct kwork_question *q) _must_check_;
/* ERROR_USAGE of an unknown key. */
struct strobe_error *kwork_sort_check(const struct kwork_question *q) _must_check_;
const char *kwork_kind_name(enum kwork_kind kind);

/* Events, by the rules of the report. */
void kwork_raise(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns);
void kwork_entry(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns);
/* True: it ends what began at work->entered_ns, which is counted. */
bool kwork_exit(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns);

/* By the question's keys; what is equal, by kind, CPU and number. Indexes change: at the end. */
void kwork_works_sort(struct kwork_works *w, const struct kwork_question *q);
