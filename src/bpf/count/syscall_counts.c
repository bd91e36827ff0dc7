#include "bpf/count/syscall_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/syscalls.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/count/syscall_programs.h"
#include "bpf/load/kernel_btf.h"
#include "sys/cpus.h"

/* Fewer events than these are closed about as fast as programs are loaded. */
#define EVENTS_MIN 2

struct syscall_counts {
	struct count_source source;
	const struct counter_set *set;
	struct syscall_programs programs;
	VEC(int) links;
	VEC(int) clocks;        /* dummy events: one for each slot that an event has */
	struct syscall_state *state;
	uint64_t *enter, *exits; /* tables of counts, mapped */
	size_t table_bytes;
	uint32_t *number_of;    /* of each event of the set; NOT_OURS, ALL_CALLS */
	bool *at_exit;
	bool said_dropped;
};

#define NOT_OURS  UINT32_MAX
#define ALL_CALLS (UINT32_MAX - 1)

static uint32_t number_of_raw(const struct event *e, bool *ret_at_exit)
{
	*ret_at_exit = !strcmp(e->tracepoint, "sys_exit");
	return *ret_at_exit || !strcmp(e->tracepoint, "sys_enter") ? ALL_CALLS : NOT_OURS;
}

/* The number of the call that a tracepoint of this system counts, or ALL_CALLS; NOT_OURS where it is none of them. */
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

static bool is_ours(const struct counter_set *set, uint32_t i)
{
	const struct counter_event *e = &set->events.data[i];
	bool at_exit, alone = e->leader == i && (i + 1 >= set->events.len || set->events.data[i + 1].leader != i);
	return alone && !e->source && !e->event->filter && !e->event->cgroup && !e->attr.exclude_kernel && !e->attr.exclude_user &&
	       !e->attr.pinned && !e->attr.exclusive && number_of(e->event, &at_exit) != NOT_OURS;
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
	for (uint32_t i = 0; i < set->events.len; i++) {
		if (!is_ours(set, i))
			continue;
		/* An event on all calls makes each dearer than the program does. */
		if (number_of(set->events.data[i].event, &at_exit) == ALL_CALLS)
			return true;
		if (!n)
			first = i;
		n += same_inherit(set, first, i);
	}
	return n >= EVENTS_MIN;
}

/* --- reading --- */

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
		return (uint32_t)cpu < c->programs.cpus ? row_sum(table, (uint32_t)cpu, number) : 0;
	for (uint32_t i = 0; i < c->programs.cpus; i++)
		sum += row_sum(table, i, number);
	return sum;
}

static void read_clock(int fd, struct count_reading *ret)
{
	uint64_t words[3] = {};
	if (fd >= 0 && read(fd, words, sizeof(words)) == sizeof(words)) {
		ret->enabled_ns = words[1];
		ret->running_ns = words[2];
	}
}

static struct strobe_error *source_read(struct count_source *s, struct counter_set *set)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	_cleanup_free_ struct count_reading *times = xcalloc(c->clocks.len + 1, sizeof(*times));
	for (size_t k = 0; k < c->clocks.len; k++)
		read_clock(c->clocks.data[k], &times[k]);
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		if (e->source != s)
			continue;
		for (uint32_t k = 0; k < e->slots_nr && k < c->clocks.len; k++) {
			struct counter_slot *slot = &set->slots.data[e->first_slot + k];
			/* Tasks are counted together: all of it stands in the first slot. */
			bool empty = slot->cpu < 0 && k;
			slot->now = times[k];
			slot->now.value = empty ? 0 : table_sum(c, c->at_exit[i] ? c->exits : c->enter, c->number_of[i], slot->cpu);
		}
	}
	if (c->state->dropped && !c->said_dropped) {
		c->said_dropped = true;
		log_warn("%u tasks could not be followed (there is room for %d): their system calls are not counted",
			 c->state->dropped, FOLLOWED_TASKS_MAX);
	}
	return NULL;
}

static struct strobe_error *source_enable(struct count_source *s, bool on)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	for (size_t k = 0; k < c->clocks.len; k++)
		if (c->clocks.data[k] >= 0)
			sys_ioctl(c->set->sys, c->clocks.data[k], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	__atomic_store_n(&c->state->enabled, on, __ATOMIC_SEQ_CST);
	return NULL;
}

