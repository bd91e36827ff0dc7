#include "view/text/syscall_stats_text.h"

#include <string.h>

#define NS_PER_MS 1e6
#define BAR_WIDTH 40

static void print_errnos(struct out *out, const struct syscall_stat *row)
{
	for (size_t i = 0; i < row->errnos.len; i++) {
		const char *name = strerrorname_np((int)row->errnos.data[i].errnum);
		out_str(out, "\t\t\t\t");
		if (name)
			out_str(out, name);
		else
			out_u64(out, row->errnos.data[i].errnum);
		out_str(out, ": ");
		out_u64(out, row->errnos.data[i].calls);
		out_ch(out, '\n');
	}
}

/* "512ns", "4us", "1ms": powers of two of nanoseconds, rounded down to their unit. */
static void print_bound(struct out *out, unsigned slot)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;
	uint64_t v = slot ? 1ULL << slot : 0;
	for (; v >= 1024 && unit < 3; unit++)
		v >>= 10;
	out_u64_width(out, v, 4, ' ');
	out_left(out, units[unit], 2);
}

static void print_histogram(struct out *out, const struct syscall_stat *row)
{
	unsigned first = SYSCALL_STATS_SLOTS, last = 0;
	uint64_t most = 1;
	for (unsigned i = 0; i < SYSCALL_STATS_SLOTS; i++) {
		if (!row->slot[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = row->slot[i] > most ? row->slot[i] : most;
	}
	for (unsigned i = first; i <= last; i++) {
		out_str(out, "      [");
		print_bound(out, i);
		out_str(out, " .. ");
		print_bound(out, i + 1);
		out_str(out, ") ");
		out_u64_width(out, row->slot[i], 9, ' ');
		out_str(out, row->slot[i] ? " " : "");
		out_fill(out, '#', (size_t)((double)row->slot[i] * BAR_WIDTH / (double)most));
		out_ch(out, '\n');
	}
}

static void print_row(struct out *out, const struct syscall_stat *row, struct syscall_stats_style style)
{
	out_f(out, "   %-15s %8llu %6llu %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", row->name, (unsigned long long)row->calls,
	      (unsigned long long)row->errors, (double)row->total_ns / NS_PER_MS, (double)row->min_ns / NS_PER_MS,
	      syscall_stat_mean_ns(row) / NS_PER_MS, (double)row->max_ns / NS_PER_MS, syscall_stat_error_percent(row));
	if (style.errnos)
		print_errnos(out, row);
	if (style.histograms)
		print_histogram(out, row);
}

static void print_title(struct out *out, const struct syscall_stats *s, const struct syscall_thread *t)
{
	out_ch(out, ' ');
	if (s->by == SYSCALL_STATS_BY_NOTHING)
		out_str(out, "total");
	else if (t->cgroup)
		out_text(out, t->cgroup, strlen(t->cgroup));
	else
		out_text(out, t->comm, strlen(t->comm));
	if (s->by == SYSCALL_STATS_BY_THREAD && !t->is_others)
		out_f(out, " (%u)", t->tid);
	out_f(out, ", %llu events", (unsigned long long)t->events);
	if (s->by != SYSCALL_STATS_BY_NOTHING)
		out_f(out, ", %.1f%%", s->events ? 100.0 * (double)t->events / (double)s->events : 0.0);
	if (t->has_sched)
		out_f(out, ", %.3f msec, waited %.3f msec", (double)t->ran_ns / NS_PER_MS, (double)t->waited_ns / NS_PER_MS);
	out_str(out, "\n\n");
}

void syscall_stats_text(struct out *out, const struct syscall_stats *s, struct syscall_stats_style style)
{
	out_str(out, "\n Summary of events:\n\n");
	for (size_t i = 0; i < s->threads.len && !out_failed(out); i++) {
		const struct syscall_thread *t = &s->threads.data[i];
		if (!t->rows.len)
			continue;
		print_title(out, s, t);
		out_str(out, "   syscall            calls  errors  total       min       avg       max       stddev\n"
			     "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
			     "   --------------- --------  ------ -------- --------- --------- ---------     ------\n");
		for (size_t k = 0; k < t->rows.len && (!style.max_rows || k < style.max_rows); k++)
			print_row(out, &t->rows.data[k], style);
		out_str(out, "\n\n");
	}
}
