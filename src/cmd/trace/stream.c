/* `trace`: a line for each system call, as it ends. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/u64map.h"
#include "bpf/stream_tracer.h"
#include "cmd/trace/run.h"

#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000
#endif

#define TICK_MS     5
#define ALIGN       70 /* where results begin */
#define FD_PATH_MAX 4096
#define LOW_FDS     256

struct task {
	uint32_t tid, pid;
	char comm[17];
	uint32_t stats; /* index + 1 in the statistics; 0: none yet */
	bool pending;   /* its last line was without a result */
};

struct stream {
	struct trace_run *run;
	struct stream_tracer *tracer;
	struct syscall_style style;
	VEC(struct task) tasks;
	struct u64map task_of; /* tid → index */
	struct u64map fds;     /* pid << 32 | fd → index of paths + 1; 0: nothing is known */
	VEC(char *) paths;
	struct syscall_stats stats;
	struct arena names;
	uint64_t first_ns;
	uint64_t lines;
	bool ended;
};

/* --- tasks --- */

static struct task *task_of(struct stream *s, uint32_t tid, uint32_t pid)
{
	bool is_new;
	uint64_t *at = u64map_put(&s->task_of, tid, &is_new);
	if (is_new) {
		struct task t = { .tid = tid, .pid = pid };
		_cleanup_free_ char *path = xasprintf("/proc/%u/comm", tid);
		_cleanup_free_ char *line = NULL;
		_cleanup_error_ struct strobe_error *err = sys_read_line(s->run->sys, path, &line);
		if (!err)
			snprintf(t.comm, sizeof(t.comm), "%s", line);
		*at = s->tasks.len;
		vec_push(&s->tasks, t);
	}
	return &s->tasks.data[*at];
}

static void name_task(struct stream *s, struct task *t, const struct trace_event *ev, size_t bytes)
{
	const char *comm = (const char *)(ev + 1) + ev->args_nr * sizeof(uint64_t);
	size_t room = bytes - sizeof(*ev) - ev->args_nr * sizeof(uint64_t);
	size_t n = strnlen(comm, room < 16 ? room : 16);
	memcpy(t->comm, comm, n);
	t->comm[n] = '\0';
	if (t->stats)
		syscall_stats_rename(&s->stats, t->stats - 1, t->comm);
}

/* --- what descriptors stand for --- */

static uint64_t fd_key(uint32_t pid, int64_t fd)
{
	return (uint64_t)pid << 32 | (uint32_t)fd;
}

static void set_fd(struct stream *s, uint32_t pid, int64_t fd, const char *path, size_t n)
{
	uint64_t *at = u64map_put(&s->fds, fd_key(pid, fd), NULL);
	if (*at && strlen(s->paths.data[*at - 1]) == n && !memcmp(s->paths.data[*at - 1], path, n))
		return;
	vec_push(&s->paths, xstrndup(path, n));
	*at = s->paths.len;
}

static void forget_fd(struct stream *s, uint32_t pid, int64_t fd)
{
	if (u64map_get(&s->fds, fd_key(pid, fd)))
		u64map_remove(&s->fds, fd_key(pid, fd));
}

/* After what closes many: those with low numbers are asked for again. */
static void forget_fds(struct stream *s, uint32_t pid)
{
	for (int fd = 0; fd < LOW_FDS; fd++)
		forget_fd(s, pid, fd);
}

/* A descriptor that was not opened before our eyes: what the kernel says of it now. */
static uint64_t look_up_fd(struct stream *s, uint32_t pid, int fd)
{
	char path[64], target[FD_PATH_MAX];
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
	ssize_t n = readlink(path, target, sizeof(target));
	if (n > 0)
		set_fd(s, pid, fd, target, (size_t)n);
	else
		*u64map_put(&s->fds, fd_key(pid, fd), NULL) = 0;
	return *u64map_get(&s->fds, fd_key(pid, fd));
}

static const char *fd_text(void *ctx, uint32_t pid, int fd)
{
	struct stream *s = ctx;
	uint64_t *known = u64map_get(&s->fds, fd_key(pid, fd));
	uint64_t at = known ? *known : look_up_fd(s, pid, fd);
	return at ? s->paths.data[at - 1] : NULL;
}

static const char *pid_text(void *ctx, int pid)
{
	struct stream *s = ctx;
	const uint64_t *at = pid > 0 ? u64map_get(&s->task_of, (uint64_t)pid) : NULL;
	return at && s->tasks.data[*at].comm[0] ? s->tasks.data[*at].comm : NULL;
}

