#include "bpf/count/kwork_counts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"

#if HAVE_BPF_PROGRAMS
#include "kwork_counts.inc"
#else
static const struct bpf_image kwork_counts_image;
#endif

struct kwork_counts {
	struct bpf_loaded *loaded;
	struct kwork_counts_control *control;
	struct kwork_counts_settings settings;
};

static bool add_cpu(void *ctx, uint32_t cpu)
{
	struct kwork_counts_settings *s = ctx;
	s->cpus[cpu / 64] |= 1ULL << (cpu % 64);
	return true;
}

/* Programs of kinds that are not selected are not loaded. */
static void leave_out(const struct kwork_counts_options *o, const char **ret)
{
	static const struct {
		uint32_t kind;
		bool is_request, is_end;
		const char *name;
	} programs[] = {
		{ KWORK_COUNTS_IRQ, false, false, "enter_irq" },
		{ KWORK_COUNTS_IRQ, false, true, "leave_irq" },
		{ KWORK_COUNTS_SOFTIRQ, true, false, "raise_softirq" },
		{ KWORK_COUNTS_SOFTIRQ, false, false, "enter_softirq" },
		{ KWORK_COUNTS_SOFTIRQ, false, true, "leave_softirq" },
		{ KWORK_COUNTS_WORKQUEUE, true, false, "raise_work" },
		{ KWORK_COUNTS_WORKQUEUE, false, false, "enter_work" },
		{ KWORK_COUNTS_WORKQUEUE, false, true, "leave_work" },
		{ KWORK_COUNTS_SCHED, false, false, "switch_tasks" },
	};
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		bool is_needed = programs[i].is_request ? o->of_delays : !(programs[i].is_end && o->of_delays);
		if (!(o->kinds >> programs[i].kind & 1) || !is_needed)
			*ret++ = programs[i].name;
	}
	*ret = NULL;
}

static struct strobe_error *load(struct kwork_counts *c, const struct kwork_counts_options *o)
{
	const char *without[10];
	const struct bpf_map_size sizes[] = { { "works", o->entries, 0 }, {} };
	struct bpf_load_options options = {
		.sys = o->sys,
		.image = &kwork_counts_image,
		.settings = &c->settings,
		.settings_bytes = sizeof(c->settings),
		.sizes = sizes,
		.without = without,
	};
	void *memory;
	leave_out(o, without);
	c->settings.kinds = o->kinds;
	c->settings.of_delays = o->of_delays;
	c->settings.by_task = o->by_task;
	c->settings.by_cpu = o->cpus != NULL;
	if (o->cpus && !text_each_cpu(o->cpus, KWORK_COUNTS_CPUS - 1, add_cpu, &c->settings))
		return error_create(ERROR_USAGE, "'%s' is not a list of CPUs: e.g. 0-3,7", o->cpus);
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	TRY(bpf_load(&options, &c->loaded));
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(*c->control), &memory));
	c->control = memory;
	return bpf_attach(c->loaded);
}

struct strobe_error *kwork_counts_open(const struct kwork_counts_options *o, struct kwork_counts **ret)
{
	struct kwork_counts *c = xcalloc(1, sizeof(*c));
	struct strobe_error *err = load(c, o);
	if (err) {
		kwork_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

void kwork_counts_close(struct kwork_counts *c)
{
	if (!c)
		return;
	bpf_unload(c->loaded);
	free(c);
}

void kwork_counts_enable(struct kwork_counts *c, bool on)
{
	__atomic_store_n(&c->control->enabled, on, __ATOMIC_SEQ_CST);
	bpf_wait_for_programs();
}

void kwork_counts_read(struct kwork_counts *c,
		       void (*fn)(void *ctx, const struct kwork_counts_key *key, const struct kwork_counts_work *work), void *ctx)
{
	int fd = bpf_map_of(c->loaded, "works");
	struct kwork_counts_key key, at;
	struct kwork_counts_work work;
	for (bool more = bpf_map_next(fd, NULL, &key); more; at = key, more = bpf_map_next(fd, &at, &key))
		if (bpf_map_get(fd, &key, &work))
			fn(ctx, &key, &work);
}

uint64_t kwork_counts_lost(const struct kwork_counts *c)
{
	return c->control->no_room + bpf_runs_missed(c->loaded);
}
