/* report: what a recording holds, without its samples: --stats, --tasks, --mmaps, -T. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "cmd/report.h"

static const char *record_name(uint32_t type)
{
	static const char *const names[RECORD_TYPE_LIMIT] = {
		[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST", [PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT", [PERF_RECORD_THROTTLE] = "THROTTLE", [PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK", [PERF_RECORD_READ] = "READ", [PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2", [PERF_RECORD_AUX] = "AUX", [PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES", [PERF_RECORD_SWITCH] = "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE", [PERF_RECORD_NAMESPACES] = "NAMESPACES",
		[PERF_RECORD_KSYMBOL] = "KSYMBOL", [PERF_RECORD_BPF_EVENT] = "BPF_EVENT", [PERF_RECORD_CGROUP] = "CGROUP",
		[PERF_RECORD_TEXT_POKE] = "TEXT_POKE", [PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
		[RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
		[RECORD_HEADER_ATTR] = "ATTR", [RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
		[RECORD_HEADER_TRACING_DATA] = "TRACING_DATA", [RECORD_HEADER_BUILD_ID] = "BUILD_ID",
		[RECORD_FINISHED_ROUND] = "FINISHED_ROUND", [RECORD_ID_INDEX] = "ID_INDEX",
		[RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO", [RECORD_AUXTRACE] = "AUXTRACE",
		[RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR", [RECORD_THREAD_MAP] = "THREAD_MAP", [RECORD_CPU_MAP] = "CPU_MAP",
		[RECORD_STAT_CONFIG] = "STAT_CONFIG", [RECORD_STAT] = "STAT", [RECORD_STAT_ROUND] = "STAT_ROUND",
		[RECORD_EVENT_UPDATE] = "EVENT_UPDATE", [RECORD_TIME_CONV] = "TIME_CONV", [RECORD_HEADER_FEATURE] = "FEATURE",
		[RECORD_COMPRESSED] = "COMPRESSED", [RECORD_FINISHED_INIT] = "FINISHED_INIT",
		[RECORD_BPF_METADATA] = "BPF_METADATA", [RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
		[RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
	};
	return type < RECORD_TYPE_LIMIT && names[type] ? names[type] : "UNKNOWN";
}

void report_print_stats(struct out *out, const struct env *env, const struct resolve_stats *stats, bool skip_empty)
{
	uint64_t total = stats->unknown_records;
	for (uint32_t i = 1; i < RECORD_TYPE_LIMIT; i++)
		total += stats->records[i];
	out_str(out, "\nAggregated stats:\n");
	out_f(out, "%16s events: %10" PRIu64 "\n", "TOTAL", total);
	for (uint32_t i = 1; i < RECORD_TYPE_LIMIT; i++)
		if (stats->records[i])
			out_f(out, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", record_name(i), stats->records[i],
			      100.0 * (double)stats->records[i] / (double)total);
	if (stats->unknown_records)
		out_f(out, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", "UNKNOWN", stats->unknown_records,
		      100.0 * (double)stats->unknown_records / (double)total);
	for (uint32_t i = 0; i < stats->events_nr && i < env->events.len; i++) {
		const struct resolve_event_stats *e = &stats->events[i];
		if (skip_empty && !e->samples && !e->lost_samples)
			continue;
		const char *name = env->events.data[i].name;
		out_text(out, name, strlen(name));
		out_str(out, " stats:\n");
		if (e->samples || !skip_empty)
			out_f(out, "%16s events: %10" PRIu64 "\n", "SAMPLE", e->samples);
		if (e->lost_samples)
			out_f(out, "%16s events: %10" PRIu64 "\n", "LOST_SAMPLES", e->lost_samples);
	}
}

struct task {
	const struct thread *thread;
	uint32_t parent; /* index + 1 of the task it descends from; 0 = none */
	bool printed;
};

struct tasks {
	struct out *out;
	struct machine *machine;
	struct task *all;
	uint32_t nr;
	bool with_maps;
	unsigned depth;
};

static bool print_map(void *ctx, const struct map *m)
{
	struct tasks *t = ctx;
	if (m->is_data)
		return true;
	out_fill(t->out, ' ', 31 + t->depth);
	out_f(t->out, " %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ", m->start, m->end,
	      m->prot & 1 ? 'r' : '-', m->prot & 2 ? 'w' : '-', m->prot & 4 ? 'x' : '-', m->flags & 1 ? 's' : 'p', m->pgoff,
	      m->file->ino);
	out_text(t->out, m->file->path, strlen(m->file->path));
	out_ch(t->out, '\n');
	return true;
}

static void print_task(struct tasks *t, uint32_t index)
{
	struct task *task = &t->all[index];
	const struct thread *th = task->thread;
	if (task->printed)
		return;
	task->printed = true;
	const char *comm = strtab_get(machine_strings(t->machine), machine_comm(t->machine, th, th->end_ns));
	int ppid = th->tid && th->ppid != UINT32_MAX && task->parent ? (int)th->ppid : -1;
	out_f(t->out, "%10d %8d %8d |", (int)th->pid, (int)th->tid, ppid);
	out_fill(t->out, ' ', t->depth);
	out_text(t->out, comm, strlen(comm));
	out_ch(t->out, '\n');
	if (t->with_maps)
		machine_each_map(t->machine, th, th->end_ns, print_map, t);
	t->depth++;
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->all[i].parent == index + 1)
			print_task(t, i);
	t->depth--;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct thread *x = ((const struct task *)a)->thread, *y = ((const struct task *)b)->thread;
	return x->tid < y->tid ? -1 : x->tid > y->tid ? 1 : x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static uint32_t find_task(const struct tasks *t, uint32_t tid, uint32_t not_index)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->all[i].thread->tid == tid && i != not_index)
			return i + 1;
	return 0;
}

void report_print_tasks(struct out *out, struct machine *m, bool with_maps)
{
	struct tasks t = { .out = out, .machine = m, .with_maps = with_maps };
	size_t n = machine_threads_count(m);
	t.all = xcalloc(n + 1, sizeof(*t.all));
	for (size_t i = 0; i < n; i++)
		t.all[t.nr++].thread = machine_thread_at(m, i);
	qsort(t.all, t.nr, sizeof(*t.all), compare_tasks);
	for (uint32_t i = 0; i < t.nr; i++) {
		const struct thread *th = t.all[i].thread;
		/* A thread stands below its process, a process below the one that forked it. */
		t.all[i].parent = find_task(&t, th->tid != th->pid ? th->pid : th->ppid, i);
		if (t.all[i].parent && !th->ppid && th->tid == th->pid)
			t.all[i].parent = 0;
	}
	out_f(out, "# %8s %8s %8s  comm\n", "pid", "tid", "ppid");
	for (uint32_t i = 0; i < t.nr; i++)
		if (!t.all[i].parent)
			print_task(&t, i);
	for (uint32_t i = 0; i < t.nr; i++)
		print_task(&t, i);
	free(t.all);
}