/* The string that was fetched for an argument; false where there is none. */
static bool string_of(const struct syscall_event *ev, unsigned arg, const char **ret, size_t *ret_n)
{
	for (uint32_t i = 0; i < ev->payload.nr; i++) {
		if (ev->payload.piece[i].arg != arg || ev->payload.piece[i].part != SYSCALL_PART_WHOLE)
			continue;
		*ret = (const char *)ev->payload.piece[i].data;
		*ret_n = ev->payload.piece[i].bytes;
		return ev->payload.piece[i].status == SYSCALL_FETCH_OK;
	}
	return false;
}

/* Descriptors that come and go; what else a result names is asked of the kernel when it is printed. */
static void follow_fds(struct stream *s, const struct syscall_event *ev)
{
	const char *name = ev->desc->name, *path;
	size_t n;
	if (ev->desc->ret == SYSCALL_RET_FD && ev->ret >= 0)
		forget_fd(s, ev->pid, ev->ret);
	switch (name[0]) {
	case 'o':
		if (ev->ret >= 0 && text_has_prefix(name, "open") && string_of(ev, name[4] == 'a', &path, &n) && n && *path == '/')
			set_fd(s, ev->pid, ev->ret, path, n);
		break;
	case 'c':
		if (!strcmp(name, "close"))
			forget_fd(s, ev->pid, (int32_t)ev->arg[0]);
		else if (!strcmp(name, "close_range"))
			forget_fds(s, ev->pid);
		break;
	case 'd':
		if (ev->ret >= 0 && text_has_prefix(name, "dup")) {
			const uint64_t *from = u64map_get(&s->fds, fd_key(ev->pid, (int32_t)ev->arg[0]));
			uint64_t at = from ? *from : 0;
			if (at)
				*u64map_put(&s->fds, fd_key(ev->pid, ev->ret), NULL) = at;
		}
		break;
	}
}

/* --- lines --- */

static void print_ms(struct out *out, uint64_t ns, size_t width)
{
	uint64_t us = (ns + 500) / 1000;
	out_u64_width(out, us / 1000, width - 4, ' ');
	out_ch(out, '.');
	out_u64_width(out, us % 1000, 3, '0');
}

static uint64_t position(const struct out *out)
{
	return out->flushed_bytes + out->len;
}

static void print_head(struct stream *s, const struct task *t, uint64_t start_ns, uint64_t duration_ns, bool has_duration)
{
	struct out *out = &s->run->out;
	if (!start_ns) {
		out_str(out, "         ? ");
	} else if (s->run->o->full_time || start_ns >= s->first_ns) {
		print_ms(out, s->run->o->full_time ? start_ns : start_ns - s->first_ns, 10);
		out_ch(out, ' ');
	} else {
		/* It began before what ended first. */
		out_f(out, "%10.3f ", -(double)(s->first_ns - start_ns) / 1e6);
	}
	if (has_duration) {
		out_ch(out, '(');
		print_ms(out, duration_ns, 6);
		out_str(out, " ms): ");
	} else {
		out_str(out, "(         ): ");
	}
	if (s->run->o->no_inherit && !s->run->map.system_wide && s->run->map.threads.len == 1)
		return;
	if (!s->run->o->no_comm && t->comm[0]) {
		out_text(out, t->comm, strnlen(t->comm, 14));
		out_ch(out, '/');
	} else if (!s->run->o->no_comm) {
		out_ch(out, ':');
		out_u64(out, t->pid);
		out_ch(out, '/');
	}
	out_u64(out, t->tid);
	out_ch(out, ' ');
}

static void pad_to(struct out *out, uint64_t begin, uint64_t width)
{
	uint64_t printed = position(out) - begin;
	out_fill(out, ' ', printed < width ? (size_t)(width - printed) : 1);
}

static void print_text(struct stream *s, struct task *t, const struct trace_event *ev, const struct syscall_event *call)
{
	struct out *out = &s->run->out;
	bool ended = ev->type == TRACE_EVENT_CALL, known = ev->flags & TRACE_FLAG_STARTED;
	print_head(s, t, ev->start_ns, ev->time_ns - ev->start_ns, ended && known);
	uint64_t begin = position(out);
	/* Its arguments stand above. */
	bool continued = ended && t->pending;
	if (continued)
		out_str(out, " ... [continued]: ");
	out_str(out, call->desc->name);
	out_ch(out, '(');
	if (!continued)
		syscall_print_args(out, &s->style, call);
	out_ch(out, ')');
	t->pending = !ended;
	if (ended) {
		pad_to(out, begin, ALIGN);
		out_str(out, "= ");
		syscall_print_result(out, &s->style, call);
	} else if (call->desc->ret == SYSCALL_RET_NEVER) {
		pad_to(out, begin, ALIGN);
		out_str(out, "= ?");
	} else {
		pad_to(out, begin, ALIGN - 4);
		out_str(out, " ...");
	}
	out_ch(out, '\n');
}

