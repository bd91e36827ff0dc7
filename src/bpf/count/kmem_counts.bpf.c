/*
 * Sums up allocations of the kernel by call site or stack, and keeps those that have not been freed.
 *
 * These programs run inside the allocator, up to some million times per second. Their tables are hash tables in array maps, which user
 * space maps: an object is found in one or two cache lines, nothing is allocated and nothing is locked. A program claims a free slot
 * by compare-and-exchange and is then the only one to write to it. The event of an allocation precedes the use of the object, the
 * event of its release precedes its reuse: the two never run at the same time for one object.
 */
#include "bpf/count/kmem_counts_shared.h"
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct kmem_cache {
	unsigned int size, object_size;
};
#pragma clang attribute pop

/* Programs that may interrupt each other on a CPU; each has a stack of its own. */
enum program { PROGRAM_KMALLOC, PROGRAM_CACHE, PROGRAM_PAGES, PROGRAMS };

const volatile struct kmem_counts_settings settings = {};
struct kmem_counts_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set before loading, as those below */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct kmem_counts_site) + KMEM_COUNTS_FRAMES * sizeof(__u64));
} sites SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kmem_counts_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kmem_counts_bucket);
} objects SEC(".maps");

struct stack {
	__u64 frames[KMEM_COUNTS_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PROGRAMS);
	__type(key, __u32);
	__type(value, struct stack);
} stacks SEC(".maps");

INLINE __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* ---- sites ---- */

INLINE void describe(struct kmem_counts_site *site, const struct kmem_counts_site *what, const __u64 *frames)
{
	for (__u32 i = 0; i < KMEM_COUNTS_FRAMES && i < what->nr; i++)
		site->frames[i] = frames[i];
	site->call_site = what->call_site;
	site->allocator = what->allocator;
	site->nr = what->nr;
}

/* The number of a site; -1: the table is full. */
INLINE int find_site(const struct kmem_counts_site *what, const __u64 *frames)
{
	__u64 key = what->key;
	for (__u32 i = 0; i < KMEM_COUNTS_PROBES; i++) {
		__u32 at = (__u32)(key + i) & (settings.sites - 1);
		struct kmem_counts_site *site = bpf_map_lookup_elem(&sites, &at);
		if (!site)
			return -1;
		__u64 had = site->key;
		if (had == key)
			return at;
		if (had)
			continue;
		had = __sync_val_compare_and_swap(&site->key, 0, key);
		if (!had)
			describe(site, what, frames);
		if (!had || had == key)
			return at;
	}
	__sync_fetch_and_add(&control.no_site, 1);
	return -1;
}

/* call_site: 0: look for it in the stack. */
INLINE int site_of_stack(void *ctx, enum program program, __u32 allocator, __u64 call_site)
{
	__u32 at = program;
	struct stack *s = bpf_map_lookup_elem(&stacks, &at);
	if (!s)
		return -1;
	long bytes = settings.with_stacks ? bpf_get_stack(ctx, s->frames, sizeof(s->frames), 0) :
		bpf_get_stack(ctx, s->frames, KMEM_COUNTS_INNERMOST * sizeof(*s->frames), 0);
	__u32 nr = bytes > 0 ? (__u32)bytes / sizeof(__u64) : 0;
	__u64 hash = call_site + allocator + 1;
	for (__u32 i = 0; i < KMEM_COUNTS_FRAMES && i < nr; i++)
		hash = mix(hash, s->frames[i]);
	struct kmem_counts_site what = { .key = hash | 1, .call_site = call_site, .allocator = allocator, .nr = nr };
	return find_site(&what, s->frames);
}

INLINE int site_of(void *ctx, enum program program, __u64 call_site)
{
	if (settings.with_stacks)
		return site_of_stack(ctx, program, KMEM_COUNTS_SLAB, call_site);
	struct kmem_counts_site what = { .key = mix(0, call_site) | 1, .call_site = call_site, .allocator = KMEM_COUNTS_SLAB };
	return find_site(&what, 0);
}

/* ---- objects ---- */

INLINE struct kmem_counts_bucket *bucket_of(__u64 address)
{
	__u32 at = (__u32)(mix(0, address) >> 32) & (settings.buckets - 1);
	return bpf_map_lookup_elem(&objects, &at);
}