static void close_clocks(struct syscall_counts *c)
{
	for (size_t i = 0; i < c->clocks.len; i++)
		if (c->clocks.data[i] >= 0)
			close(c->clocks.data[i]);
	vec_clear(&c->clocks);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(take_fd(*fd));
}

static void source_destroy(struct count_source *s)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	for (size_t i = 0; i < c->links.len; i++)
		close(c->links.data[i]);
	vec_deinit(&c->links);
	close_clocks(c);
	vec_deinit(&c->clocks);
	if (c->state)
		munmap(c->state, sizeof(*c->state));
	if (c->enter)
		munmap(c->enter, c->table_bytes);
	if (c->exits)
		munmap(c->exits, c->table_bytes);
	close_fd(&c->programs.state_fd);
	close_fd(&c->programs.tasks_fd);
	close_fd(&c->programs.enter_fd);
	close_fd(&c->programs.exit_fd);
	free(c->number_of);
	free(c->at_exit);
	free(c);
}

/* A run begins: its command's process, zero counts, clocks on the new tasks. */
static struct strobe_error *open_clocks(struct syscall_counts *c)
{
	const struct counter_set *set = c->set;
	const struct counter_event *first = NULL;
	for (uint32_t i = 0; i < set->events.len && !first; i++)
		first = set->events.data[i].source == &c->source ? &set->events.data[i] : NULL;
	struct perf_event_attr attr = first->attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.disabled = 1;
	attr.enable_on_exec = set->options.start == COUNTER_START_ON_EXEC;
	attr.sample_type = 0;
	for (uint32_t k = 0; k < first->slots_nr; k++) {
		const struct counter_slot *slot = &set->slots.data[first->first_slot + k];
		int fd = sys_perf_event_open(set->sys, &attr, set->map->threads.data[slot->thread].tid, slot->cpu, -1,
					     PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && fd != -ESRCH)
			return error_errno(-fd, "cannot open a dummy event for the time of system calls");
		vec_push(&c->clocks, fd < 0 ? -1 : fd);
	}
	return NULL;
}

static struct strobe_error *source_open(struct count_source *s, pid_t leader)
{
	struct syscall_counts *c = (struct syscall_counts *)s;
	close_clocks(c);
	*c->state = (struct syscall_state){ .leader = (uint32_t)leader };
	if (c->enter)
		memset(c->enter, 0, c->table_bytes);
	if (c->exits)
		memset(c->exits, 0, c->table_bytes);
	return open_clocks(c);
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
	if (!bpf_kernel_is_at_least(sys, 5, 11))
		return error_create(ERROR_UNSUPPORTED, "system calls are counted by BPF from Linux 5.11 on");
	return bpf_check_pid_namespace(sys);
}

static struct strobe_error *find_offsets(const struct sys *sys, struct syscall_programs *p)
{
	struct kernel_btf kernel;
	TRY(kernel_btf_open(sys, &kernel));
	const struct btf *btf = &kernel.btf;
	struct strobe_error *err = btf_offset(btf, "task_struct", (const char *const[]){ "thread_info", "status", NULL },
					      &p->status_offset);
	if (!err)
		err = btf_offset(btf, "task_struct", (const char *const[]){ "pid", NULL }, &p->pid_offset);
	if (!err)
		err = btf_offset(btf, "task_struct", (const char *const[]){ "tgid", NULL }, &p->tgid_offset);
	kernel_btf_close(&kernel);
	return err;
}

static struct strobe_error *map_memory(int fd, size_t bytes, void **ret)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return error_errno(errno, "cannot map a BPF map");
	*ret = p;
	return NULL;
}

static struct strobe_error *make_table(struct syscall_counts *c, const char *name, int *ret_fd, uint64_t **ret)
{
	void *p;
	c->table_bytes = ((size_t)c->programs.cpus << SYSCALL_NUMBERS_SHIFT) * sizeof(uint64_t);
	struct bpf_map_shape shape = { BPF_MAP_TYPE_ARRAY, 4, (uint32_t)c->table_bytes, 1, BPF_F_MMAPABLE };
	TRY(bpf_map_make(c->set->sys, name, shape, ret_fd));
	TRY(map_memory(*ret_fd, c->table_bytes, &p));
	*ret = p;
	return NULL;
}