static void print_json(struct stream *s, const struct task *t, const struct trace_event *ev, const struct syscall_event *call)
{
	struct json j;
	json_init(&j, &s->run->out, false);
	json_object(&j);
	json_key(&j, "time_ns");
	json_u64(&j, ev->start_ns ? ev->start_ns : ev->time_ns);
	if (ev->type == TRACE_EVENT_CALL && ev->start_ns) {
		json_key(&j, "duration_ns");
		json_u64(&j, ev->time_ns - ev->start_ns);
	}
	json_key(&j, "comm");
	json_str(&j, t->comm);
	json_key(&j, "pid");
	json_u64(&j, ev->pid);
	json_key(&j, "tid");
	json_u64(&j, ev->tid);
	json_key(&j, "syscall");
	json_str(&j, call->desc->name);
	json_key(&j, "args");
	syscall_json_args(&j, &s->style, call);
	if (ev->type == TRACE_EVENT_CALL)
		syscall_json_result(&j, &s->style, call);
	json_end(&j);
	out_ch(&s->run->out, '\n');
}

static const char *keep_name(struct stream *s, const struct syscall_desc *d)
{
	return d->described ? d->name : arena_strdup(&s->names, d->name);
}

static void add_to_stats(struct stream *s, struct task *t, const struct trace_event *ev, const struct syscall_event *call)
{
	uint32_t key = call->desc->number + (ev->flags & TRACE_FLAG_COMPAT ? TRACE_NUMBERS : 0);
	bool all = s->run->o->by == SYSCALL_STATS_BY_NOTHING;
	if (!all && !t->stats)
		t->stats = syscall_stats_thread(&s->stats, t->tid, t->pid, t->comm, NULL) + 1;
	if (all && !s->stats.threads.len)
		syscall_stats_thread(&s->stats, 0, 0, "", NULL);
	struct syscall_stat *row = syscall_stats_row(&s->stats, all ? 0 : t->stats - 1, key, call->desc->name);
	if (!row->calls)
		row->name = keep_name(s, call->desc);
	syscall_stat_add(row, ev->start_ns ? ev->time_ns - ev->start_ns : 0, syscall_failed(ev->ret) ? (uint32_t)-ev->ret : 0);
}

/* Whether a line is wanted; the kernel has chosen already where no statistics are made of all. */
static bool is_wanted(const struct stream *s, const struct trace_event *ev)
{
	const struct trace_options *o = s->run->o;
	if (!o->with_summary)
		return true;
	if (o->failure && (ev->type != TRACE_EVENT_CALL || !syscall_failed(ev->ret)))
		return false;
	return !o->duration_set ||
	       (ev->type == TRACE_EVENT_CALL && ev->start_ns && (double)(ev->time_ns - ev->start_ns) > o->duration_ms * 1e6);
}

static void take_call(struct stream *s, const struct trace_event *ev, size_t bytes)
{
	const struct syscall_table *table = ev->flags & TRACE_FLAG_COMPAT ? s->run->compat : s->run->native;
	const struct syscall_desc *desc = table ? syscall_table_get(table, ev->number) : NULL;
	struct syscall_desc unknown;
	char name[24];
	struct syscall_event call;
	if (!desc) {
		unknown = syscall_desc_unknown(ev->flags & TRACE_FLAG_COMPAT ? &arch_i386 : arch_native(), ev->number, &name);
		desc = &unknown;
	}
	call.desc = desc;
	const uint64_t *args = (const uint64_t *)(ev + 1);
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		call.arg[i] = i < ev->args_nr ? args[i] : 0;
	call.ret = ev->ret;
	call.has_ret = ev->type == TRACE_EVENT_CALL;
	call.pid = ev->pid;
	call.payload.nr = 0;
	size_t head = sizeof(*ev) + ev->args_nr * sizeof(uint64_t);
	syscall_payload_add(&call.payload, (const uint8_t *)ev + head, bytes - head);
	struct task *t = task_of(s, ev->tid, ev->pid);
	if (call.has_ret && s->run->o->with_summary)
		add_to_stats(s, t, ev, &call);
	if (call.has_ret && call.ret >= 0)
		follow_fds(s, &call);
	if (!is_wanted(s, ev))
		return;
	if (!s->first_ns)
		s->first_ns = ev->start_ns ? ev->start_ns : ev->time_ns;
	if (s->run->o->json)
		print_json(s, t, ev, &call);
	else
		print_text(s, t, ev, &call);
	s->lines++;
	s->ended |= s->run->o->max_events && s->lines >= s->run->o->max_events;
}

