#include "bpf/trace/stream_tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "bpf/load/ring.h"
#include "bpf/trace/trace_funcs.h"
#include "bpf/trace/trace_maps.h"
#include "config.h"
#include "sys/cpus.h"
#include "sys/leave_behind.h"
#if HAVE_BPF_PROGRAMS
#include "trace_plain.inc"
#include "trace_stream.inc"
#else
static const struct bpf_image trace_plain_image, trace_stream_image;
#endif

/* The read position is published in steps: each update costs the writers a cache miss. */
#define GIVE_BACK_BYTES (64 << 10)
/* With few calls: one exit program each, and those that follow tasks. */
#define LINKS_MAX 64
#define PATH_FDS_MAX 65536

struct stream_tracer {
	struct bpf_loaded *loaded;
	struct trace_control *control;
	struct bpf_ring ring;
	uint64_t at, give_back_bytes; /* what has been read, and when that is published */
	int wake_fd;
	bool few_calls; /* by tracepoints of their own */
};

/* The maximum number of calls with tracepoints of their own: to attach and close more of them takes too long. */
#define FEW_CALLS 8

/* With few calls the end of each is attached to its tracepoint, and that of all when a 32-bit call begins. */
#define EXIT     "stream_exit"
#define FEW_EXIT "stream_few_exit"

/* Of all tasks, and of those of a cgroup. */
static const struct trace_func_programs func_programs[] = {
	{ "func_enter", "func_return", "func_exit", "kernel_func_enter", "kernel_func_return" },
	{ "cgroup_func_enter", "cgroup_func_return", "cgroup_func_exit", "kernel_func_enter", "kernel_func_return" },
};

_Static_assert(sizeof(struct trace_step) == sizeof(struct syscall_fetch), "one layout");
_Static_assert(offsetof(struct trace_plan, step) == offsetof(struct syscall_plan, step), "one layout");
_Static_assert(sizeof(struct trace_plan) % 8 == 0 && sizeof(struct trace_func) % 8 == 0 && sizeof(struct trace_func_row) % 8 == 0,
	       "the kernel's stride of an array");
_Static_assert(2 * TRACE_EVENT_MAX + 2 * TRACE_STACK_BYTES <= BPF_RING_RECORD_MAX, "the longest record: a stack, with two pages to spare");
_Static_assert(TRACE_STEPS == SYSCALL_STEPS && TRACE_NUMBERS == SYSCALL_NUMBERS, "one size");
_Static_assert(TRACE_ARGS == SYSCALL_ARGS && TRACE_PART_FILE == SYSCALL_PART_FILE, "one numbering");

/*
 * Calls after which the memory of their arguments may be gone (address space, mapping, the stack of a caller whose
 * memory another task shares and continues to use) or overwritten (offsets that are advanced).
 */
static bool forgets(const char *name)
{
	static const char *const names[] = { "execve", "execveat", "clone", "clone3", "vfork", "munmap", "rt_sigreturn",
					     "sigreturn", "exit", "exit_group", "mmap", "mremap", "shmdt",
					     "splice", "copy_file_range" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_equal(names[i], name))
			return true;
	return false;
}

static uint8_t fds_of(const struct stream_options *o, const struct syscall_desc *d)
{
	switch (d->fds) {
	case SYSCALL_FDS_PIPE:
		return 0 + 1;
	case SYSCALL_FDS_PAIR:
		return 3 + 1;
	case SYSCALL_FDS_CLOSED:
		return o->files ? TRACE_FDS_CLOSED : 0;
	case SYSCALL_FDS_MOVED:
	case SYSCALL_FDS_MOVED_TO:
		return TRACE_FDS_MOVED;
	default:
		return d->ret == SYSCALL_RET_FD ? TRACE_FDS_RESULT : 0;
	}
}

/* If all calls are traced, the file of the result is known from the arguments: a path, or another descriptor. */
static bool is_known_by_arguments(const struct syscall_desc *d)
{
	return d->fds == SYSCALL_FDS_OPENED || d->fds == SYSCALL_FDS_OPENED_AT || d->fds == SYSCALL_FDS_COPIED;
}

