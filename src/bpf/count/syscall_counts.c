#include "bpf/count/syscall_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/syscalls.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/count/clocks.h"
#include "bpf/count/syscall_counts_shared.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"
#include "sys/cpus.h"

#if HAVE_BPF_PROGRAMS
#include "syscall_counts.inc"
#else
static const struct bpf_image syscall_counts_image;
#endif

/* Closing fewer events than this takes no longer than loading the programs. */
#define EVENTS_MIN 2

struct syscall_counts {
	struct count_source source;
	const struct counter_set *set;
	struct bpf_loaded *loaded;
	struct syscall_settings settings;
	uint32_t cpus;
	struct count_clocks clocks;
	struct syscall_state *state;
	uint64_t *enter, *exits; /* tables of counts, mapped */
	uint32_t *number_of;    /* of each event of the set; NOT_OURS, ALL_CALLS */
	bool *at_exit;
	bool reported_dropped;
};

#define NOT_OURS  UINT32_MAX
#define ALL_CALLS (UINT32_MAX - 1)

static uint32_t number_of_raw(const struct event *e, bool *ret_at_exit)
{
	*ret_at_exit = !strcmp(e->tracepoint, "sys_exit");
	return *ret_at_exit || !strcmp(e->tracepoint, "sys_enter") ? ALL_CALLS : NOT_OURS;
}

/* The number of the call that a tracepoint of this system counts, or ALL_CALLS; NOT_OURS for other events. */
static uint32_t number_of(const struct event *e, bool *ret_at_exit)
{
	const struct arch *arch = arch_native();
	if (!arch || e->kind != EVENT_TRACEPOINT || !e->system)
		return NOT_OURS;
	if (!strcmp(e->system, "raw_syscalls"))
		return number_of_raw(e, ret_at_exit);
	if (strcmp(e->system, "syscalls") != 0)
		return NOT_OURS;
	*ret_at_exit = text_has_prefix(e->tracepoint, "sys_exit_");
	size_t skip = *ret_at_exit ? strlen("sys_exit_") : strlen("sys_enter_");
	if (!*ret_at_exit && !text_has_prefix(e->tracepoint, "sys_enter_"))
		return NOT_OURS;
	const struct arch_syscall *call = arch_syscall_by_entry(arch, e->tracepoint + skip);
	return call && call->number < SYSCALL_OTHERS ? call->number : NOT_OURS;
}

/* number_of() for an event of the set; NOT_OURS if it has an attribute that prevents counting it here. */
static uint32_t number_in_set(const struct counter_set *set, uint32_t i, bool *ret_at_exit)
{
	const struct counter_event *e = &set->events.data[i];
	bool alone = e->leader == i && (i + 1 >= set->events.len || set->events.data[i + 1].leader != i);
	bool plain = alone && !e->source && !e->event->filter && !e->event->cgroup && !e->attr.exclude_kernel &&
		     !e->attr.exclude_user && !e->attr.pinned && !e->attr.exclusive;
	return plain ? number_of(e->event, ret_at_exit) : NOT_OURS;
}

static bool same_inherit(const struct counter_set *set, uint32_t a, uint32_t b)
{
	return set->events.data[a].attr.inherit == set->events.data[b].attr.inherit;
}

bool syscall_counts_fit(const struct counter_set *set)
{
	size_t n = 0;
	uint32_t first = 0;
	bool at_exit;
	for (uint32_t i = 0; i < set->events.len && n < EVENTS_MIN; i++) {
		uint32_t number = number_in_set(set, i, &at_exit);
		/* An event on all calls costs each call more than the program does. */
		if (number == ALL_CALLS)
			return true;
		if (number == NOT_OURS)
			continue;
		if (!n)
			first = i;
		n += same_inherit(set, first, i);
	}
	return n >= EVENTS_MIN;
}

/* --- reading --- */

static uint32_t table_bytes(const struct syscall_counts *c)
{
	return (c->cpus << SYSCALL_NUMBERS_SHIFT) * (uint32_t)sizeof(uint64_t);
}

