#include "tracing/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bpf/trace/trace_targets.h"

struct trace_lines {
	struct trace_lines_setup setup;
	struct trace_tasks tasks;
	struct syscall_stats stats;
	struct arena names;
	VEC(struct trace_frame) frames; /* of the line at hand */
	uint64_t begin_ns; /* 0: unknown */
	uint64_t first_ns; /* time 0 of the lines; 0 before the first one */
	uint64_t count;
	bool finished, ended;
};

struct trace_lines *trace_lines_create(const struct trace_lines_setup *setup)
{
	struct trace_lines *l = xcalloc(1, sizeof(*l));
	l->setup = *setup;
	trace_tasks_init(&l->tasks, setup->sys, setup->files);
	l->tasks.sched = setup->sched && !setup->all_new;
	l->stats.by = setup->by;
	arena_init(&l->stats.arena);
	arena_init(&l->names);
	return l;
}

/* Run times of threads in the statistics. */
static void fill_sched(struct trace_lines *l)
{
	for (size_t i = 0; i < l->tasks.all.len; i++) {
		struct trace_task *t = &l->tasks.all.data[i];
		if (!t->stats)
			continue;
		struct syscall_thread *row = &l->stats.threads.data[t->stats - 1];
		row->has_sched = t->gone || trace_task_read_sched(&l->tasks, t->tid, &t->ran_ns, &t->waited_ns);
		row->ran_ns = t->ran_ns > t->ran_before_ns ? t->ran_ns - t->ran_before_ns : 0;
		row->waited_ns = t->waited_ns > t->waited_before_ns ? t->waited_ns - t->waited_before_ns : 0;
	}
}

void trace_lines_finish(struct trace_lines *l)
{
	if (l->finished)
		return;
	l->finished = true;
	if (l->setup.sched)
		fill_sched(l);
	syscall_stats_finish(&l->stats);
}

void trace_lines_destroy(struct trace_lines *l)
{
	if (!l)
		return;
	trace_lines_finish(l);
	syscall_stats_deinit(&l->stats);
	arena_deinit(&l->names);
	vec_deinit(&l->frames);
	trace_tasks_deinit(&l->tasks);
	free(l);
}

static const char *keep_name(struct trace_lines *l, const struct syscall_desc *d)
{
	return d->described ? d->name : arena_strdup(&l->names, d->name);
}

/* The index of a task's statistics. */
static uint32_t stats_of(struct trace_lines *l, struct trace_task *t)
{
	bool all = l->setup.by == SYSCALL_STATS_BY_NOTHING;
	if (!all && !t->stats)
		t->stats = syscall_stats_thread(&l->stats, t->tid, t->pid, t->comm, NULL) + 1;
	if (all && !l->stats.threads.len)
		syscall_stats_thread(&l->stats, 0, 0, "", NULL);
	return all ? 0 : t->stats - 1;
}

/* Calls from the same functions are merged: the key consists of functions, and of addresses outside of functions. */
static uint64_t stack_key(const struct trace_line *line)
{
	uint64_t key = 0;
	for (uint32_t i = 0; i < line->chain_nr; i++)
		key = hash_combine(key, line->chain[i].symbol ? (uintptr_t)line->chain[i].symbol : line->chain[i].ip);
	return key;
}

static void add_stack(struct trace_lines *l, struct syscall_stat *row, const struct trace_line *line)
{
	bool is_new;
	struct syscall_stack *s = syscall_stat_add_stack(row, stack_key(line), line->duration_ns, syscall_failed(line->call->ret), &is_new);
	if (!is_new)
		return;
	const char **names = arena_new_array(&l->stats.arena, const char *, line->chain_nr + 1);
	for (uint32_t i = 0; i < line->chain_nr; i++) {
		const struct resolved_frame *f = &line->chain[i];
		names[i] = f->symbol ? arena_strdup(&l->stats.arena, dso_symbol_name(f->dso, f->symbol)) :
			   arena_printf(&l->stats.arena, "%#" PRIx64, f->ip);
	}
	s->functions = names;
	s->nr = line->chain_nr;
}

static void add_to_stats(struct trace_lines *l, struct trace_task *t, const struct trace_line *line, uint32_t key)
{
	const struct syscall_event *call = line->call;
	uint32_t thread = stats_of(l, t);
	bool ends_task = call->desc->ret == SYSCALL_RET_NEVER && trace_call_kind(call->desc) == TRACE_CALL_ENDS;
	if (line->kind != TRACE_LINE_CALL && !ends_task) {
		l->stats.threads.data[thread].events += call->desc->ret == SYSCALL_RET_NEVER;
		return;
	}
	/* The child returns from a call that its parent made. */
	if (line->start_unknown && !call->ret && trace_call_kind(call->desc) == TRACE_CALL_STARTS) {
		l->stats.threads.data[thread].events++;
		return;
	}
	/* Two events per call, unless one of them is outside of the trace. */
	l->stats.threads.data[thread].events -= line->kind == TRACE_LINE_CALL && line->start_unknown;
	struct syscall_stat *row = syscall_stats_row(&l->stats, thread, key, call->desc->name);
	if (!row->calls)
		row->name = keep_name(l, call->desc);
	row->never_returns = ends_task;
	syscall_stat_add(row, line->duration_ns, syscall_failed(call->ret) ? (uint32_t)-call->ret : 0);
	if (l->setup.by_stack)
		add_stack(l, row, line);
}

static bool is_chosen(const struct trace_lines *l, const struct trace_line *line)
{
	bool ended = line->kind == TRACE_LINE_CALL;
	if (l->setup.failures_only && (!ended || !syscall_failed(line->call->ret)))
		return false;
	return !l->setup.by_duration || (ended && line->has_duration && line->duration_ns > l->setup.longer_than_ns);
}

