/*
 * Allocations of the kernel in a recording: objects of the slab allocator, and pages.
 *
 *	err = kmem_run(&request, &k);    *ret in any case; on an error it holds the complete part
 *	... kmem_sums(k) ...             analysis/kmem/kmem_text.h shows them
 *	kmem_remarks(k);
 *	kmem_destroy(k);
 *
 * Everything that the request points to must outlive it. One thread. Sources: include/trace/events/kmem.h; the rules of perf 7.2.
 */
#pragma once
#include "analysis/kmem/gfp.h"
#include "analysis/kmem/kmem_pages.h"
#include "analysis/kmem/kmem_slab.h"
#include "analysis/recorded_events.h"
#include "session/host.h"

struct kmem_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	bool is_chosen[KMEM_ALLOCATORS];
	bool live;         /* pages: only those not freed */
	const char *times; /* or NULL */
	struct kmem_keys by_caller[KMEM_ALLOCATORS], by_address[KMEM_ALLOCATORS];
};

/* Where memory was requested. */
struct kmem_site {
	const char *function; /* NULL: unknown */
	uint64_t offset;
	bool is_allocator; /* part of the page allocator itself */
};

struct kmem_sums {
	struct kmem_slab slab;
	struct kmem_pages pages;
	struct gfp_texts gfp;
	bool page_is_number;            /* pages are identified by number; before Linux 4.1 by address */
	bool has_old_migratetypes;      /* as before Linux 4.4 */
	struct arena arena;
	VEC(struct kmem_site) sites;    /* and what is between them and the allocator */
	struct u64map site_by_callsite; /* index */
};

struct kmem;

/* The events that `kmem record` records; the first event of each allocator in any case, so that record reports why it is missing. */
void kmem_recorded_events(const struct sys *sys, const bool is_chosen[KMEM_ALLOCATORS], struct recorded_events *ret);

struct strobe_error *kmem_run(const struct kmem_request *q, struct kmem **ret) _must_check_;
void kmem_destroy(struct kmem *k);
const struct kmem_sums *kmem_sums(const struct kmem *k);
void kmem_remarks(const struct kmem *k);
/* The site of a row; NULL: unknown. */
const struct kmem_site *kmem_site(const struct kmem_sums *s, uint64_t callsite);
/* Whether a function of that name is part of the page allocator. */
bool kmem_is_allocator(const char *name);
