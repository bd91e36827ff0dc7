/*
 * trace without BPF: the tracepoints of raw_syscalls through the kernel's rings, which wake us when a part of them is full.
 * Statistics are made here, too. What pointers point at is not in these events.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/syscalls.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "capture/session.h"
#include "cmd/trace/rings.h"
#include "cmd/trace/show.h"
#include "record/order.h"
#include "tracing/live.h"

#define TICK_MS 100 /* somebody watches, however slowly a ring fills */

struct rings {
	struct event_set events;
	bool events_given; /* to the capture, which frees them */
	struct capture *capture;
	struct trace_live live;
	struct record_source *ordered;
	struct trace_events *calls;
};

struct strobe_error *trace_rings_check(const struct trace_run *r)
{
	if (r->o->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_UNSUPPORTED, "--summary-mode cgroup requires BPF");
	if ((r->o->signals_set && r->o->signals) || (r->o->processes_set && r->o->processes))
		return error_create(ERROR_UNSUPPORTED, "--signals and --processes require BPF");
	if (r->o->sched)
		return error_create(ERROR_UNSUPPORTED, "--sched requires BPF");
	if (r->o->path)
		return error_create(ERROR_UNSUPPORTED, "-P requires BPF: tracepoints have no paths");
	return NULL;
}

static void set_filter(struct event_list *list, struct event *e, const struct syscall_set *calls)
{
	_cleanup_free_ char *filter = trace_calls_filter(calls);
	e->filter = arena_strdup(&list->arena, filter);
}

/* On x86 execveat ends with the number of execve. */
static void add_ends_of_execs(const struct trace_run *r, struct syscall_set *calls)
{
	const struct syscall_desc *at = syscall_table_find(r->native, "execveat"), *plain = syscall_table_find(r->native, "execve");
	if (at && plain && syscall_set_has(&r->chosen, at->number))
		calls->bits[plain->number / 64] |= 1ULL << plain->number % 64;
}

struct strobe_error *trace_rings_add_calls(const struct trace_run *r, struct event_list *list)
{
	size_t first = list->events.len;
	TRY(event_parse(list, r->sys, "raw_syscalls:sys_enter,raw_syscalls:sys_exit"));
	if (!r->o->calls)
		return NULL;
	/* Which width a call is of is known when its sample comes. */
	struct syscall_set either = r->chosen;
	for (size_t i = 0; i < SYSCALL_NUMBERS / 64; i++)
		either.bits[i] |= r->compat_chosen.bits[i];
	set_filter(list, &list->events.data[first], &either);
	add_ends_of_execs(r, &either);
	set_filter(list, &list->events.data[first + 1], &either);
	return NULL;
}

struct call_pairs_setup trace_rings_pairs(const struct trace_run *r)
{
	return (struct call_pairs_setup){
		.lines = r->lines,
		.calls = r->native,
		.compat_calls = r->compat,
		.chosen = r->o->calls ? &r->chosen : NULL,
		.compat_chosen = r->o->calls ? &r->compat_chosen : NULL,
		.user_frames = !r->o->kernel_graph,
	};
}

static struct trace_events *events_of(const struct trace_run *r, const struct env *env)
{
	struct call_pairs_setup pairs = trace_rings_pairs(r);
	struct trace_events_setup setup = {
		.env = env,
		.lines = r->lines,
		.native = r->native,
		.pairs = &pairs,
		.excluded = r->o->excluded.data,
		.excluded_nr = r->o->excluded.len,
	};
	return trace_events_create(&setup);
}

uint64_t trace_call_registers(void)
{
	const struct arch *a = arch_native();
	size_t calls;
	if (!a || !a->compat || !arch_syscalls(a->compat, &calls))
		return 0;
	return a->task_regs & -a->task_regs;
}

static struct strobe_error *add_events(const struct trace_run *r, struct event_set *events)
{
	struct event_list list;
	event_list_init(&list);
	struct strobe_error *err = trace_rings_add_calls(r, &list);
	if (!err && r->o->cgroup)
		err = event_list_set_cgroups(&list, r->o->cgroup);
	if (!err)
		event_set_add_list(events, &list);
	event_list_deinit(&list);
	return err;
}

