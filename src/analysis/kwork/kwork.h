/*
 * The kernel's own work of a recording: interrupts, softirqs, work of workqueues, and, for `top`, tasks; the times of request, start and
 * end of each.
 *
 *	err = kwork_run(&request, &k);    *ret in any case; on an error it holds the complete part
 *	kwork_works_sort(kwork_works(k), &request.question);
 *	kwork_destroy(k);
 *
 * A work is identified by its kind, CPU and number. A start without an end, and similar events, are skipped and counted, as in perf.
 * Times in nanoseconds. One thread. Everything that the request points to must outlive it. Sources: include/trace/events/irq.h,
 * workqueue.h, sched.h; the rules and texts of perf 7.2.
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
	bool with_chains;         /* timehist: with call chains of the starts */
	uint64_t max_stack;
	enum table_format format; /* timehist: format of the lines */
	struct out *out;          /* timehist: written to while events are read */
};

struct kwork;

/* The events that `kwork record` records for the selected kinds. */
void kwork_recorded_events(const struct kwork_question *q, struct recorded_events *ret);

struct strobe_error *kwork_run(const struct kwork_request *q, struct kwork **ret) _must_check_;
void kwork_destroy(struct kwork *k);
struct kwork_works *kwork_works(struct kwork *k);
void kwork_remarks(const struct kwork *k);