static uint64_t row_sum(const uint64_t *table, uint32_t cpu, uint32_t number)
{
	const uint64_t *row = table + ((size_t)cpu << SYSCALL_NUMBERS_SHIFT);
	uint64_t sum = 0;
	if (number != ALL_CALLS)
		return row[number];
	for (uint32_t i = 0; i < SYSCALL_NUMBERS; i++)
		sum += row[i];
	return sum;
}

static uint64_t table_sum(const struct syscall_counts *c, const uint64_t *table, uint32_t number, int32_t cpu)
{
	uint64_t sum = 0;
	if (cpu >= 0)
		return (uint32_t)cpu < c->cpus ? row_sum(table, (uint32_t)cpu, number) : 0;
	for (uint32_t i = 0; i < c->cpus; i++)
		sum += row_sum(table, i, number);
	return sum;
}

static struct strobe_error *source_read(struct count_source *s, struct counter_set *set)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	size_t clocks = c->clocks.fds.len;
	_cleanup_free_ struct count_reading *times = xcalloc(clocks + 1, sizeof(*times));
	for (size_t k = 0; k < clocks; k++)
		count_clocks_read(&c->clocks, k, &times[k]);
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		if (e->source != s)
			continue;
		for (uint32_t k = 0; k < e->slots_nr && k < clocks; k++) {
			struct counter_slot *slot = &set->slots.data[e->first_slot + k];
			/* Tasks are counted together, in the first slot. */
			bool empty = slot->cpu < 0 && k;
			slot->now = times[k];
			slot->now.value = empty ? 0 : table_sum(c, c->at_exit[i] ? c->exits : c->enter, c->number_of[i], slot->cpu);
		}
	}
	if (c->state->dropped && !c->reported_dropped) {
		c->reported_dropped = true;
		log_warn("%u tasks could not be followed (there is room for %d): their system calls are not counted",
			 c->state->dropped, FOLLOWED_TASKS_MAX);
	}
	return NULL;
}

static struct strobe_error *source_enable(struct count_source *s, bool on)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	count_clocks_enable(&c->clocks, c->set->sys, on);
	__atomic_store_n(&c->state->enabled, on, __ATOMIC_SEQ_CST);
	return NULL;
}

static void source_destroy(struct count_source *s)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	bpf_unload(c->loaded);
	count_clocks_deinit(&c->clocks);
	free(c->number_of);
	free(c->at_exit);
	free(c);
}

/* A run begins: its command's process, zero counts, clocks on the new tasks. */
static struct strobe_error *source_open(struct count_source *s, pid_t leader)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	count_clocks_close(&c->clocks);
	*c->state = (struct syscall_state){ .leader = (uint32_t)leader };
	if (c->enter)
		memset(c->enter, 0, table_bytes(c));
	if (c->exits)
		memset(c->exits, 0, table_bytes(c));
	return count_clocks_open(&c->clocks, c->set, s);
}

static const struct count_source_ops ops = {
	.open = source_open,
	.read = source_read,
	.enable = source_enable,
	.destroy = source_destroy,
};

/* --- setting up --- */

static struct strobe_error *check_kernel(const struct sys *sys)
{
	if (arch_native() != &arch_x86_64)
		return error_create(ERROR_UNSUPPORTED, "system calls are counted by BPF on x86-64 only");
	return bpf_check_pid_namespace(sys);
}

static struct strobe_error *map_table(struct syscall_counts *c, const char *name, uint64_t **ret)
{
	void *p;
	TRY(bpf_map_memory(c->loaded, name, table_bytes(c), &p));
	*ret = p;
	return NULL;
}

