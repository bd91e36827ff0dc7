#include <inttypes.h>
#include <stdlib.h>

#include "analysis/sched/timehist_priv.h"
#include "base/mem.h"
#include "base/sort.h"

#define DOTS "----------------------------------------------------------------------------------------------------------------------"

struct totals {
	uint64_t threads, switches, run_ns;
};

/* ---- threads ---- */

static void put_thread_begin(struct timehist *t, uint32_t thread, const struct timehist_times *s)
{
	const struct timehist_subject subject = { .thread = thread };
	const char *comm = timehist_label(t, &subject)->text;
	out_text_right(t->out, comm, (size_t)t->comm_width);
	out_f(t->out, "   %5" PRId32 "  %9" PRIu64 " ", (int32_t)t->threads.threads.data[thread].ppid, s->runs);
	timehist_put_time(t->out, s->total_run_ns, 8);
}

static void put_runtime(struct timehist *t, const struct timehist_times *s)
{
	timehist_put_time(t->out, s->min_run_ns, 6);
	out_ch(t->out, ' ');
	timehist_put_time(t->out, (uint64_t)s->mean_ns, 6);
	out_ch(t->out, ' ');
	timehist_put_time(t->out, s->max_run_ns, 6);
	out_f(t->out, "  %5.2f   %5" PRIu64 "\n", timehist_times_deviation(s), s->migrations);
}

static void put_waits(struct timehist *t, const struct timehist_times *s)
{
	timehist_put_time(t->out, s->total_sleep_ns, 6);
	out_ch(t->out, ' ');
	timehist_put_time(t->out, s->total_iowait_ns, 6);
	out_ch(t->out, ' ');
	timehist_put_time(t->out, s->total_preempt_ns, 6);
	out_ch(t->out, ' ');
	timehist_put_time(t->out, s->total_delay_ns, 6);
	out_ch(t->out, '\n');
}

static void put_thread(struct timehist *t, uint32_t thread, struct totals *sums)
{
	const struct timehist_times *s = &t->times.data[thread];
	sums->threads++;
	sums->switches += s->runs;
	sums->run_ns += s->total_run_ns;
	put_thread_begin(t, thread, s);
	if (t->q->state)
		put_waits(t, s);
	else
		put_runtime(t, s);
}

/* By ID. perf drops threads that have ended. */
static void put_threads(struct timehist *t, struct totals *sums)
{
	struct sort_pair *order = xcalloc(t->times.len + 1, sizeof(*order));
	size_t n = 0;
	for (size_t i = 0; i < t->times.len; i++)
		if (!t->threads.threads.data[i].has_exited && t->times.data[i].runs && timehist_has_thread(t, (uint32_t)i))
			order[n++] = (struct sort_pair){ t->threads.threads.data[i].tid, i };
	sort_pairs(order, n);
	for (size_t i = 0; i < n; i++)
		put_thread(t, (uint32_t)order[i].value, sums);
	if (!n)
		out_str(t->out, "<no still running tasks>\n");
	free(order);
}

/* ---- idle CPUs ---- */

static void put_idle(struct timehist *t, struct totals *sums)
{
	uint64_t span_ns = t->shown_end_ns - t->shown_start_ns;
	out_str(t->out, "\nIdle stats:\n");
	for (uint32_t i = 0; i < t->cpus.len; i++) {
		const struct timehist_idle *idle = &t->cpus.data[i].idle;
		if (!idle->exists || !timehist_has_cpu(t, i))
			continue;
		if (!idle->times.runs) {
			out_f(t->out, "    CPU %2u idle entire time window\n", i);
			continue;
		}
		sums->switches += idle->times.runs;
		out_f(t->out, "    CPU %2u idle for ", i);
		timehist_put_time(t->out, idle->times.total_run_ns, 6);
		out_f(t->out, " msec  (%6.2f%%)\n", span_ns ? 100.0 * (double)idle->times.total_run_ns / (double)span_ns : 0.0);
	}
}

static int by_total(const void *a, const void *b)
{
	const struct idle_chain *x = a, *y = b;
	return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ? -1 : 0;
}

static void put_idle_chains(struct timehist *t)
{
	out_str(t->out, "\nIdle stats by callchain:\n");
	for (uint32_t i = 0; i < t->cpus.len; i++) {
		struct timehist_idle *idle = &t->cpus.data[i].idle;
		if (!idle->exists)
			continue;
		out_f(t->out, "  CPU %2u:", i);
		timehist_put_time(t->out, idle->times.total_run_ns, 6);
		out_f(t->out, " msec\n  %16s  %8s  %s\n", "Idle time (msec)", "Count", "Callchains");
		out_f(t->out, "  %.16s  %.8s  %.50s\n", DOTS, DOTS, DOTS);
		if (idle->chains.len)
			qsort(idle->chains.data, idle->chains.len, sizeof(*idle->chains.data), by_total);
		for (size_t k = 0; k < idle->chains.len; k++) {
			out_str(t->out, "  ");
			timehist_put_time(t->out, idle->chains.data[k].total_ns, 12);
			out_f(t->out, " %8" PRIu64 "  ", idle->chains.data[k].count);
			out_text_str(t->out, idle->chains.data[k].text);
			out_ch(t->out, '\n');
		}
		out_ch(t->out, '\n');
	}
}

/* ---- the whole ---- */

static void put_titles(struct timehist *t)
{
	struct out *o = t->out;
	if (t->q->idle)
		out_f(o, "\nIdle-time summary\n%*s  parent  sched-out    idle-time   min-idle    avg-idle    max-idle  stddev  "
			 "migrations\n", t->comm_width, "comm");
	else if (t->q->state)
		out_f(o, "\nWait-time summary\n%*s  parent   sched-in     run-time      sleep      iowait     preempt       delay\n",
		      t->comm_width, "comm");
	else
		out_f(o, "\nRuntime summary\n%*s  parent   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations\n",
		      t->comm_width, "comm");
	out_f(o, "%*s            (count)       (msec)     (msec)      (msec)      (msec)       %s\n", t->comm_width, "",
	      t->q->state ? "(msec)" : "%");
	out_f(o, "%.117s\n", DOTS);
}

void timehist_summary(struct timehist *t)
{
	struct totals sums = {};
	put_titles(t);
	put_threads(t, &sums);
	if (t->skipped && !t->q->idle)
		return; /* idle CPUs are not tracked if samples are filtered */
	put_idle(t, &sums);
	if (t->q->idle && t->with_chains)
		put_idle_chains(t);
	out_f(t->out, "\n    Total number of unique tasks: %" PRIu64 "\nTotal number of context switches: %" PRIu64 "\n", sums.threads,
	      sums.switches);
	out_str(t->out, "           Total run time (msec): ");
	timehist_put_time(t->out, sums.run_ns, 2);
	out_str(t->out, "\n    Total scheduling time (msec): ");
	timehist_put_time(t->out, t->shown_end_ns - t->shown_start_ns, 2);
	out_f(t->out, " (x %u)\n", t->max_cpu);
}