/* at: enum syscall_fetch_at of a step; waits: the one at entry can be taken at the end. */
static uint8_t when_of(uint8_t at, bool waits)
{
	unsigned when = 0;
	if (at & SYSCALL_AT_ENTRY)
		when |= TRACE_WHEN_POINT | (waits ? TRACE_WHEN_SLEEPS | TRACE_WHEN_RETURNS | TRACE_WHEN_FAILS : TRACE_WHEN_ENTERS);
	if (at & SYSCALL_AT_EXIT)
		when |= TRACE_WHEN_RETURNS | (at & SYSCALL_FETCH_ON_ERROR ? TRACE_WHEN_FAILS : 0);
	return (uint8_t)when;
}

/* The plan, with the steps that can wait until the call ends. */
static struct trace_plan plan_of(const struct stream_options *o, const struct syscall_desc *d)
{
	struct trace_plan plan = {};
	memcpy(&plan, &d->plan, sizeof(d->plan) < offsetof(struct trace_plan, at_entry) ? sizeof(d->plan) :
				       offsetof(struct trace_plan, at_entry));
	plan.no_return = trace_call_kind(d) == TRACE_CALL_ENDS;
	if (o->only_results) {
		plan.steps_nr = 0;
		return plan;
	}
	plan.fds = fds_of(o, d);
	if (o->files)
		plan.files = d->fd_args | TRACE_FILE_OF_RESULT;
	else if (!is_known_by_arguments(d))
		plan.files = TRACE_FILE_OF_RESULT;
	if (!(plan.fds & (TRACE_FDS_RESULT | TRACE_FDS_PAIR | TRACE_FDS_MOVED)))
		plan.files &= (uint8_t)~TRACE_FILE_OF_RESULT;
	bool forgetful = forgets(d->name);
	for (unsigned i = 0; i < plan.steps_nr && i < TRACE_STEPS; i++) {
		struct trace_step *s = &plan.step[i];
		bool written = s->at & SYSCALL_AT_EXIT;
		for (unsigned k = 0; k < plan.steps_nr && k < TRACE_STEPS; k++)
			written |= plan.step[k].arg == s->arg && (plan.step[k].at & SYSCALL_AT_EXIT);
		s->when = when_of(s->at, !written && !forgetful);
		plan.at_entry += (s->when & TRACE_WHEN_ENTERS) != 0;
	}
	return plan;
}

static void fill_plans(const struct trace_targets *t, const struct stream_options *o, struct trace_plan *plans)
{
	for (uint32_t call = 0; call < TRACE_CALLS; call++) {
		const struct syscall_desc *d = trace_targets_call(t, call);
		if (d)
			plans[call] = plan_of(o, d);
	}
}

/* A ring is readable as long as it is not empty; only its wake-ups matter here: edge-triggered. */
static struct strobe_error *open_wake(struct stream_tracer *s)
{
	struct epoll_event edge = { .events = EPOLLIN | EPOLLET };
	s->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->wake_fd < 0 || epoll_ctl(s->wake_fd, EPOLL_CTL_ADD, bpf_map_of(s->loaded, "ring"), &edge))
		return error_errno(errno, "cannot wait for the ring buffer");
	return NULL;
}

/* Fills the map of the program that the others tail-call. */
static struct strobe_error *fill_worker(struct stream_tracer *s)
{
	uint32_t slot = 0, program = (uint32_t)bpf_program_of(s->loaded, EXIT);
	return bpf_map_set(bpf_map_of(s->loaded, "worker"), &slot, &program);
}

static struct strobe_error *fill(struct stream_tracer *s, const struct trace_targets *t, const struct stream_options *o)
{
	void *bss, *plans, *funcs;
	TRY(trace_targets_fill(t, s->loaded));
	TRY(bpf_map_memory(s->loaded, "plans", sizeof(struct trace_plan) * TRACE_CALLS, &plans));
	fill_plans(t, o, plans);
	if (t->funcs) {
		TRY(bpf_map_memory(s->loaded, "funcs", t->funcs->nr * sizeof(*t->funcs->plans), &funcs));
		memcpy(funcs, t->funcs->plans, t->funcs->nr * sizeof(*t->funcs->plans));
	}
	TRY(bpf_map_memory(s->loaded, ".bss", sizeof(struct trace_control), &bss));
	s->control = bss;
	trace_targets_control(t, s->control);
	TRY(bpf_ring_map(s->loaded, "ring", o->ring_bytes, &s->ring));
	s->give_back_bytes = o->ring_bytes / 8 < GIVE_BACK_BYTES ? o->ring_bytes / 8 : GIVE_BACK_BYTES;
	return open_wake(s);
}

