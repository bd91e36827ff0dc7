#include "bpf/trace/trace_targets.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"

/*
 * The maximum number of tasks at a time that the targets have started. With the usual number of named ones this gives 16384: the kernel
 * creates the next power of two of buckets whenever a trace starts, at 13 us per thousand.
 */
#define STARTED_MAX (16384 - NAMED_USUAL)
#define NAMED_USUAL 64

const struct syscall_desc *trace_targets_call(const struct trace_targets *t, uint32_t call)
{
	const struct syscall_table *table = call < TRACE_NUMBERS ? t->native : t->compat;
	return table ? syscall_table_get(table, call % TRACE_NUMBERS) : NULL;
}

enum trace_call_kind trace_call_kind(const struct syscall_desc *d)
{
	static const struct {
		const char *name;
		enum trace_call_kind kind;
	} kinds[] = {
		{ "clone", TRACE_CALL_STARTS },	    { "clone3", TRACE_CALL_STARTS },	  { "fork", TRACE_CALL_STARTS },
		{ "vfork", TRACE_CALL_STARTS },	    { "exit", TRACE_CALL_ENDS },	  { "exit_group", TRACE_CALL_ENDS },
		{ "execve", TRACE_CALL_EXECUTES }, { "execveat", TRACE_CALL_EXECUTES_AT },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (text_equal(kinds[i].name, d->name))
			return kinds[i].kind;
	return TRACE_CALL_OTHER;
}

bool trace_targets_have_calls(const struct trace_targets *t)
{
	bool any = t->all_calls;
	for (size_t i = 0; i < TRACE_CALLS / 64; i++)
		any |= (t->selected[i] | t->points[i]) != 0;
	return any;
}

struct strobe_error *trace_targets_check(const struct sys *sys)
{
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	return bpf_check_pid_namespace(sys);
}

uint32_t trace_targets_room(const struct trace_targets *t)
{
	return t->map->system_wide ? 1 : (uint32_t)t->map->threads.len + STARTED_MAX;
}

void trace_targets_settings(const struct trace_targets *t, struct trace_settings *s)
{
	s->self = (uint32_t)getpid();
	s->everyone = t->map->system_wide;
	s->inherit = t->inherit;
	s->has_leader = t->leader && !t->starts_enabled && !t->delayed;
	s->extras.by_cpu = t->by_cpu;
	s->extras.by_cgroup = t->cgroup != NULL;
	s->extras.excludes = t->excluded_nr != 0;
	s->select_all = t->all_calls;
	s->began_ns = sys_clock_ns(t->sys, CLOCK_MONOTONIC);
	for (size_t i = 0; i < TRACE_CALLS / 64; i++)
		s->extras.points |= t->points[i] != 0;
}

static struct strobe_error *fill_cgroup(const struct trace_targets *t, int map)
{
	_cleanup_close_ int fd = open(t->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open the cgroup %s", t->cgroup);
	return error_prefix(bpf_map_set(map, &(uint32_t){ 0 }, &fd), "-G %s: not a cgroup of version 2", t->cgroup);
}

struct strobe_error *trace_targets_fill(const struct trace_targets *t, struct bpf_loaded *b)
{
	int targets = bpf_map_of(b, "targets"), excluded = bpf_map_of(b, "excluded"), cpus = bpf_map_of(b, "cpus");
	uint32_t one = 1;
	if (!t->map->system_wide)
		for (size_t i = 0; i < t->map->threads.len; i++)
			TRY(bpf_map_set(targets, &t->map->threads.data[i].tid, &one));
	for (size_t i = 0; i < t->excluded_nr; i++)
		TRY(bpf_map_set(excluded, &t->excluded[i], &one));
	for (size_t i = 0; t->by_cpu && i < t->map->cpus.len; i++)
		TRY(bpf_map_set(cpus, &t->map->cpus.data[i], &one));
	return t->cgroup ? fill_cgroup(t, bpf_map_of(b, "cgroup")) : NULL;
}

/* Any exec may return with the number of execve. */
static void choose_ends_of_execs(struct trace_control *control)
{
	bool executes = false;
	for (size_t i = 0; i < TRACE_CALLS; i++)
		executes |= control->selected[i] && control->kind[i] == TRACE_CALL_EXECUTES_AT;
	for (size_t i = 0; executes && i < TRACE_CALLS; i++)
		control->chosen[i % TRACE_NUMBERS] |= control->kind[i] == TRACE_CALL_EXECUTES;
}

void trace_targets_control(const struct trace_targets *t, struct trace_control *control)
{
	control->leader = (uint32_t)t->leader;
	for (uint32_t i = 0; i < TRACE_CALLS; i++) {
		const struct syscall_desc *d = trace_targets_call(t, i);
		control->kind[i] = d ? (uint8_t)trace_call_kind(d) : TRACE_CALL_OTHER;
	}
	for (size_t i = 0; i < TRACE_CALLS; i++)
		control->selected[i] = (t->all_calls || (t->selected[i / 64] >> i % 64 & 1) ? TRACE_SELECTED_CALL : 0) |
				       (t->points[i / 64] >> i % 64 & 1 ? TRACE_SELECTED_POINT : 0);
	for (size_t i = 0; i < TRACE_NUMBERS; i++)
		control->chosen[i] = control->selected[i] || control->selected[i + TRACE_NUMBERS];
	choose_ends_of_execs(control);
	/* -1: the number of a return from a signal handler is -1 at its end. */
	control->chosen[TRACE_NUMBERS - 1] = 1;
	for (size_t i = 0; !t->map->system_wide && i < t->map->threads.len; i++)
		control->near[(uint32_t)t->map->threads.data[i].tid % TRACE_NEAR] = 1;
}
