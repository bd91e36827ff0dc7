#include "capture/followed.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static bool is_core_pmu(const struct capture_event *e)
{
	return !e->uncore && e->pmu &&
	       (text_has_prefix(e->pmu, "cpu") || text_has_prefix(e->pmu, "arm") || text_has_prefix(e->pmu, "ibs_"));
}

/* Events that measure what a CPU does, whoever runs on it, have none. */
static const char *obstacle_of_event(const struct capture_event *e)
{
	if (e->tracepoint_name || e->attr.type == PERF_TYPE_TRACEPOINT)
		return "tracepoints are recorded by task";
	if (e->kind == EVENT_BREAKPOINT || e->attr.type == PERF_TYPE_BREAKPOINT)
		return "breakpoints are set by task";
	if (e->kind == EVENT_PMU ? !is_core_pmu(e) : e->attr.type > PERF_TYPE_RAW)
		return "events of this PMU are recorded by task";
	if (e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_BPF_OUTPUT)
		return "bpf-output is recorded by task";
	if (e->sample_read)
		return ":S reads counts of tasks";
	if (e->terms.set & (EVENT_TERM_INHERIT | EVENT_TERM_AUX_OUTPUT | EVENT_TERM_AUX_SAMPLE_SIZE))
		return "an event has inherit or AUX terms";
	return NULL;
}

const char *followed_obstacle(const struct event_set *events, const struct capture_options *o)
{
	if (o->target.per_thread)
		return "--per-thread";
	if (o->no_inherit)
		return "--no-inherit records tasks that exist already";
	if (o->inherit_stat)
		return "-s counts by thread";
	if (o->switch_events)
		return "--switch-events records switches of tasks";
	if (o->no_samples)
		return "-n takes no samples";
	if (o->callgraph.mode == CALLGRAPH_LBR)
		return "--call-graph lbr keeps branches by task";
	for (size_t i = 0; i < events->events.len; i++) {
		const char *why = obstacle_of_event(&events->events.data[i]);
		if (why)
			return why;
	}
	return NULL;
}

bool followed_has(const struct followed_tasks *f, uint32_t pid, uint32_t tid)
{
	uint32_t id = f->by_thread ? tid : pid;
	return id < f->nr && __atomic_load_n(&f->bits[id / 64], __ATOMIC_RELAXED) >> id % 64 & 1;
}

/* A process lives as long as any of its threads does: the first may have ended. */
static bool is_process_alive(const struct sys *sys, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", pid);
	sys_names names = {};
	bool alive = false;
	error_destroy(sys_list(sys, path, &names));
	for (size_t i = 0; i < names.len && !alive; i++)
		alive = isdigit((unsigned char)names.data[i][0]) && target_is_task_alive(sys, atoi(names.data[i]));
	sys_names_deinit(&names);
	return alive;
}

bool followed_is_alive(const struct followed_tasks *f, const struct sys *sys)
{
	for (uint32_t i = 0; i < f->nr; i += 64) {
		uint64_t word = __atomic_load_n(&f->bits[i / 64], __ATOMIC_RELAXED);
		for (; word; word &= word - 1) {
			pid_t id = (pid_t)(i + (uint32_t)__builtin_ctzll(word));
			/* Most have ended, which is quickly known. */
			if (kill(id, 0) && errno == ESRCH)
				continue;
			if (f->by_thread ? target_is_task_alive(sys, id) : is_process_alive(sys, id))
				return true;
		}
	}
	return false;
}

/* False where the record is about a task that is not followed. A fork belongs to its parent. */
static bool is_ours(const struct followed_tasks *f, const struct perf_event_header *h)
{
	uint32_t words[4]; /* pid and tid, or pid, ppid, tid, ptid */
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
		if (h->size < sizeof(*h) + sizeof(words))
			return true;
		memcpy(words, h + 1, sizeof(words));
		break;
	default:
		return true;
	}
	if (h->type == PERF_RECORD_FORK)
		return followed_has(f, words[1], words[3]);
	return followed_has(f, words[0], h->type == PERF_RECORD_EXIT ? words[2] : words[1]);
}

static struct strobe_error *write_ours(struct record_sink *sink, const void *records, size_t bytes)
{
	struct followed_sink *s = (struct followed_sink *)sink;
	const char *at = records, *from = at, *end = at + bytes;
	while ((size_t)(end - at) >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > (size_t)(end - at))
			break;
		if (!is_ours(s->tasks, h)) {
			if (at > from)
				TRY(sink_write(s->to, from, (size_t)(at - from)));
			from = at + h->size;
			s->left_out_records++;
			s->left_out_bytes += h->size;
		}
		at += h->size;
	}
	return end > from ? sink_write(s->to, from, (size_t)(end - from)) : NULL;
}

void followed_sink_init(struct followed_sink *s, const struct followed_tasks *tasks, struct record_sink *to)
{
	*s = (struct followed_sink){ .sink.write = write_ours, .tasks = tasks, .to = to };
}