static struct strobe_error *make_maps(struct syscall_counts *c)
{
	const struct sys *sys = c->set->sys;
	void *state;
	bool enter = false, exits = false;
	for (uint32_t i = 0; i < c->set->events.len; i++) {
		enter |= c->number_of[i] != NOT_OURS && !c->at_exit[i];
		exits |= c->number_of[i] != NOT_OURS && c->at_exit[i];
	}
	struct bpf_map_shape of_state = { BPF_MAP_TYPE_ARRAY, 4, sizeof(struct syscall_state), 1, BPF_F_MMAPABLE };
	TRY(bpf_map_make(sys, "state", of_state, &c->programs.state_fd));
	TRY(map_memory(c->programs.state_fd, sizeof(struct syscall_state), &state));
	c->state = state;
	if (enter)
		TRY(make_table(c, "enter", &c->programs.enter_fd, &c->enter));
	if (exits)
		TRY(make_table(c, "exit", &c->programs.exit_fd, &c->exits));
	if (c->programs.everyone)
		return NULL;
	struct bpf_map_shape of_tasks = { BPF_MAP_TYPE_HASH, 4, 4, FOLLOWED_TASKS_MAX, BPF_F_NO_PREALLOC };
	TRY(bpf_map_make(sys, "tasks", of_tasks, &c->programs.tasks_fd));
	for (size_t i = 0; !c->programs.has_leader && i < c->set->map->threads.len; i++)
		TRY(bpf_map_set(c->programs.tasks_fd, &c->set->map->threads.data[i].tid, &(uint32_t){ 1 }));
	return NULL;
}

typedef void (*program_fn)(struct bpf_asm *a, const struct syscall_programs *p);

static struct strobe_error *attach(struct syscall_counts *c, const char *tracepoint, struct bpf_asm *program)
{
	int link = -1;
	struct strobe_error *err = bpf_asm_attach(c->set->sys, tracepoint, program, &link);
	bpf_asm_deinit(program);
	if (!err)
		vec_push(&c->links, link);
	return err;
}

static struct strobe_error *attach_plain(struct syscall_counts *c, const char *tracepoint, program_fn fn)
{
	struct bpf_asm a = {};
	fn(&a, &c->programs);
	return attach(c, tracepoint, &a);
}

static struct strobe_error *attach_all(struct syscall_counts *c, bool inherit)
{
	const struct syscall_programs *p = &c->programs;
	struct bpf_asm enter = {}, exits = {}, exec = {};
	bool on_exec = c->set->options.start == COUNTER_START_ON_EXEC;
	if (!p->everyone && inherit) {
		TRY(attach_plain(c, "sched_process_fork", syscall_program_fork));
		TRY(attach_plain(c, "sched_process_exit", syscall_program_exit));
	}
	if (!p->everyone) {
		syscall_program_exec(&exec, p, on_exec);
		TRY(attach(c, "sched_process_exec", &exec));
	}
	if (p->enter_fd >= 0) {
		syscall_program_count(&enter, p, false);
		TRY(attach(c, "sys_enter", &enter));
	}
	if (p->exit_fd >= 0) {
		syscall_program_count(&exits, p, true);
		TRY(attach(c, "sys_exit", &exits));
	}
	return NULL;
}

/* Which events are ours; the first of them says whether tasks inherit. */
static size_t choose(struct syscall_counts *c, bool *ret_inherit)
{
	const struct counter_set *set = c->set;
	size_t taken = 0;
	uint32_t first = 0;
	c->number_of = xcalloc(set->events.len + 1, sizeof(*c->number_of));
	c->at_exit = xcalloc(set->events.len + 1, sizeof(*c->at_exit));
	for (uint32_t i = 0; i < set->events.len; i++) {
		c->number_of[i] = NOT_OURS;
		if (!is_ours(set, i))
			continue;
		if (!taken)
			first = i;
		if (!same_inherit(set, first, i))
			continue;
		c->number_of[i] = number_of(set->events.data[i].event, &c->at_exit[i]);
		taken++;
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
	c->programs = (struct syscall_programs){ .state_fd = -1, .tasks_fd = -1, .enter_fd = -1, .exit_fd = -1,
						 .cpus = sys_cpus_possible_nr(set->sys), .everyone = set->map->system_wide,
						 .has_leader = has_leader };
	size_t taken = choose(c, &inherit);
	c->programs.threads_of_leader = inherit;
	struct strobe_error *err = find_offsets(set->sys, &c->programs);
	if (!err)
		err = make_maps(c);
	if (!err)
		err = attach_all(c, inherit);
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
