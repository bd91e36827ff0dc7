/*
 * The call graph of all stacks of a profile: a node for each function (or line, file, address), an edge for each call.
 *
 * A node's flat value is the sum of samples that end in it; its cumulative one that of samples that pass through it,
 * each counted once in recursions. The same for edges; calls of a node to itself have none. Values are signed, since
 * differences of profiles may be negative. Nodes that are not kept are skipped: an edge over them is `residual`, and
 * samples that end in them are not counted.
 *
 * Reads a const profile, which must outlive it; belongs to one thread while it is made.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/idset.h"
#include "base/strtab.h"
#include "base/vector.h"
#include "profile/profile.h"

enum callgraph_by {
	CALLGRAPH_FUNCTIONS,
	CALLGRAPH_FILE_FUNCTIONS,
	CALLGRAPH_FILES,
	CALLGRAPH_LINES,
	CALLGRAPH_ADDRESSES,
};

struct callgraph_node {
	str_id text;   /* of callgraph.strings: the displayed name */
	str_id object; /* of callgraph.strings: path of the object if nothing better is known; else "" */
	frame_id frame; /* one that is this node */
	int64_t flat, cum;
	int64_t flat_by, cum_by; /* with options.mean: divisors for callgraph_divide() */
	bool kept;
	bool inlined;    /* with options.tree: into its parent, on every stack */
	uint32_t parent; /* with options.tree: its caller, kept or not, with a smaller index; else PROFILE_NONE */
	uint32_t in_first, in_nr, out_first, out_nr; /* in callgraph.in and .out */
};

struct callgraph_edge {
	uint32_t from, to;
	int64_t weight, weight_by;
	int64_t sum;   /* the weight before callgraph_divide(), by which edges are sorted */
	bool residual; /* skips nodes that were not kept */
	bool inlined;  /* on every stack that has it */
	bool dropped;
};

/*
 * A source of samples for a profile with tables but without rows, which may be read several times.
 */
struct callgraph_sample {
	const frame_id *path; /* outermost first; valid until the next one */
	uint32_t nr;
	int64_t value;        /* of the event; never negative */
};
struct callgraph_samples {
	void *ctx;
	void (*rewind)(void *ctx);
	bool (*next)(void *ctx, struct callgraph_sample *ret); /* false after the last */
};

struct callgraph_options {
	enum callgraph_by by;
	uint32_t event;
	bool no_inlines;    /* functions count for those inlined into them */
	bool drop_negative;
	bool with_objects;  /* the same name in two objects is two nodes */
	bool tree;          /* a node for each path to a function; edges are made at once */
	bool mean;          /* also counts divisors: of the first event, or the samples of a recording */
	const struct callgraph_samples *samples; /* in place of the profile's rows: not with tree nor mean; borrowed. Or NULL */
};

struct callgraph {
	const struct profile *profile;
	struct callgraph_options options;
	struct strtab strings;
	VEC(struct callgraph_node) nodes;
	VEC(struct callgraph_edge) edges;
	VEC(uint32_t) in, out;  /* edges of each node */
	uint32_t *frame_nodes;  /* by frame: node, or PROFILE_NONE; NULL with options.tree */
	uint32_t *stack_nodes;  /* with options.tree, by stack: node (if skipped, its caller's), or PROFILE_NONE */
	int64_t total;          /* sum of the sizes of all values */
};

/* Counts nodes only. */
struct callgraph *callgraph_create(const struct profile *p, struct callgraph_options options);
void callgraph_destroy(struct callgraph *g);
/*
 * Divides sums to means, with options.mean. Call it last: sorting uses sums.
 */
void callgraph_divide(struct callgraph *g);
/* What a row adds to the divisors: in foreign profiles the first value is the count. */
int64_t callgraph_divisor(const struct callgraph *g, const struct profile_row *row);
/* Recomputes the values of kept nodes, and their edges. */
void callgraph_recount(struct callgraph *g);
/* Sorts the edges of each node, the heaviest first. */
void callgraph_sort_edges(struct callgraph *g);

/* Whether a node is listed: its value is not 0, nor negative if such are dropped. */
bool callgraph_has_value(const struct callgraph *g, const struct callgraph_node *n);

/* BY_ENTROPY: nodes where paths split and join precede others; for pictures. */
enum callgraph_order { CALLGRAPH_BY_FLAT, CALLGRAPH_BY_CUM, CALLGRAPH_BY_ENTROPY };
/* Nodes that are kept and have a value, the largest first, equal ones by name; the array is the caller's to free. */
uint32_t *callgraph_sort(const struct callgraph *g, enum callgraph_order order, uint32_t *ret_nr);

/* The identity of a node at the graph's granularity. Strings are the profile's. */
struct callgraph_place {
	const char *name, *file, *object;
	uint64_t addr;
	uint32_t line;
};
struct callgraph_place callgraph_place(const struct callgraph *g, const struct callgraph_node *n);
/* The heavier first, equal ones by the names of caller and callee; for qsort(). */
int callgraph_compare_edges(const struct callgraph *g, uint32_t a, uint32_t b);

/* The node of the innermost frame of a stack, kept or not; PROFILE_NONE: it counts as its caller. */
static inline uint32_t callgraph_node_of(const struct callgraph *g, stack_id s)
{
	return g->stack_nodes ? g->stack_nodes[s] : g->frame_nodes[g->profile->stacks.data[s].frame];
}

static inline const char *callgraph_text(const struct callgraph *g, uint32_t node)
{
	return strtab_get(&g->strings, g->nodes.data[node].text);
}
