#include "analysis/kwork/kwork_live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lock_symbols.h"
#include "base/mem.h"
#include "bpf/count/kwork_counts.h"
#include "capture/workload.h"
#include "sys/signals.h"

#define TICK_MS 100
#define ENTRIES 65536

struct kwork_live {
	struct kwork_live_request q;
	struct kwork_counts *counts;
	struct workload workload;
	struct signals signals;
	struct symbols *symbols;
	struct lock_symbols kernel;
	struct kwork_works works;
	struct strtab names;
};

_Static_assert(KWORK_COUNTS_SCHED == (int)KWORK_SCHED && KWORK_COUNTS_WORKQUEUE == (int)KWORK_WORKQUEUE, "kinds have the same numbers");

static const struct mapped_file kernel_file = { .kind = MAPPED_KERNEL, .path = "[kernel.kallsyms]", .name = "[kernel.kallsyms]" };

/* include/linux/interrupt.h */
static const char *const softirqs[] = { "HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU" };

/* ---- opening ---- */

static struct strobe_error *open_all(struct kwork_live *l)
{
	static const int more[] = { SIGCHLD, 0 };
	const struct kwork_question *q = l->q.question;
	struct kwork_counts_options o = {
		.sys = l->q.sys,
		.of_delays = q->report == KWORK_LATENCY,
		.by_task = q->report == KWORK_TOP,
		.cpus = l->q.cpus,
		.entries = ENTRIES,
	};
	for (uint32_t i = 0; i < q->kinds_nr; i++)
		if (q->kinds[i] != KWORK_SCHED || q->report == KWORK_TOP)
			o.kinds |= 1U << q->kinds[i];
	if (!o.kinds)
		return error_create(ERROR_USAGE, "-b does not support the kind sched: use 'kwork top', or 'kwork record'");
	l->symbols = symbols_create(NULL, l->q.symbols);
	lock_symbols_load(&l->kernel, symbols_dso(l->symbols, &kernel_file));
	TRY(signals_open(&l->signals, more));
	if (l->q.command)
		TRY(workload_fork(l->q.command, workload_options_of(&l->signals), &l->workload));
	return kwork_counts_open(&o, &l->counts);
}

/* ---- waiting ---- */

static struct strobe_error *count(struct kwork_live *l)
{
	l->works.first_ns = sys_clock_ns(l->q.sys, CLOCK_MONOTONIC);
	kwork_counts_enable(l->counts, true);
	if (l->workload.pid)
		TRY(workload_start(&l->workload));
	while (!workload_is_over(&l->workload, &l->signals))
		signals_wait(&l->signals, TICK_MS);
	kwork_counts_enable(l->counts, false);
	l->works.last_ns = sys_clock_ns(l->q.sys, CLOCK_MONOTONIC);
	return NULL;
}

/* ---- reading ---- */

static const char *name_of(struct kwork_live *l, const struct kwork_counts_key *key, const struct kwork_counts_work *work)
{
	const struct symbol *function;
	switch (key->kind) {
	case KWORK_COUNTS_SOFTIRQ:
		return key->id < sizeof(softirqs) / sizeof(*softirqs) ? softirqs[key->id] : NULL;
	case KWORK_COUNTS_WORKQUEUE:
		function = lock_symbols_at(&l->kernel, work->function);
		return function ? dso_symbol_name(l->kernel.kernel, function) : NULL;
	default:
		return strtab_get(&l->names, strtab_add_n(&l->names, work->name, strnlen(work->name, sizeof(work->name))));
	}
}

static void take_work(void *ctx, const struct kwork_counts_key *key, const struct kwork_counts_work *work)
{
	struct kwork_live *l = ctx;
	const struct kwork_question *q = l->q.question;
	const char *name = name_of(l, key, work);
	if (key->kind >= KWORK_KINDS || (q->report != KWORK_TOP && q->name && (!name || strcmp(name, q->name) != 0)))
		return;
	uint32_t at = kwork_works_find(&l->works, (enum kwork_kind)key->kind, key->cpu, key->id, name);
	struct kwork_work *w = &l->works.works.data[at];
	w->count = work->count;
	w->total_ns = work->total_ns;
	w->max_ns = work->max_ns;
	w->max_start_ns = work->max_start_ns;
	w->max_end_ns = work->max_end_ns;
	l->works.skipped[q->report == KWORK_LATENCY ? KWORK_RAISE : KWORK_ENTRY] += work->skipped;
}

/* ---- the whole ---- */

static struct strobe_error *run(struct kwork_live *l)
{
	TRY(open_all(l));
	TRY(count(l));
	kwork_counts_read(l->counts, take_work, l);
	if (kwork_counts_lost(l->counts))
		session_say(l->q.host, "%" PRIu64 " events were not counted: there was no room for more work items, or they occurred "
			    "within BPF programs", kwork_counts_lost(l->counts));
	return NULL;
}

struct strobe_error *kwork_live_run(const struct kwork_live_request *q, struct kwork_live **ret)
{
	struct kwork_live *l = *ret = xcalloc(1, sizeof(*l));
	l->q = *q;
	l->signals = SIGNALS_NONE;
	strtab_init(&l->names);
	struct strobe_error *err = run(l);
	workload_end(&l->workload);
	signals_close(&l->signals);
	return err;
}

void kwork_live_destroy(struct kwork_live *l)
{
	if (!l)
		return;
	kwork_counts_close(l->counts);
	kwork_works_deinit(&l->works);
	symbols_destroy(l->symbols);
	strtab_deinit(&l->names);
	free(l);
}

struct kwork_works *kwork_live_works(struct kwork_live *l)
{
	return &l->works;
}
