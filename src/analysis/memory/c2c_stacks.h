/*
 * The call stacks of the accesses of each row, as call trees.
 *
 *	c2c_stacks_take(&s, line, row, &sample) …
 *	err = c2c_stacks_choose(&s, "flat,1")       as `report -g`; NULL: perf's default for cache lines
 *	for each line: c2c_trees_open(&t, &s, line); c2c_tree_text(&t, row, out) …; c2c_trees_close(&t);
 *	c2c_stacks_deinit(&s);
 *
 * Zeroed is empty. One thread. Shares are those of the samples of the row's cache line, as in perf.
 */
#pragma once
#include "base/out.h"
#include "base/u64map.h"
#include "profile/calltree.h"
#include "profile/hist.h"
#include "resolve/resolve.h"

struct c2c_stacks {
	struct profile *profile; /* NULL: no access has a stack */
	uint32_t line, row;      /* label columns */
	struct calltree_options choice; /* CALLTREE_NONE: not shown */
};

void c2c_stacks_take(struct c2c_stacks *s, uint32_t line, uint32_t row, const struct resolved_sample *x);
struct strobe_error *c2c_stacks_choose(struct c2c_stacks *s, const char *choice) _must_check_;
void c2c_stacks_deinit(struct c2c_stacks *s);

/* The trees of the rows of one line. */
struct c2c_trees {
	const struct c2c_stacks *stacks;
	struct profile *profile; /* of the line's accesses */
	struct hist_key key;
	struct hist *hist;
	struct u64map entries;   /* of the hist, by row */
	struct calltrees *trees;
};

void c2c_trees_open(struct c2c_trees *t, const struct c2c_stacks *s, uint32_t line);
void c2c_trees_close(struct c2c_trees *t);
/* Writes the tree of a row, as `report` draws it; nothing if it has no stacks. */
void c2c_tree_text(const struct c2c_trees *t, uint32_t row, struct out *out);
/* Passes each stack of a row, folded ("main;work", outermost first), with its samples. */
void c2c_tree_stacks(const struct c2c_trees *t, uint32_t row, void (*take)(void *ctx, const char *folded, uint64_t samples), void *ctx);