static struct strobe_error *open_capture(struct trace_run *r, struct rings *s)
{
	const struct trace_options *o = r->o;
	struct capture_options options;
	capture_options_init(&options);
	options.target = r->target;
	options.freq_hz = 0;
	options.period = 1;
	options.period_set = true;
	options.raw_samples = true;
	options.user_regs = trace_call_registers();
	options.no_inherit = o->no_inherit;
	options.mmap_pages = o->ring_bytes_set ? o->ring_bytes >> 12 : 1024;
	options.delay_ms = o->delay_ms ? -1 : 0;
	options.no_bpf_event = true;
	s->events_given = true;
	TRY(capture_open(r->sys, &options, &s->events, r->traces_command ? r->workload.pid : 0, &s->capture));
	capture_exclude_thread(s->capture, (pid_t)syscall(SYS_gettid));
	return capture_apply_filters(s->capture);
}

static struct strobe_error *wait_for_more(void *ctx, bool *ret_end)
{
	struct trace_run *r = ctx;
	struct rings *s = r->state;
	trace_flush_lines(r);
	TRY(trace_wait(r, TICK_MS));
	/* Without this the poll descriptor stays readable. */
	capture_tasks_gone(s->capture, 0);
	*ret_end = r->ended;
	if (r->ended)
		capture_disable(s->capture);
	return NULL;
}

static void executes(void *ctx, uint32_t pid)
{
	trace_follow_exec(ctx, pid);
}

static struct strobe_error *rings_open(struct trace_run *r)
{
	struct rings *s = xcalloc(1, sizeof(*s));
	r->state = s;
	event_set_init(&s->events, r->sys);
	TRY(trace_rings_check(r));
	TRY(add_events(r, &s->events));
	TRY(open_capture(r, s));
	s->live = (struct trace_live){ .rings = capture_source(s->capture), .wait = wait_for_more, .executes = executes, .ctx = r };
	s->ordered = order_create(trace_live_source(&s->live, NULL, 0));
	trace_begin_lines(r, (struct trace_source_facts){
		.live = true,
		.files = trace_sees_files(r) ? OPEN_FILES_FOLLOWED : OPEN_FILES_ASKED,
	});
	trace_ask_targets(r, trace_lines_tasks(r->lines));
	s->calls = events_of(r, capture_env(s->capture));
	r->wake_fd = capture_poll_fd(s->capture, 0);
	trace_raise_priority();
	capture_start(s->capture);
	return NULL;
}

static void rings_enable(struct trace_run *r, bool on)
{
	struct rings *s = r->state;
	if (on)
		capture_enable(s->capture);
	else
		capture_disable(s->capture);
}

static struct strobe_error *rings_run(struct trace_run *r)
{
	struct rings *s = r->state;
	struct strobe_error *err = trace_events_read(s->calls, s->ordered);
	r->ended = true;
	return err;
}

static struct strobe_error *sink_nothing(struct record_sink *sink, const void *records, size_t bytes)
{
	return NULL;
}

static struct strobe_error *rings_finish(struct trace_run *r)
{
	struct rings *s = r->state;
	struct record_sink nothing = { .write = sink_nothing };
	capture_disable(s->capture);
	trace_events_finish(s->calls);
	TRY(capture_finish(s->capture, &nothing));
	struct capture_totals totals = capture_totals(s->capture);
	uint64_t lost = totals.lost_samples > totals.lost_events ? totals.lost_samples : totals.lost_events;
	if (lost)
		cmd_say(r->ctx, "%llu events were lost: the buffers were full (use larger ones, -m, or select system calls, -e)",
			(unsigned long long)lost);
	trace_say_damaged(r, s->calls);
	trace_end_lines(r);
	trace_show_stats(r);
	return NULL;
}

static void rings_close(struct trace_run *r)
{
	struct rings *s = r->state;
	trace_events_destroy(s->calls);
	source_destroy(s->ordered);
	if (s->capture) {
		capture_close_behind(s->capture);
		capture_close(s->capture);
	} else if (!s->events_given) {
		event_set_deinit(&s->events);
	}
	r->wake_fd = -1;
	free(s);
}

const struct trace_hooks trace_rings_hooks = {
	.open = rings_open,
	.enable = rings_enable,
	.run = rings_run,
	.finish = rings_finish,
	.close = rings_close,
};
