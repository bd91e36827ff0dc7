#include "bpf/count/kmem_counts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"
#include "sys/cpus.h"

#if HAVE_BPF_PROGRAMS
#include "kmem_counts.inc"
#else
static const struct bpf_image kmem_counts_image;
#endif

struct kmem_counts {
	struct bpf_loaded *loaded;
	struct kmem_counts_control *control;
	struct kmem_counts_settings settings;
	uint32_t site_bytes;
	const char *sites;
	const struct kmem_counts_sum *sums;
	const struct kmem_counts_bucket *buckets;
};

struct live {
	uint64_t hits, bytes;
};

static struct strobe_error *map(struct kmem_counts *c)
{
	const struct kmem_counts_settings *s = &c->settings;
	void *memory;
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(*c->control), &memory));
	c->control = memory;
	TRY(bpf_map_memory(c->loaded, "sites", (size_t)s->sites * c->site_bytes, &memory));
	c->sites = memory;
	TRY(bpf_map_memory(c->loaded, "sums", (size_t)s->sites * s->cpus * sizeof(*c->sums), &memory));
	c->sums = memory;
	TRY(bpf_map_memory(c->loaded, "objects", (size_t)s->buckets * sizeof(*c->buckets), &memory));
	c->buckets = memory;
	return NULL;
}

static struct strobe_error *load(struct kmem_counts *c, const struct kmem_counts_options *o)
{
	static const char *const of_slab[] = { "on_kmalloc", "on_cache_alloc", "on_kfree", "on_cache_free", NULL };
	static const char *const of_pages[] = { "on_page_alloc", "on_page_free", NULL };
	struct kmem_counts_settings *s = &c->settings;
	*s = (struct kmem_counts_settings){
		.sites = o->sites, .buckets = o->objects / KMEM_COUNTS_WAYS, .with_stacks = o->with_stacks,
		.cpus = sys_cpus_possible_nr(o->sys), .page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	c->site_bytes = sizeof(struct kmem_counts_site) + KMEM_COUNTS_FRAMES * sizeof(uint64_t);
	const struct bpf_map_size sizes[] = {
		{ "sites", s->sites, c->site_bytes },
		{ "sums", s->sites * s->cpus, 0 },
		{ "objects", s->buckets, 0 },
		{},
	};
	struct bpf_load_options options = {
		.sys = o->sys,
		.image = &kmem_counts_image,
		.settings = s,
		.settings_bytes = sizeof(*s),
		.sizes = sizes,
		.without = !o->of_slab ? of_slab : !o->of_pages ? of_pages : NULL,
	};
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	if (!bpf_kernel_is_since(o->sys, 6, 1))
		return error_create(ERROR_UNSUPPORTED, "summing up allocations in the kernel requires Linux 6.1: use 'kmem record'");
	TRY(bpf_load(&options, &c->loaded));
	TRY(map(c));
	return bpf_attach(c->loaded);
}

struct strobe_error *kmem_counts_open(const struct kmem_counts_options *o, struct kmem_counts **ret)
{
	struct kmem_counts *c = xcalloc(1, sizeof(*c));
	struct strobe_error *err = load(c, o);
	if (err) {
		kmem_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

void kmem_counts_close(struct kmem_counts *c)
{
	if (!c)
		return;
	bpf_unload(c->loaded);
	free(c);
}

void kmem_counts_enable(struct kmem_counts *c, bool on)
{
	__atomic_store_n(&c->control->enabled, on, __ATOMIC_SEQ_CST);
	bpf_wait_for_programs();
}

static struct live *add_live(const struct kmem_counts *c)
{
	struct live *ret = xcalloc(c->settings.sites, sizeof(*ret));
	for (uint32_t b = 0; b < c->settings.buckets; b++) {
		for (uint32_t i = 0; i < KMEM_COUNTS_WAYS; i++) {
			uint64_t facts = c->buckets[b].facts[i];
			if (!c->buckets[b].address[i] || KMEM_COUNTS_SITE(facts) >= c->settings.sites)
				continue;
			ret[KMEM_COUNTS_SITE(facts)].hits++;
			ret[KMEM_COUNTS_SITE(facts)].bytes += KMEM_COUNTS_GIVEN(facts);
		}
	}
	return ret;
}

void kmem_counts_read(const struct kmem_counts *c, void (*fn)(void *ctx, const struct kmem_count *n), void *ctx)
{
	_cleanup_free_ struct live *live = add_live(c);
	for (uint32_t i = 0; i < c->settings.sites; i++) {
		const struct kmem_counts_site *site = (const void *)(c->sites + (size_t)i * c->site_bytes);
		if (!site->key)
			continue;
		struct kmem_count n = {
			.allocator = site->allocator, .call_site = site->call_site, .live_hits = live[i].hits, .live_bytes = live[i].bytes,
			.frames = site->frames, .frames_nr = site->nr < KMEM_COUNTS_FRAMES ? site->nr : KMEM_COUNTS_FRAMES,
		};
		for (uint32_t cpu = 0; cpu < c->settings.cpus; cpu++) {
			const struct kmem_counts_sum *s = &c->sums[(size_t)cpu * c->settings.sites + i];
			n.sum.hits += s->hits;
			n.sum.requested += s->requested;
			n.sum.given += s->given;
			n.sum.pingpongs += s->pingpongs;
		}
		fn(ctx, &n);
	}
}

const struct kmem_counts_control *kmem_counts_control(const struct kmem_counts *c)
{
	return c->control;
}

uint64_t kmem_counts_missed(const struct kmem_counts *c)
{
	return bpf_runs_missed(c->loaded);
}