/* Bulk releases have no event: an object that is allocated again was released before. */
INLINE void keep(__u64 address, __u64 facts)
{
	struct kmem_counts_bucket *b = bucket_of(address);
	for (__u32 i = 0; b && i < KMEM_COUNTS_WAYS; i++) {
		if (b->address[i] != address)
			continue;
		b->facts[i] = facts;
		return;
	}
	for (__u32 i = 0; b && i < KMEM_COUNTS_WAYS; i++) {
		if (b->address[i] || __sync_val_compare_and_swap(&b->address[i], 0, address))
			continue;
		b->facts[i] = facts;
		return;
	}
	__sync_fetch_and_add(&control.no_object, 1);
}

INLINE void allocate(int site, __u64 address, __u64 requested, __u64 given)
{
	__u32 cpu = bpf_get_smp_processor_id(), at = cpu * settings.sites + (__u32)site;
	struct kmem_counts_sum *sum = site < 0 ? 0 : bpf_map_lookup_elem(&sums, &at);
	if (!sum)
		return;
	sum->hits++;
	sum->requested += requested;
	sum->given += given;
	keep(address, KMEM_COUNTS_FACTS(given, (__u32)site, cpu));
}

/* Whether the object was allocated while counting. */
INLINE _Bool release(__u64 address)
{
	struct kmem_counts_bucket *b = bucket_of(address);
	for (__u32 i = 0; b && i < KMEM_COUNTS_WAYS; i++) {
		if (b->address[i] != address)
			continue;
		__u64 facts = b->facts[i];
		b->address[i] = 0;
		__u32 cpu = bpf_get_smp_processor_id(), at = cpu * settings.sites + KMEM_COUNTS_SITE(facts);
		struct kmem_counts_sum *sum = KMEM_COUNTS_CPU(facts) == cpu ? 0 : bpf_map_lookup_elem(&sums, &at);
		if (sum)
			__sync_fetch_and_add(&sum->pingpongs, 1);
		return 1;
	}
	return 0;
}

/* ---- events: of Linux 6.1 and later ---- */

SEC("raw_tp/kmalloc") int on_kmalloc(__u64 *ctx)
{
	if (control.enabled && ctx[1])
		allocate(site_of(ctx, PROGRAM_KMALLOC, ctx[0]), ctx[1], ctx[2], ctx[3]);
	return 0;
}

SEC("raw_tp/kmem_cache_alloc") int on_cache_alloc(__u64 *ctx)
{
	const struct kmem_cache *cache = (const struct kmem_cache *)ctx[2];
	__u32 size = 0, object_size = 0;
	if (!control.enabled || !ctx[1])
		return 0;
	bpf_probe_read_kernel(&size, sizeof(size), &cache->size);
	bpf_probe_read_kernel(&object_size, sizeof(object_size), &cache->object_size);
	allocate(site_of(ctx, PROGRAM_CACHE, ctx[0]), ctx[1], object_size, size);
	return 0;
}

SEC("raw_tp/kfree") int on_kfree(__u64 *ctx)
{
	if (control.enabled && ctx[1])
		release(ctx[1]);
	return 0;
}

SEC("raw_tp/kmem_cache_free") int on_cache_free(__u64 *ctx)
{
	if (control.enabled && ctx[1])
		release(ctx[1]);
	return 0;
}

SEC("raw_tp/mm_page_alloc") int on_page_alloc(__u64 *ctx)
{
	if (!control.enabled)
		return 0;
	__u64 given = (__u64)settings.page_bytes << ((__u32)ctx[1] & 31);
	if (ctx[0])
		allocate(site_of_stack(ctx, PROGRAM_PAGES, KMEM_COUNTS_PAGES, 0), ctx[0], given, given);
	else
		__sync_fetch_and_add(&control.failures, 1);
	return 0;
}

SEC("raw_tp/mm_page_free") int on_page_free(__u64 *ctx)
{
	if (!control.enabled)
		return 0;
	__sync_fetch_and_add(&control.frees, 1);
	if (!release(ctx[0]))
		__sync_fetch_and_add(&control.unknown_frees, 1);
	return 0;
}
