#include "bpf/task_filter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/mem.h"
#include "bpf/followed_shared.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"
#include "sys/leave_behind.h"
#include "sys/perf_abi.h"

#if HAVE_BPF_PROGRAMS
#include "task_filter.inc"
#else
static const struct bpf_image task_filter_image;
#endif

/* PID_MAX_LIMIT of 64-bit kernels: an upper bound for pid_max as read. */
#define IDS_MAX (4u << 20)
/* The maximum number of children that hold programs of ended recordings, and for how long: several grace periods. */
#define SHORT_NS  100000000u
#define LINGER_MS 60

#define FOLLOWED "followed" /* the map */

struct task_filter {
	struct task_filter_options options;
	struct followed_tasks tasks;
	struct bpf_loaded *loaded;
	uint64_t *words; /* of the map */
	uint64_t made_ns;
};

/* Sizes the map by the largest possible ID; the programs get it from the settings. */
static struct strobe_error *choose_size(struct task_filter *f)
{
	int64_t ids;
	TRY(sys_read_i64(f->options.sys, "/proc/sys/kernel/pid_max", &ids));
	if (ids <= 0 || ids > IDS_MAX)
		ids = IDS_MAX;
	f->tasks.nr = ((uint32_t)ids + 63) / 64 * 64;
	f->tasks.by_thread = f->options.by_thread;
	return NULL;
}

static struct strobe_error *load(struct task_filter *f)
{
	void *words;
	TRY(bpf_check_pid_namespace(f->options.sys));
	TRY(choose_size(f));
	uint32_t bytes = (FOLLOWED_BITS + f->tasks.nr / 64) * (uint32_t)sizeof(*f->words);
	const struct followed_settings settings = { f->tasks.nr / 64, f->options.by_thread };
	const struct bpf_map_size sizes[] = { { FOLLOWED, 1, bytes }, {} };
	const char *without[3] = {};
	size_t n = 0;
	if (!f->options.by_thread) /* the ID of a process stays through its execs */
		without[n++] = "follow_exec";
	if (f->options.no_children)
		without[n++] = "follow_new";
	struct bpf_load_options load = {
		.sys = f->options.sys,
		.image = &task_filter_image,
		.settings = &settings,
		.settings_bytes = sizeof(settings),
		.sizes = sizes,
		.without = without,
	};
	TRY(bpf_load(&load, &f->loaded));
	TRY(bpf_map_memory(f->loaded, FOLLOWED, bytes, &words));
	f->words = words;
	f->tasks.bits = f->words + FOLLOWED_BITS;
	return bpf_attach(f->loaded);
}

struct strobe_error *task_filter_create(const struct task_filter_options *o, struct task_filter **ret)
{
	struct task_filter *f = xcalloc(1, sizeof(*f));
	f->options = *o;
	f->made_ns = sys_clock_ns(o->sys, CLOCK_MONOTONIC);
	struct strobe_error *err = load(f);
	if (err) {
		task_filter_destroy(f);
		return err;
	}
	*ret = f;
	return NULL;
}

void task_filter_destroy(struct task_filter *f)
{
	if (!f)
		return;
	bpf_unload(f->loaded);
	free(f);
}

void task_filter_destroy_later(struct task_filter *f)
{
	int link;
	if (f && sys_clock_ns(f->options.sys, CLOCK_MONOTONIC) - f->made_ns < SHORT_NS && bpf_link_fds(f->loaded, &link, 1))
		sys_leave_behind(&link, 1, LINGER_MS);
	task_filter_destroy(f);
}

const struct followed_tasks *task_filter_tasks(const struct task_filter *f)
{
	return &f->tasks;
}

int task_filter_map(const struct task_filter *f)
{
	return bpf_map_of(f->loaded, FOLLOWED);
}

void task_filter_follow(struct task_filter *f, const struct target_map *map)
{
	memset(f->words, 0, (FOLLOWED_BITS + f->tasks.nr / 64) * sizeof(*f->words));
	if (f->options.has_leader && map->threads.len)
		f->words[FOLLOWED_COMMAND] = (uint64_t)map->threads.data[0].tid;
	for (size_t i = 0; i < map->threads.len; i++) {
		const struct thread_entry *t = &map->threads.data[i];
		uint32_t id = (uint32_t)(f->options.by_thread ? t->tid : t->pid);
		if (id < f->tasks.nr)
			__atomic_fetch_or(&f->words[FOLLOWED_BITS + id / 64], 1ull << id % 64, __ATOMIC_RELAXED);
	}
}

struct strobe_error *task_filter_attach(struct task_filter *f, struct capture *c,
					bool (*has_program)(const struct capture_event *e))
{
	const struct event_set *set = capture_events(c);
	int program = bpf_program_of(f->loaded, "keep_followed");
	task_filter_follow(f, capture_target(c));
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (perf_attr_is_dummy(&e->attr) || (has_program && has_program(e)))
			continue;
		for (uint32_t slot = 0; slot < e->slots; slot++) {
			if (e->fds[slot] < 0)
				continue;
			int r = sys_ioctl(f->options.sys, e->fds[slot], PERF_EVENT_IOC_SET_BPF, (uintptr_t)program);
			if (r < 0)
				return error_errno(-r, "%s: cannot attach the program that selects the samples of tasks", e->name);
		}
	}
	return NULL;
}