static struct strobe_error *name_path(struct trace_name *ret, const char *text)
{
	size_t n = text ? strlen(text) : 0;
	if (n > sizeof(ret->text))
		return error_create(ERROR_USAGE, "a path may have at most %zu bytes", sizeof(ret->text));
	if (n)
		memcpy(ret->text, text, n);
	ret->bytes = (uint32_t)n;
	return NULL;
}

static struct strobe_error *choose_path(const struct stream_path *path, struct trace_settings *ret)
{
	ret->extras.by_path = path->prefix ? TRACE_BY_PREFIX : TRACE_BY_FILE;
	ret->path_directory = path->directory_inode;
	ret->path_device = path->device;
	TRY(name_path(&ret->path[0], path->prefix ? path->prefix : path->name));
	return name_path(&ret->path[1], path->other);
}

static struct strobe_error *settings_of(const struct trace_targets *t, const struct stream_options *o,
					struct trace_settings *ret)
{
	*ret = (struct trace_settings){
		.extras = {
			.failures_only = o->failures_only,
			.longer_than_ns = o->longer_than_ns,
			.stacks = o->stacks,
			.kernel_stacks = o->kernel_stacks,
			.sched = o->sched,
		},
		.str_limit = o->str_limit,
		.stack_bytes = o->stack_bytes,
		.ring_wake_bytes = o->ring_bytes / 4,
		.ring_wait_bytes = o->no_wait ? UINT64_MAX : o->ring_bytes / 4 * 3,
		.ring_last_bytes = o->ring_bytes / 8 * 7,
	};
	if (o->path)
		TRY(choose_path(o->path, ret));
	trace_targets_settings(t, ret);
	return NULL;
}

static bool is_selected(const struct trace_targets *t, uint32_t call)
{
	return (t->selected[call / 64] | t->points[call / 64]) >> call % 64 & 1;
}

/*
 * Whether so few calls are selected that the end of each gets a tracepoint of its own: other calls then cost half as
 * much. Only for a command: existing tasks may be in the middle of a 32-bit call.
 */
static bool are_few(const struct trace_targets *t, const struct stream_options *o)
{
	unsigned n = 0;
	if (t->all_calls || !t->leader || t->map->system_wide)
		return false;
	/* Before Linux 6.13 programs of these tracepoints get the user's registers, from which the kernel's stack cannot be unwound. */
	if (o->kernel_stacks)
		return false;
	for (uint32_t call = 0; call < TRACE_NUMBERS; call++) {
		if (!is_selected(t, call))
			continue;
		const struct syscall_desc *d = trace_targets_call(t, call);
		/* Its number is lost when it ends. */
		if (!d || !strcmp(d->name, "rt_sigreturn"))
			return false;
		n++;
	}
	return n && n <= FEW_CALLS;
}

/* With few calls: attaches to the exit tracepoint of each; every exec ends at that of execve. */
static struct strobe_error *attach_ends(struct stream_tracer *s, const struct trace_targets *t)
{
	bool executes = false, executes_at = false;
	for (uint32_t call = 0; call < TRACE_NUMBERS; call++) {
		char name[80];
		if (!is_selected(t, call))
			continue;
		const struct syscall_desc *d = trace_targets_call(t, call);
		executes |= trace_call_kind(d) == TRACE_CALL_EXECUTES;
		executes_at |= trace_call_kind(d) == TRACE_CALL_EXECUTES_AT;
		snprintf(name, sizeof(name), "sys_exit_%s", d->entry);
		TRY(bpf_attach_tracepoint(s->loaded, FEW_EXIT, "syscalls", name));
	}
	return executes_at && !executes ? bpf_attach_tracepoint(s->loaded, FEW_EXIT, "syscalls", "sys_exit_execve") : NULL;
}

static struct strobe_error *attach(struct stream_tracer *s, const struct trace_targets *t)
{
	/* While the worker is still loading: calls that begin meanwhile count as begun before the trace. */
	TRY(bpf_attach(s->loaded));
	TRY(bpf_ready(s->loaded));
	TRY(fill_worker(s));
	if (s->few_calls)
		TRY(attach_ends(s, t));
	else if (trace_targets_have_calls(t))
		TRY(bpf_attach_program(s->loaded, EXIT));
	return trace_funcs_attach(t, &func_programs[t->cgroup != NULL], s->loaded);
}

