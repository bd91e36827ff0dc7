/*
 * "Did you mean": the nearest name that this machine has.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/names.h"
#include "event/parse_priv.h"
#include "event/tracepoint.h"

typedef VEC(const char *) name_list;

struct search {
	struct arena *arena;
	name_list names; /* names to compare with the mistyped one */
	name_list full;  /* the full name of each, to be typed */
	const char *name;
	const char *exact; /* a tracepoint whose name, without its system, is the given one */
};

static void add(struct search *s, const char *name, const char *full)
{
	vec_push(&s->names, arena_strdup(s->arena, name));
	vec_push(&s->full, full == name ? vec_last(&s->names) : arena_strdup(s->arena, full));
}

static const char *nearest(struct search *s)
{
	const char *near = s->exact ? NULL : text_nearest(s->name, s->names.data, s->names.len);
	const char *full = s->exact;
	for (size_t i = 0; near && i < s->names.len && !full; i++)
		if (s->names.data[i] == near)
			full = s->full.data[i];
	vec_deinit(&s->names);
	vec_deinit(&s->full);
	return full;
}

static bool collect(void *ctx, const struct event_name *n)
{
	struct search *s = ctx;
	if (n->group == EVENT_GROUP_TRACEPOINT) {
		const char *colon = strchr(n->name, ':');
		if (colon && !strcmp(colon + 1, s->name) && !s->exact)
			s->exact = arena_strdup(s->arena, n->name);
		if (colon)
			add(s, colon + 1, n->name);
		return true;
	}
	add(s, n->name, n->name);
	if (n->alias)
		add(s, n->alias, n->alias);
	return true;
}

const char *suggest_event(struct parser *p, const char *name)
{
	struct search s = { .arena = &p->scratch, .name = name };
	/* Groups that cannot be read give no suggestions. */
	_cleanup_error_ struct strobe_error *err = event_names_each(p->sys, EVENT_GROUP_ALL, collect, &s);
	return nearest(&s);
}

static const char *nearest_of(struct parser *p, const char *name, sys_names *names)
{
	const char *near = text_nearest(name, (const char *const *)names->data, names->len);
	near = near ? arena_strdup(&p->scratch, near) : NULL;
	sys_names_deinit(names);
	return near;
}

const char *suggest_tracepoint(struct parser *p, const char *system, const char *name)
{
	sys_names systems = {}, events = {};
	_cleanup_error_ struct strobe_error *err = tracepoint_events(p->sys, p->tracefs, system, &events);
	if (!err && events.len) {
		const char *near = nearest_of(p, name, &events);
		return near ? arena_printf(&p->scratch, "%s:%s", system, near) : NULL;
	}
	sys_names_deinit(&events);
	_cleanup_error_ struct strobe_error *no_systems = tracepoint_systems(p->sys, p->tracefs, &systems);
	const char *near_system = nearest_of(p, system, &systems);
	if (near_system) {
		sys_names there = {};
		_cleanup_error_ struct strobe_error *no_events =
			tracepoint_events(p->sys, p->tracefs, near_system, &there);
		bool has = false;
		for (size_t i = 0; i < there.len; i++)
			has |= !strcmp(there.data[i], name);
		const char *near = nearest_of(p, name, &there);
		return arena_printf(&p->scratch, "%s:%s", near_system, has ? name : near ? near : "*");
	}
	/* The system is known to be absent or user-defined: not a typing error. */
	if (suggest_kernel_option(system, name))
		return NULL;
	/* The right name in the wrong system. */
	struct search s = { .arena = &p->scratch, .name = name };
	_cleanup_error_ struct strobe_error *no_names = event_names_each(p->sys, EVENT_GROUP_TRACEPOINT, collect, &s);
	return nearest(&s);
}

const char *suggest_kernel_option(const char *system, const char *name)
{
	static const struct {
		const char *system, *name, *option;
	} rows[] = {
		{ "syscalls", "*", "this requires the kernel option CONFIG_FTRACE_SYSCALLS" },
		{ "raw_syscalls", "*", "this requires the kernel option CONFIG_HAVE_SYSCALL_TRACEPOINTS" },
		{ "sched", "sched_stat_*", "this requires the kernel option CONFIG_SCHEDSTATS" },
		{ "lock", "lock_*", "this requires the kernel option CONFIG_LOCK_STAT or CONFIG_LOCKDEP" },
		{ "kvm*", "*", "this requires the module kvm" },
		{ "ext4", "*", "this requires the module ext4" },
		{ "xfs", "*", "this requires the module xfs" },
		{ "btrfs", "*", "this requires the module btrfs" },
		{ "block", "*", "this requires the kernel option CONFIG_BLK_DEV_IO_TRACE or CONFIG_BLOCK" },
		{ "preemptirq", "*",
		  "this requires the kernel option CONFIG_TRACE_PREEMPT_TOGGLE or CONFIG_TRACE_IRQFLAGS" },
		{ "probe*", "*",
		  "probes are created with perf probe --add, or in kprobe_events or uprobe_events of tracefs" },
		{ "sdt_*", "*",
		  "markers are created with perf probe --add %sdt_PROVIDER:NAME, or in uprobe_events of tracefs" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (text_glob(rows[i].system, system) && text_glob(rows[i].name, name))
			return rows[i].option;
	return NULL;
}
