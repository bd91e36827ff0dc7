/*
 * Shared by fill.c and stacks.c, which make a profile of raw rows.
 */
#pragma once
#include "base/u64map.h"
#include "record/wait.h"
#include "resolve/worker.h"

#define FILL_DROPPED UINT32_MAX /* result of a raw row whose leaf has no symbol, if such are hidden */

/* Nodes and rows of one worker, from its raw rows, by function instead of address. */
struct fill_node {
	uint32_t caller; /* node, or PROFILE_NONE */
	frame_id frame;
	uint64_t first;
	stack_id stack;  /* in the profile */
};

struct fill_row {
	uint64_t samples, value, weight, first;
	uint32_t node; /* PROFILE_NONE: no address */
	uint32_t group, event;
	uint32_t result; /* row of the profile */
};

struct fill_worker {
	struct worker *w;
	uint32_t *frames;  /* by raw frame used in a path: its list in fill.lists */
	frame_id *exact;   /* by raw frame used as a label: frame + 1 */
	uint64_t *bytes;   /* by raw bytes: string + 1 */
	labels_id *labels; /* by group: label set + 1, if samples have no labels */
	VEC(struct fill_node) nodes;
	VEC(struct fill_row) rows;
	struct idset node_index, row_index;
	/* Of the current row and the one before, outermost first: frames, nodes, and the end of each raw frame in them. */
	VEC(frame_id) path, last_path;
	VEC(uint32_t) last_nodes, depths;
	const uint32_t *last_raw; /* innermost first */
	uint32_t last_raw_nr;
	uint64_t dropped; /* samples */
	uint32_t next;    /* row or sub that comes next */
} THREAD_OWN;

struct fill {
	struct resolver *r;
	struct profile *p;
	struct fill_worker *of;
	unsigned n;
	VEC(mapping_id) mappings; /* by mapped_file.id: mapping + 1 */
	struct u64map frames;     /* by symbol, processor's mode and flags: frame + 1 */
	bool takes_names;         /* takes over names of inlined functions without a copy */
	VEC(frame_id) lists;      /* the number of frames at one address, then the frames, outermost first */
	str_id *comms;            /* by string of the machine: string + 1 */
	uint64_t *labels;         /* of the row at hand */
	struct wait_events waits;
};

static inline uint32_t cached_frame(struct frame_cache *c, const struct raw_frame *raw)
{
	const struct frame_where *w = &raw->where;
	return frame_cache_find(c, w->space, w->kernel, w->cpumode, w->call_site, raw->ip);
}

/* program.c: adds the mapping of the program with the most samples, before any other mapping. */
void fill_program(struct fill *f);

/* stacks.c */
mapping_id fill_mapping(struct fill *f, const struct map *map);
frame_id fill_frame(struct fill *f, const struct resolved_frame *from, bool by_address, uint8_t flags);
/* Looks up the addresses of all paths. */
void fill_frames(struct fill *f);
/* Then makes the stacks, and each worker's rows. */
void fill_stacks(struct fill *f);
