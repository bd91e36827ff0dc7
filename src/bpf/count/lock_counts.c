#include "bpf/count/lock_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"

#if HAVE_BPF_PROGRAMS
#include "lock_counts.inc"
#else
static const struct bpf_image lock_counts_image;
#endif

#define TARGETS_MAX 65536

struct lock_counts {
	struct bpf_loaded *loaded;
	struct lock_counts_control *control;
	struct lock_counts_settings settings;
	uint32_t frames;
};

static bool add_cpu(void *ctx, uint32_t cpu)
{
	struct lock_counts_settings *s = ctx;
	s->cpus[cpu / 64] |= 1ULL << (cpu % 64);
	return true;
}

static struct strobe_error *choose(struct lock_counts *c, const struct lock_counts_options *o)
{
	struct lock_counts_settings *s = &c->settings;
	s->by = o->by;
	s->skip = o->skip;
	s->with_stacks = o->by == LOCK_COUNTS_BY_STACK;
	s->by_target = o->by_target;
	s->by_owner = o->by_owner;
	s->by_cpu = o->cpus != NULL;
	s->kinds = o->kinds;
	s->locks_nr = o->locks_nr;
	if (o->locks_nr > LOCK_COUNTS_LOCKS)
		return error_create(ERROR_LIMIT, "at most %d locks can be selected", LOCK_COUNTS_LOCKS);
	if (o->locks_nr)
		memcpy(s->locks, o->locks, o->locks_nr * sizeof(*s->locks));
	s->cgroups_nr = o->cgroups_nr;
	if (o->cgroups_nr > LOCK_COUNTS_CGROUPS)
		return error_create(ERROR_LIMIT, "at most %d cgroups can be selected", LOCK_COUNTS_CGROUPS);
	if (o->cgroups_nr)
		memcpy(s->cgroups, o->cgroups, o->cgroups_nr * sizeof(*s->cgroups));
	if (o->cpus && !text_each_cpu(o->cpus, LOCK_COUNTS_CPUS - 1, add_cpu, s))
		return error_create(ERROR_USAGE, "'%s' is not a list of CPUs: e.g. 0-3,7", o->cpus);
	return NULL;
}

static struct strobe_error *load(struct lock_counts *c, const struct lock_counts_options *o)
{
	static const char *const but_targets[] = { "follow_fork", "forget_task", NULL };
	const struct bpf_map_size sizes[] = {
		{ "stacks", o->by == LOCK_COUNTS_BY_STACK ? o->entries : 1, c->frames * (uint32_t)sizeof(uint64_t) },
		{ "waits", o->entries, 0 },
		{ "sums", o->entries, 0 },
		{ "threads", o->by == LOCK_COUNTS_BY_THREAD ? o->entries : 1, 0 },
		{ "targets", o->by_target ? TARGETS_MAX : 1, 0 },
		{},
	};
	struct bpf_load_options options = {
		.sys = o->sys,
		.image = &lock_counts_image,
		.settings = &c->settings,
		.settings_bytes = sizeof(c->settings),
		.sizes = sizes,
		.without = o->by_target ? NULL : but_targets,
	};
	void *memory;
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	TRY(bpf_check_pid_namespace(o->sys));
	TRY(choose(c, o));
	TRY(bpf_load(&options, &c->loaded));
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(*c->control), &memory));
	c->control = memory;
	return bpf_attach(c->loaded);
}

struct strobe_error *lock_counts_open(const struct lock_counts_options *o, struct lock_counts **ret)
{
	struct lock_counts *c = xcalloc(1, sizeof(*c));
	c->frames = o->frames ? o->frames : 1;
	struct strobe_error *err = load(c, o);
	if (err) {
		lock_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

void lock_counts_close(struct lock_counts *c)
{
	if (!c)
		return;
	bpf_unload(c->loaded);
	free(c);
}

struct strobe_error *lock_counts_add_target(struct lock_counts *c, uint32_t tid)
{
	uint32_t one = 1;
	return bpf_map_set(bpf_map_of(c->loaded, "targets"), &tid, &one);
}

void lock_counts_enable(struct lock_counts *c, bool on)
{
	__atomic_store_n(&c->control->enabled, on, __ATOMIC_SEQ_CST);
}

static void read_stack(const struct lock_counts *c, int32_t number, uint64_t *words, struct lock_count *ret)
{
	if (number < 0 || !bpf_map_get(bpf_map_of(c->loaded, "stacks"), &number, words))
		return;
	ret->stack = words;
	while (ret->stack_nr < c->frames && words[ret->stack_nr])
		ret->stack_nr++;
}

void lock_counts_read(struct lock_counts *c, void (*fn)(void *ctx, const struct lock_count *n), void *ctx)
{
	_cleanup_free_ uint64_t *words = xcalloc(c->frames, sizeof(*words));
	int fd = bpf_map_of(c->loaded, "sums");
	struct lock_sum_key key;
	for (bool more = bpf_map_next(fd, NULL, &key); more;) {
		struct lock_sum sum;
		if (bpf_map_get(fd, &key, &sum)) {
			struct lock_count n = { .of = key.of, .sum = &sum };
			read_stack(c, key.stack, words, &n);
			fn(ctx, &n);
		}
		struct lock_sum_key at = key;
		more = bpf_map_next(fd, &at, &key);
	}
}

bool lock_counts_comm(const struct lock_counts *c, uint32_t tid, char ret[16])
{
	struct lock_thread t;
	if (!bpf_map_get(bpf_map_of(c->loaded, "threads"), &tid, &t))
		return false;
	memcpy(ret, t.comm, sizeof(t.comm));
	ret[15] = 0;
	return true;
}

uint64_t lock_counts_lost(const struct lock_counts *c)
{
	return c->control->no_wait + c->control->no_stack + c->control->no_sum + c->control->unfollowed + bpf_runs_missed(c->loaded);
}