static struct strobe_error *fill(struct syscall_counts *c, bool entries, bool exits)
{
	void *state;
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(struct syscall_state), &state));
	c->state = state;
	if (entries)
		TRY(map_table(c, "entries", &c->enter));
	if (exits)
		TRY(map_table(c, "exits", &c->exits));
	if (c->settings.everyone || c->settings.has_leader)
		return NULL;
	for (size_t i = 0; i < c->set->map->threads.len; i++)
		TRY(bpf_map_set(bpf_map_of(c->loaded, "targets"), &c->set->map->threads.data[i].tid, &(uint32_t){ 1 }));
	return NULL;
}

static struct strobe_error *load(struct syscall_counts *c, bool inherit)
{
	const char *without[6] = {};
	size_t n = 0;
	bool entries = false, exits = false;
	for (uint32_t i = 0; i < c->set->events.len; i++) {
		entries |= c->number_of[i] != NOT_OURS && !c->at_exit[i];
		exits |= c->number_of[i] != NOT_OURS && c->at_exit[i];
	}
	if (!entries)
		without[n++] = "count_entry";
	if (!exits)
		without[n++] = "count_exit";
	if (c->settings.everyone || !inherit) {
		without[n++] = "follow_fork";
		without[n++] = "forget_task";
	}
	if (c->settings.everyone)
		without[n++] = "follow_exec";
	/* The process of a command is in the state and needs no entry. One entry more than a power of two would double the buckets and
	 * the time to allocate them. */
	uint32_t named = c->settings.has_leader ? 0 : (uint32_t)c->set->map->threads.len;
	const struct bpf_map_size sizes[] = {
		{ "entries", entries ? c->cpus : 1, 0 },
		{ "exits", exits ? c->cpus : 1, 0 },
		{ "targets", c->settings.everyone ? 1 : named + FOLLOWED_TASKS_MAX, 0 },
		{},
	};
	struct bpf_load_options load = {
		.sys = c->set->sys,
		.image = &syscall_counts_image,
		.settings = &c->settings,
		.settings_bytes = sizeof(c->settings),
		.sizes = sizes,
		.without = without,
	};
	TRY(bpf_load(&load, &c->loaded));
	TRY(fill(c, entries, exits));
	return bpf_attach(c->loaded);
}

/* Selects the events to take over; the first of them determines whether tasks inherit. */
static size_t choose(struct syscall_counts *c, bool *ret_inherit)
{
	const struct counter_set *set = c->set;
	size_t taken = 0;
	uint32_t first = 0;
	c->number_of = xcalloc(set->events.len + 1, sizeof(*c->number_of));
	c->at_exit = xcalloc(set->events.len + 1, sizeof(*c->at_exit));
	for (uint32_t i = 0; i < set->events.len; i++) {
		c->number_of[i] = number_in_set(set, i, &c->at_exit[i]);
		if (c->number_of[i] == NOT_OURS)
			continue;
		if (!taken)
			first = i;
		if (same_inherit(set, first, i))
			taken++;
		else
			c->number_of[i] = NOT_OURS;
	}
	*ret_inherit = taken && set->events.data[first].attr.inherit;
	return taken;
}

struct strobe_error *syscall_counts_take(struct counter_set *set, bool has_leader, size_t *ret_taken)
{
	*ret_taken = 0;
	TRY(check_kernel(set->sys));
	struct syscall_counts *c = xcalloc(1, sizeof(*c));
	bool inherit;
	c->source.ops = &ops;
	c->set = set;
	c->cpus = sys_cpus_possible_nr(set->sys);
	size_t taken = choose(c, &inherit);
	c->settings = (struct syscall_settings){
		.everyone = set->map->system_wide,
		.has_leader = has_leader,
		.threads_of_leader = inherit,
		.enabled_by_exec = set->options.start == COUNTER_START_ON_EXEC,
	};
	struct strobe_error *err = load(c, inherit);
	if (err) {
		source_destroy(&c->source);
		return err;
	}
	for (uint32_t i = 0; i < set->events.len; i++)
		if (c->number_of[i] != NOT_OURS)
			set->events.data[i].source = &c->source;
	counter_add_source(set, &c->source);
	*ret_taken = taken;
	return NULL;
}