/* The number of slots in which events of functions are built. */
static uint32_t func_slots(const struct trace_targets *t, const struct stream_options *o)
{
	bool fetches = o->stacks != TRACE_STACKS_NONE;
	for (uint32_t i = 0; t->funcs && i < t->funcs->nr; i++)
		fetches |= t->funcs->plans[i].steps_nr || t->funcs->plans[i].steps_result;
	return t->funcs && fetches ? sys_cpus_possible_nr(t->sys) * TRACE_FUNC_SLOTS_CPU : 1;
}

/* What is not loaded, and what is loaded but not attached. */
struct program_choice {
	const char *without[16], *later[4];
};

static void choose_programs(const struct trace_targets *t, const struct stream_options *o, bool few_calls, struct program_choice *ret)
{
	bool has_calls = trace_targets_have_calls(t);
	bool in_cgroup = t->cgroup;
	size_t n = trace_funcs_without(t->funcs, &func_programs[in_cgroup], ret->without);
	n += trace_funcs_without(NULL, &func_programs[!in_cgroup], ret->without + n) - 2; /* those of the kernel are the same */
	if (!o->signals)
		ret->without[n++] = "stream_signal";
	ret->without[n++] = bpf_kernel_is_since(t->sys, 6, 16) ? "stream_gone_uncounted" : "stream_gone";
	if (few_calls || !has_calls)
		ret->without[n++] = "stream_enter";
	if (!few_calls)
		ret->without[n++] = "stream_few_enter";
	if (!few_calls)
		ret->without[n++] = FEW_EXIT;
	if (!has_calls)
		ret->without[n++] = "stream_switch";
	n = 0;
	/* The others tail-call it. */
	ret->later[n++] = EXIT;
	if (few_calls)
		ret->later[n++] = FEW_EXIT;
}

/* Whether all programs of functions may sleep until memory is paged in. */
static bool can_touch(const struct trace_targets *t)
{
	return !t->cgroup && !trace_funcs_have_kernel(t->funcs) && bpf_probes_can_sleep(t->sys);
}

/* Of system calls, without extras. */
static bool is_plain(const struct trace_targets *t, const struct trace_settings *s)
{
	static const struct trace_extras none;
	return !t->funcs && !memcmp(&s->extras, &none, sizeof(none));
}

static struct strobe_error *open_by(const struct trace_targets *t, const struct stream_options *o, bool few_calls,
				    struct stream_tracer **ret)
{
	struct trace_settings settings;
	TRY(settings_of(t, o, &settings));
	settings.extras.few_calls = few_calls;
	settings.func_touches = can_touch(t);
	struct stream_tracer *s = xcalloc(1, sizeof(*s));
	s->few_calls = few_calls;
	s->wake_fd = -1;
	const struct bpf_map_size sizes[] = {
		{ "cpus", sys_cpus_possible_nr(t->sys) },
		{ "ring", (uint32_t)o->ring_bytes },
		{ "targets", trace_targets_room(t) },
		{ "funcs", t->funcs ? t->funcs->nr : 1 },
		{ "func_slots", func_slots(t, o) },
		{ "path_fds", settings.extras.by_path == TRACE_BY_PREFIX ? PATH_FDS_MAX : 1 },
		{},
	};
	struct program_choice programs = {};
	choose_programs(t, o, few_calls, &programs);
	struct bpf_load_options load = {
		.sys = t->sys,
		.image = is_plain(t, &settings) ? &trace_plain_image : &trace_stream_image,
		.settings = &settings,
		.settings_bytes = sizeof(settings),
		.sizes = sizes,
		.without = programs.without,
		.later = programs.later,
	};
	struct strobe_error *err = bpf_load(&load, &s->loaded);
	if (!err)
		err = fill(s, t, o);
	if (!err)
		err = attach(s, t);
	if (err) {
		stream_tracer_close(s);
		return err;
	}
	stream_tracer_enable(s, t->starts_enabled);
	*ret = s;
	return NULL;
}

struct strobe_error *stream_tracer_open(const struct trace_targets *t, const struct stream_options *o,
					struct stream_tracer **ret)
{
	TRY(trace_targets_check(t->sys));
	if (are_few(t, o)) {
		struct strobe_error *err = open_by(t, o, true, ret);
		if (!err)
			return NULL;
		log_info("using the tracepoints of all system calls: %s", err->message);
		error_destroy(err);
	}
	return open_by(t, o, false, ret);
}

