/*
 * A report as a tree of its sort keys (--hierarchy): one level for each key, with the sums of the levels below.
 *
 * Siblings are in order of their sums. The report's fields and its hist are borrowed and must outlive it. One thread.
 */
#pragma once
#include "base/arena.h"
#include "report/report.h"

struct level_node {
	uint32_t entry;      /* one entry that has the values of this and the levels above */
	bool leaf;           /* the entry itself */
	struct hist_stat *stats; /* by event */
	struct level_node **children;
	uint32_t children_nr;
};

struct levels {
	struct arena arena;
	const struct hist *hist;
	const struct hist_key **keys; /* of each level */
	uint32_t *fields;             /* the same as indexes of the report's fields */
	uint32_t nr;                  /* levels */
	struct level_node root;
};

/* Creates the tree of n entries of the part's hist. */
void levels_create(struct levels *l, const struct report *r, const struct report_part *part, const uint32_t *entries, uint32_t n);
void levels_deinit(struct levels *l);
