/*
 * The kernel's own work of a recording: interrupts, softirqs, work of workqueues, and, for `top`, tasks; when each was requested, began
 * and ended.
 *
 *	err = kwork_run(&request, &k);    *ret in any case; on an error it holds the complete part
 *	kwork_works_sort(kwork_works(k), &request.question);
 *	kwork_destroy(k);
 *
 * A work is known by its kind, its CPU and its number. A beginning without an end, and the like, is skipped and counted, as perf does.
 * Times in nanoseconds. One thread. What the request points to outlives it. Sources: include/trace/events/irq.h, workqueue.h, sched.h;
 * the rules and texts of perf 7.2.
 */
#pragma once
#include "analysis/kwork/kwork_works.h"
#include "analysis/recorded_events.h"
#include "analysis/sched/sched_rows.h"
#include "session/host.h"
#include "session/session.h"

struct kwork_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	struct symbols_options symbols;
	struct kwork_question question;
	const char *cpus, *times; /* lists, or NULL */
	bool with_chains;         /* timehist: of the beginnings */
	uint64_t max_stack;
	enum table_format format; /* timehist: of the lines */
	struct out *out;          /* timehist: where they go as they come */
};

struct kwork;

/* What `kwork record` records of the kinds of the question. */
void kwork_recorded_events(const struct kwork_question *q, struct recorded_events *ret);

struct strobe_error *kwork_run(const struct kwork_request *q, struct kwork **ret) _must_check_;
void kwork_destroy(struct kwork *k);
struct kwork_works *kwork_works(struct kwork *k);
void kwork_remarks(const struct kwork *k);