void stream_tracer_enable(struct stream_tracer *s, bool on)
{
	__atomic_store_n(&s->control->enabled, on, __ATOMIC_SEQ_CST);
}

int stream_tracer_wake_fd(const struct stream_tracer *s)
{
	return s->wake_fd;
}

void stream_tracer_stop(struct stream_tracer *s)
{
	/* The tracepoints of single calls are closed at the end, by another process. */
	stream_tracer_enable(s, false);
	if (!s->few_calls)
		bpf_detach(s->loaded);
	/* But not the probes of functions: a probe that is set while another process removes the one before does not always fire (Linux
	 * 6.18). */
	else
		bpf_detach_probes(s->loaded);
}

/* Attaches the exit tracepoint of all calls: a 32-bit program or call has begun, and waits or was stopped, and its calls have no exit
 * tracepoints yet. */
static void attach_compat(struct stream_tracer *s)
{
	_cleanup_error_ struct strobe_error *err = bpf_attach_program(s->loaded, EXIT);
	if (err)
		log_warn("ends of 32-bit calls are not traced: %s", err->message);
	__atomic_store_n(&s->control->compat, TRACE_COMPAT_ATTACHED, __ATOMIC_SEQ_CST);
}

/* Continues the processes that were stopped for that. */
static void let_go_on(struct stream_tracer *s)
{
	for (size_t i = 0; i < TRACE_STOPPED; i++) {
		uint32_t pid = __atomic_exchange_n(&s->control->stopped[i], 0, __ATOMIC_SEQ_CST);
		if (pid)
			kill((pid_t)pid, SIGCONT);
	}
}

void stream_tracer_drain(struct stream_tracer *s, bool (*fn)(void *ctx, const struct trace_event *ev, size_t bytes), void *ctx)
{
	struct epoll_event woken;
	uint64_t end = __atomic_load_n(s->ring.producer, __ATOMIC_ACQUIRE);
	const struct trace_event *ev;
	uint32_t bytes;
	bool go_on = true;
	if (s->control->compat == TRACE_COMPAT_SEEN)
		attach_compat(s);
	if (s->few_calls)
		let_go_on(s);
	if (s->control->woken || s->few_calls)
		epoll_wait(s->wake_fd, &woken, 1, 0);
	while (go_on && (ev = bpf_ring_next(&s->ring, &s->at, end, &bytes))) {
		if (bytes >= sizeof(*ev) && bytes - sizeof(*ev) >= ev->args_nr * sizeof(uint64_t))
			go_on = fn(ctx, ev, bytes);
		if (s->at - *s->ring.consumer >= s->give_back_bytes)
			__atomic_store_n(s->ring.consumer, s->at, __ATOMIC_RELEASE);
	}
	if (!go_on)
		return;
	__atomic_store_n(s->ring.consumer, s->at, __ATOMIC_RELEASE);
	__atomic_store_n(&s->control->woken, 0, __ATOMIC_RELEASE);
}

uint64_t stream_tracer_began_ns(const struct stream_tracer *s)
{
	return __atomic_load_n(&s->control->began_ns, __ATOMIC_RELAXED);
}

struct stream_losses stream_tracer_losses(const struct stream_tracer *s)
{
	return (struct stream_losses){
		.events = s->control->lost,
		.others = s->control->lost_others,
		.missed = bpf_runs_missed(s->loaded),
		.unfollowed = s->control->unfollowed,
	};
}

uint64_t stream_tracer_waits(const struct stream_tracer *s)
{
	return s->control->waits;
}

void stream_tracer_dump(const struct stream_tracer *s, const char *map, struct out *out)
{
	trace_map_dump(s->loaded, TRACE_MAPS_STREAM, map, out);
}

void stream_tracer_leave_behind(const struct stream_tracer *s)
{
	int fds[LINKS_MAX];
	if (s && s->few_calls)
		sys_leave_behind(fds, bpf_link_fds(s->loaded, fds, LINKS_MAX), 0);
}

void stream_tracer_close(struct stream_tracer *s)
{
	if (!s)
		return;
	bpf_ring_unmap(&s->ring);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	bpf_unload(s->loaded);
	free(s);
}