static bool take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct stream *s = ctx;
	const uint64_t *args = (const uint64_t *)(ev + 1);
	switch (ev->type) {
	case TRACE_EVENT_CALL:
	case TRACE_EVENT_ENTERED:
		take_call(s, ev, bytes);
		break;
	case TRACE_EVENT_FORK:
		if (ev->args_nr >= 2) {
			struct task *t = task_of(s, (uint32_t)args[0], (uint32_t)args[1]);
			/* The number may have been another's. */
			*t = (struct task){ .tid = (uint32_t)args[0], .pid = (uint32_t)args[1] };
			name_task(s, t, ev, bytes);
			if (t->pid != ev->pid)
				forget_fds(s, t->pid);
		}
		break;
	case TRACE_EVENT_EXEC:
		forget_fds(s, ev->pid);
		name_task(s, task_of(s, ev->tid, ev->pid), ev, bytes);
		break;
	case TRACE_EVENT_RENAME:
		name_task(s, task_of(s, ev->tid, ev->pid), ev, bytes);
		break;
	default:
		break;
	}
	return !s->ended && !out_failed(&s->run->out);
}

/* --- the run --- */

/* First in the queue when the ring fills: at normal priority a busy CPU makes the reader late, and events are lost. */
static void raise_priority(void)
{
	struct sched_param p = { .sched_priority = 1 };
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p))
		log_info("reading at normal priority: real-time is not permitted (CAP_SYS_NICE, ulimit -r)");
}

static struct strobe_error *stream_open(struct trace_run *r)
{
	const struct trace_options *o = r->o;
	struct stream *s = xcalloc(1, sizeof(*s));
	s->run = r;
	r->state = s;
	s->style = (struct syscall_style){ .layout = o->strace_style ? SYSCALL_STRACE : SYSCALL_NAMED,
					   .str_limit = (uint32_t)o->str_limit, .fd_text = fd_text, .pid_text = pid_text,
					   .ctx = s };
	s->stats.by = o->by;
	arena_init(&s->stats.arena);
	arena_init(&s->names);
	struct stream_options options = {
		.native = r->native,
		.compat = r->compat,
		.failures_only = o->failure && !o->with_summary,
		.longer_than_ns = o->duration_set && !o->with_summary ? (uint64_t)(o->duration_ms * 1e6) : 0,
		.str_limit = (uint32_t)o->str_limit,
		.ring_bytes = o->ring_bytes,
	};
	TRY(stream_tracer_open(&r->whom, &options, &s->tracer));
	raise_priority();
	return NULL;
}

static void stream_enable(struct trace_run *r, bool on)
{
	stream_tracer_enable(((struct stream *)r->state)->tracer, on);
}

static struct strobe_error *stream_tick(struct trace_run *r, bool last, bool *ret_end)
{
	struct stream *s = r->state;
	uint64_t before = s->lines;
	stream_tracer_drain(s->tracer, take_event, s);
	/* Somebody watches: what is here is shown; a fast stream is written in large pieces. */
	if (s->lines - before < 1000)
		out_flush(&r->out);
	*ret_end = s->ended || out_failed(&r->out);
	return NULL;
}

static struct strobe_error *stream_finish(struct trace_run *r)
{
	struct stream *s = r->state;
	bool end;
	stream_tracer_stop(s->tracer);
	TRY(stream_tick(r, true, &end));
	uint64_t lost = stream_tracer_lost(s->tracer);
	if (lost)
		cmd_say(r->ctx, "%llu events are lost: the buffer was full (make it larger with -m, or choose calls with -e)",
			(unsigned long long)lost);
	if (r->o->with_summary) {
		syscall_stats_finish(&s->stats);
		trace_print_stats(r, &s->stats);
	}
	return NULL;
}

static void stream_close(struct trace_run *r)
{
	struct stream *s = r->state;
	stream_tracer_close(s->tracer);
	syscall_stats_deinit(&s->stats);
	arena_deinit(&s->names);
	u64map_deinit(&s->task_of);
	u64map_deinit(&s->fds);
	for (size_t i = 0; i < s->paths.len; i++)
		free(s->paths.data[i]);
	vec_deinit(&s->paths);
	vec_deinit(&s->tasks);
	free(s);
}

const struct trace_hooks trace_stream_hooks = {
	.open = stream_open,
	.enable = stream_enable,
	.tick = stream_tick,
	.finish = stream_finish,
	.close = stream_close,
	.tick_ms = TICK_MS,
};