static struct trace_frame frame_of(const struct resolved_frame *f)
{
	const struct mapped_file *file = f->map ? f->map->file : NULL;
	return (struct trace_frame){
		.ip = f->ip,
		.symbol = f->symbol ? dso_symbol_name(f->dso, f->symbol) : NULL,
		.path = file ? file->path : NULL,
		.file = !file ? NULL : file->kind == MAPPED_FILE ? file->path : file->name,
		.inlined = f->inlined,
	};
}

static void set_frames(struct trace_lines *l, struct trace_line *line)
{
	vec_clear(&l->frames);
	for (uint32_t i = 0; i < line->chain_nr; i++)
		vec_push(&l->frames, frame_of(&line->chain[i]));
	line->frames = l->frames.data;
	line->frames_nr = line->chain_nr;
}

static void write_line(struct trace_lines *l, struct trace_line *line)
{
	if (l->ended)
		return;
	if (!l->first_ns)
		l->first_ns = l->begin_ns && l->begin_ns < line->time_ns ? l->begin_ns : line->time_ns;
	line->first_ns = l->first_ns;
	if (line->chain_nr)
		set_frames(l, line);
	l->ended = !l->setup.sink->line(l->setup.sink, line);
	l->count++;
	l->ended |= l->setup.max_lines && l->count >= l->setup.max_lines;
}

void trace_lines_call(struct trace_lines *l, struct trace_line *line, uint32_t key)
{
	struct trace_task *t = trace_task(&l->tasks, line->tid, line->pid);
	bool ended = line->kind == TRACE_LINE_CALL;
	if (l->setup.counts)
		add_to_stats(l, t, line, key);
	if (l->setup.only_stats)
		return;
	open_files_take(&l->tasks.files, line->call);
	if (ended && line->call->ret >= 0)
		open_files_follow(&l->tasks.files, line->call);
	if (is_chosen(l, line)) {
		line->comm = t->comm;
		line->continued = ended && t->pending == key + 1;
		t->pending = ended ? 0 : key + 1;
		write_line(l, line);
	}
	if (ended && line->call->ret >= 0)
		open_files_close(&l->tasks.files, line->call);
}

void trace_lines_begin_at(struct trace_lines *l, uint64_t time_ns)
{
	if (!l->begin_ns)
		l->begin_ns = time_ns;
}

void trace_lines_count_begun(struct trace_lines *l, uint32_t tid, uint32_t pid)
{
	if (l->setup.counts)
		l->stats.threads.data[stats_of(l, trace_task(&l->tasks, tid, pid))].events++;
}

void trace_lines_other(struct trace_lines *l, struct trace_line *line)
{
	if (!line->comm)
		line->comm = trace_task(&l->tasks, line->tid, line->pid)->comm;
	write_line(l, line);
}

void trace_lines_sample(struct trace_lines *l, const struct trace_line *head)
{
	l->setup.sink->sample(l->setup.sink, head);
}

void trace_lines_entry_point(struct trace_lines *l, struct trace_line *line)
{
	char event[64];
	open_files_take(&l->tasks.files, line->call);
	snprintf(event, sizeof(event), "syscalls:sys_enter_%s", line->call->desc->entry);
	line->kind = TRACE_LINE_POINT;
	line->event = event;
	trace_lines_other(l, line);
	line->event = NULL; /* the name is only valid during this call */
}

void trace_lines_ran(struct trace_lines *l, uint32_t tid, uint32_t pid, uint64_t ran_ns, uint64_t waited_ns)
{
	struct trace_task *t = trace_task(&l->tasks, tid, pid);
	t->ran_ns = ran_ns;
	t->waited_ns = waited_ns;
	t->gone = true;
}

struct trace_tasks *trace_lines_tasks(struct trace_lines *l)
{
	return &l->tasks;
}

void trace_lines_rename(struct trace_lines *l, uint32_t tid, uint32_t pid, const char *comm, size_t room)
{
	struct trace_task *t = trace_task_unnamed(&l->tasks, tid, pid);
	trace_task_name(t, comm, room);
	if (t->stats)
		syscall_stats_rename(&l->stats, t->stats - 1, t->comm);
}

static void take_comm(struct trace_lines *l, struct record r)
{
	struct record_comm comm;
	if (!record_decode_comm(r, &comm))
		return;
	trace_lines_rename(l, comm.tid, comm.pid, comm.comm, strlen(comm.comm));
	if (comm.exec)
		open_files_forget(&l->tasks.files, comm.pid);
}

static void take_fork(struct trace_lines *l, struct record r)
{
	struct record_task task;
	char comm[17];
	if (!record_decode_task(r, &task) || task.tid == task.ptid)
		return;
	memcpy(comm, trace_task(&l->tasks, task.ptid, task.ppid)->comm, sizeof(comm));
	trace_task_new(&l->tasks, task.tid, task.pid);
	trace_lines_rename(l, task.tid, task.pid, comm, sizeof(comm) - 1);
	if (task.pid != task.ppid)
		open_files_inherit(&l->tasks.files, task.ppid, task.pid);
}

void trace_lines_take_task(struct trace_lines *l, struct record r)
{
	if (r.hdr->type == PERF_RECORD_COMM)
		take_comm(l, r);
	else if (r.hdr->type == PERF_RECORD_FORK)
		take_fork(l, r);
}

uint64_t trace_lines_count(const struct trace_lines *l)
{
	return l->count;
}

bool trace_lines_ended(const struct trace_lines *l)
{
	return l->ended;
}

const struct syscall_stats *trace_lines_stats(const struct trace_lines *l)
{
	return &l->stats;
}
