/* Shared by the programs that sum up the allocations of the kernel (kmem_counts.bpf.c) and user space. For these alone. */
#pragma once
#include <linux/types.h>

#define KMEM_COUNTS_FRAMES 64 /* of a stack, at most */
#define KMEM_COUNTS_INNERMOST 10 /* where only the call site matters: four of them belong to the program, some to the allocator */
#define KMEM_COUNTS_WAYS   8  /* objects of a bucket */
#define KMEM_COUNTS_PROBES 16 /* slots that are tried for a site */

enum kmem_counts_allocator { KMEM_COUNTS_SLAB, KMEM_COUNTS_PAGES };

struct kmem_counts_settings {
	__u32 sites, buckets; /* of each: a power of two */
	__u32 cpus;
	__u32 page_bytes;
	__u8 with_stacks;     /* objects by whole stacks, else by call site; pages always by stacks */
};

struct kmem_counts_control {
	__u64 enabled;
	__u64 no_site, no_object; /* the table was full */
	__u64 failures;           /* page allocations that failed */
	__u64 frees, unknown_frees; /* of pages; unknown: allocated before */
};

/* Where memory is requested. */
struct kmem_counts_site {
	__u64 key;       /* 0: free */
	__u64 call_site; /* of an object; 0: in the stack */
	__u32 allocator, nr;
	__u64 frames[]; /* nr of them, innermost first; settings say how many there is room for */
};

/* Of a site, on one CPU; only that CPU writes to it, except for pingpongs. */
struct kmem_counts_sum {
	__u64 hits, requested, given, pingpongs;
};

/* Allocated objects, by address (of a page: that of its struct page). */
struct kmem_counts_bucket {
	__u64 address[KMEM_COUNTS_WAYS]; /* 0: free */
	__u64 facts[KMEM_COUNTS_WAYS];   /* KMEM_COUNTS_FACTS() */
};

#define KMEM_COUNTS_CPU_BITS  12
#define KMEM_COUNTS_SITE_BITS 20
#define KMEM_COUNTS_FACTS(given, site, cpu) \
	((__u64)(given) << (KMEM_COUNTS_CPU_BITS + KMEM_COUNTS_SITE_BITS) | (__u64)(site) << KMEM_COUNTS_CPU_BITS | (cpu))
#define KMEM_COUNTS_GIVEN(facts) ((facts) >> (KMEM_COUNTS_CPU_BITS + KMEM_COUNTS_SITE_BITS))
#define KMEM_COUNTS_SITE(facts)	 ((__u32)((facts) >> KMEM_COUNTS_CPU_BITS) & ((1U << KMEM_COUNTS_SITE_BITS) - 1))
#define KMEM_COUNTS_CPU(facts)	 ((__u32)(facts) & ((1U << KMEM_COUNTS_CPU_BITS) - 1))
