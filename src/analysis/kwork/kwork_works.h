/*
 * Works of the kernel and their times, by kind, CPU and number.
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
	enum kwork_kind kinds[KWORK_KINDS]; /* in the order of equal rows */
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
	uint64_t raised_ns, entered_ns; /* of the current one; valid with the flags below */
	uint64_t entered_raise_ns;      /* when the running one was requested; 0: unknown */
	bool is_raised, is_entered;
	uint64_t unmatched[KWORK_POINTS];
	uint32_t usage;           /* top: hundredths of a percent of its CPU */
	const char *chain;        /* timehist: call chain of the start, or NULL */
};

struct kwork_works {
	VEC(struct kwork_work) works;
	struct idset index;
	uint64_t skipped[KWORK_POINTS]; /* events followed by another one of the same kind before their end */
	uint64_t first_ns, last_ns;     /* of what was chosen */
	uint64_t records, lost, lost_records;
};

void kwork_works_deinit(struct kwork_works *w);
/* Index of the work, which is added if new. name: for a new one, and one without a name yet. */
uint32_t kwork_works_find(struct kwork_works *w, enum kwork_kind kind, uint32_t cpu, uint64_t id, const char *name);
/* IDSET_NONE: none. Not after sorting. */
uint32_t kwork_works_lookup(const struct kwork_works *w, enum kwork_kind kind, uint32_t cpu, uint64_t id);

/* "irq,softirq": ERROR_USAGE names an unknown one. NULL: the default of the report. */
struct strobe_error *kwork_kinds_parse(const char *text, struct kwork_question *q) _must_check_;
/* ERROR_USAGE of an unknown key. */
struct strobe_error *kwork_sort_check(const struct kwork_question *q) _must_check_;
const char *kwork_kind_name(enum kwork_kind kind);

/* Handle events by the rules of the report. */
void kwork_raise(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns);
void kwork_entry(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns);
/* True: it ends the run that began at work->entered_ns, which is counted. */
bool kwork_exit(struct kwork_works *w, const struct kwork_question *q, uint32_t work, uint64_t time_ns);

/* Sorts by the question's keys, equal ones by kind, CPU and number. Call it at the end: indexes change. */
void kwork_works_sort(struct kwork_works *w, const struct kwork_question *q);
