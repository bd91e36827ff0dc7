#include "bpf/count/sample_counts.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpf/count/sample_counts_shared.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"
#include "sys/cpus.h"
#include "sys/limits.h"

#if HAVE_BPF_PROGRAMS
#include "sample_counts.inc"
#else
static const struct bpf_image sample_counts_image;
#endif

/*
 * Room for a quarter of a second at 10,000 samples per second, each with a stack of its own. Tracepoints are more frequent; what does
 * not fit is lost.
 */
#define SLOTS_SAMPLED    4096u
#define SLOTS_TRACEPOINT 16384u
#define SLOTS_MIN        512u
#define WORDS_A_SLOT     16u
/* Maximum number of tasks at a time, including those that targets have started. */
#define TARGETS_MAX 65536

struct sample_counts {
	struct sample_counts_options options;
	struct bpf_loaded *loaded;
	struct count_control *control;
	uint8_t *tables;
	sys_cpus cpus;      /* in the order of their tables */
	size_t table_bytes;
	struct count_settings settings;
	uint32_t side;      /* the table that programs add to while enabled */
	bool enabled;
	int holder_fd;      /* -1, or the event that holds the program of a tracepoint */
};

static const struct capture_event *event_of(const struct sample_counts_options *o)
{
	return &capture_events(o->capture)->events.data[o->event];
}

struct strobe_error *sample_counts_check(const struct sample_counts_options *o)
{
	const struct capture_event *e = event_of(o);
	const struct perf_event_attr *a = &e->attr;
	bool is_tracepoint = e->tracepoint_name;
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	if (sys_perf_event_max_stack(o->sys) > COUNT_PART_WORDS - 1)
		return error_create(ERROR_UNSUPPORTED, "kernel.perf_event_max_stack is above %d", COUNT_PART_WORDS - 1);
	if (!a->use_clockid || a->clockid != CLOCK_MONOTONIC)
		return error_create(ERROR_UNSUPPORTED, "the samples' clock is not CLOCK_MONOTONIC");
	if (is_tracepoint && (a->freq || a->sample_period != 1))
		return error_create(ERROR_UNSUPPORTED, "%s does not sample every event", e->name);
	if (is_tracepoint && (e->filter || e->cgroup || a->exclude_kernel || a->exclude_user))
		return error_create(ERROR_UNSUPPORTED, "%s has a filter, which the kernel applies after BPF programs", e->name);
	return bpf_check_pid_namespace(o->sys);
}

/* Sizes the tables of the existing CPUs within bytes_max. */
static struct strobe_error *choose_sizes(struct sample_counts *c)
{
	struct count_settings *s = &c->settings;
	TRY(sys_cpus_online(c->options.sys, &c->cpus));
	for (s->slots = event_of(&c->options)->tracepoint_name ? SLOTS_TRACEPOINT : SLOTS_SAMPLED;; s->slots /= 2) {
		s->words = s->slots * WORDS_A_SLOT;
		s->words_at = (uint32_t)(sizeof(struct count_head) + s->slots * sizeof(struct count_slot));
		c->table_bytes = s->words_at + (s->words + COUNT_STACK_WORDS) * sizeof(uint64_t);
		if (c->table_bytes * COUNT_SIDES * c->cpus.len <= c->options.bytes_max)
			break;
		if (s->slots <= SLOTS_MIN)
			return error_create(ERROR_LIMIT, "tables for %zu CPUs would need more than %llu MB", c->cpus.len,
					    (unsigned long long)(c->options.bytes_max >> 20));
	}
	for (size_t i = 0; i < c->cpus.len && c->cpus.data[i] < COUNT_CPUS; i++)
		s->cpu_at[c->cpus.data[i]] = (uint16_t)(i * COUNT_SIDES + 1);
	return NULL;
}

static struct strobe_error *load(struct sample_counts *c)
{
	const struct capture_event *e = event_of(&c->options);
	const struct target_map *map = capture_target(c->options.capture);
	void *memory;
	TRY(choose_sizes(c));
	c->settings.without_pid = c->options.without_pid;
	c->settings.has_chains = (e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	c->settings.by_target = e->tracepoint_name && !map->system_wide;
	c->settings.inherit = c->options.inherit;
	uint32_t tables = (uint32_t)(c->cpus.len * COUNT_SIDES);
	const struct bpf_map_size sizes[] = {
		{ "tables", tables, (uint32_t)c->table_bytes },
		{ "targets", c->settings.by_target ? TARGETS_MAX : 1, 0 },
		{},
	};
	static const char *const but_events[] = { "count_tracepoint", "follow_fork", "forget_task", "follow_exec", NULL };
	static const char *const but_tracepoints[] = { "count_sample", "follow_fork", "forget_task", "follow_exec", NULL };
	static const char *const but_targets[] = { "count_sample", NULL };
	struct bpf_load_options load = {
		.sys = c->options.sys,
		.image = &sample_counts_image,
		.settings = &c->settings,
		.settings_bytes = sizeof(c->settings),
		.sizes = sizes,
		.without = !e->tracepoint_name ? but_events : c->settings.by_target ? but_targets : but_tracepoints,
	};
	TRY(bpf_load(&load, &c->loaded));
	TRY(bpf_map_memory(c->loaded, "tables", tables * c->table_bytes, &memory));
	c->tables = memory;
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(*c->control), &memory));
	c->control = memory;
	return bpf_ready(c->loaded);
}

/* ---- attaching ---- */

static struct strobe_error *set_program(const struct sample_counts *c, int event_fd, const char *program)
{
	int r = sys_ioctl(c->options.sys, event_fd, PERF_EVENT_IOC_SET_BPF, (uintptr_t)bpf_program_of(c->loaded, program));
	return r < 0 ? bpf_refused(c->options.sys, -r, "cannot attach a BPF program to the event") : NULL;
}

/* Forks are followed before targets are added, so that no task that is started meanwhile is missed. */
static struct strobe_error *add_targets(struct sample_counts *c)
{
	const struct target_map *map = capture_target(c->options.capture);
	int fd = bpf_map_of(c->loaded, "targets");
	TRY(bpf_attach_program(c->loaded, "follow_fork"));
	TRY(bpf_attach_program(c->loaded, "forget_task"));
	TRY(bpf_attach_program(c->loaded, "follow_exec"));
	for (size_t i = 0; i < map->threads.len; i++) {
		uint32_t tid = (uint32_t)map->threads.data[i].tid, one = 1;
		TRY(bpf_map_set(fd, &tid, &one));
	}
	return NULL;
}

/*
 * The program runs whenever any task hits the tracepoint, as long as the event that it was set on exists. Events of a thread end with the
 * thread, and inherited events do not keep the program: an event of a CPU does, which itself never counts.
 */
static struct strobe_error *hold_program(struct sample_counts *c, const struct capture_event *e)
{
	struct perf_event_attr attr = { .type = e->attr.type, .size = sizeof(attr), .config = e->attr.config, .disabled = 1 };
	int fd = sys_perf_event_open(c->options.sys, &attr, -1, c->cpus.data[0], -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return bpf_refused(c->options.sys, -fd, "cannot open the tracepoint on a CPU");
	c->holder_fd = fd;
	return set_program(c, fd, "count_tracepoint");
}

static struct strobe_error *attach(struct sample_counts *c)
{
	const struct capture_event *e = event_of(&c->options);
	if (c->settings.by_target) {
		TRY(add_targets(c));
		return hold_program(c, e);
	}
	for (uint32_t slot = 0; slot < e->slots; slot++) {
		if (e->fds[slot] < 0)
			continue;
		if (e->tracepoint_name) /* one program per tracepoint, however many events are open on it */
			return set_program(c, e->fds[slot], "count_tracepoint");
		TRY(set_program(c, e->fds[slot], "count_sample"));
	}
	return NULL;
}

struct strobe_error *sample_counts_open(const struct sample_counts_options *o, struct sample_counts **ret)
{
	TRY(sample_counts_check(o));
	struct sample_counts *c = xcalloc(1, sizeof(*c));
	c->options = *o;
	c->holder_fd = -1;
	struct strobe_error *err = load(c);
	if (!err)
		err = attach(c);
	if (err) {
		sample_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

void sample_counts_close(struct sample_counts *c)
{
	if (!c)
		return;
	if (c->holder_fd >= 0)
		close(c->holder_fd);
	bpf_unload(c->loaded);
	vec_deinit(&c->cpus);
	free(c);
}

/* ---- counting ---- */

static void write_side(struct sample_counts *c)
{
	__atomic_store_n(&c->control->side, c->enabled ? c->side + 1 : 0, __ATOMIC_SEQ_CST);
}

void sample_counts_enable(struct sample_counts *c, bool on)
{
	c->enabled = on;
	write_side(c);
}

void sample_counts_turn(struct sample_counts *c)
{
	c->side = !c->side;
	write_side(c);
}

static uint8_t *table_of(const struct sample_counts *c, size_t cpu, uint32_t side)
{
	return c->tables + (cpu * COUNT_SIDES + side) * c->table_bytes;
}

static void read_table(struct sample_counts *c, size_t cpu, void (*fn)(void *ctx, const struct sample_count *s), void *ctx)
{
	uint8_t *table = table_of(c, cpu, !c->side);
	struct count_head *head = (struct count_head *)table;
	struct count_slot *slot = (struct count_slot *)(head + 1);
	const uint64_t *words = (const uint64_t *)(table + c->settings.words_at);
	for (uint32_t left = head->slots; left; slot++) {
		if (!slot->count)
			continue;
		fn(ctx, &(struct sample_count){
			.pid = slot->pid,
			.tid = slot->tid,
			.cpu = c->cpus.data[cpu],
			.is_user = slot->is_user,
			.is_exact = slot->is_exact,
			.ip = slot->ip,
			.count = slot->count,
			.period = slot->period,
			.first_ns = slot->first_ns,
			.chain = words + slot->at,
			.chain_nr = slot->nr,
		});
		slot->count = 0;
		left--;
	}
	*head = (struct count_head){};
}

void sample_counts_read(struct sample_counts *c, void (*fn)(void *ctx, const struct sample_count *s), void *ctx)
{
	for (size_t i = 0; i < c->cpus.len; i++)
		read_table(c, i, fn, ctx);
}

double sample_counts_fill(const struct sample_counts *c)
{
	double most = 0;
	for (size_t i = 0; i < c->cpus.len; i++) {
		const struct count_head *head = (const struct count_head *)table_of(c, i, c->side);
		double slots = (double)head->slots / c->settings.slots, words = (double)head->words / c->settings.words;
		most = slots > most ? slots : most;
		most = words > most ? words : most;
	}
	return most;
}

uint64_t sample_counts_lost(const struct sample_counts *c)
{
	return __atomic_load_n(&c->control->lost, __ATOMIC_RELAXED) + bpf_runs_missed(c->loaded);
}
