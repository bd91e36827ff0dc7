/*
 * The call graph of a report of pprof, without what is too small to matter, and its figures as text.
 *
 * What the text reports, the DOT and callgrind files and the drawn graph have in common: which nodes and edges show, in
 * which order, in which unit, and what is said above. Reads a const profile, which must outlive it; belongs to one thread.
 * Everything that came from a file is made harmless on its way out.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/strbuf.h"
#include "profile/callgraph.h"
#include "view/pprof_tags.h"
#include "view/pprof_units.h"

struct pprof_graph_options {
	uint32_t event;
	enum callgraph_by by;
	bool sort_cum, no_inlines, drop_negative, compact_labels;
	bool is_picture;             /* nodes in the order that makes a readable graph; no edges that others imply */
	bool tree;                   /* a node for each way that leads to a function */
	bool whole_units;            /* the unit in which even the smallest value is a whole number */
	bool unsorted_edges;         /* of no node's edges the order matters */
	bool no_edges;               /* none are needed: nodes are counted only once */
	bool mean;                   /* values divided by how often: see callgraph.h */
	bool with_objects;           /* the same name in two objects is two nodes */
	uint32_t node_count;         /* 0 = all */
	double node_fraction, edge_fraction;
	double divide_by;            /* 1 */
	const char *unit;            /* "minimum", "auto", or a unit */
	const char *const *filters;  /* as "focus=x", NULL-terminated: said above the report */
	int64_t total;               /* what percentages are of; 0 = the profile's own */
	const struct callgraph_samples *samples; /* in place of the profile's rows, of pictures whose profile has no labels; or NULL */
};

struct pprof_graph {
	const struct profile *p;
	struct pprof_graph_options o;
	const char *sample_unit, *unit; /* of the profile; as shown */
	int64_t total;
	struct callgraph *graph;
	uint32_t *nodes, nodes_nr;      /* as shown, in order */
	uint32_t all_nr, dropped_nr, dropped_edges;
	struct pprof_tags *tags;        /* of a picture whose profile has labels; else NULL */
};

/* options->event must be one of the profile's. */
void pprof_graph_init(struct pprof_graph *r, const struct profile *p, const struct pprof_graph_options *options);
/* Where options->unit is "minimum": the unit that suits all that shows. */
void pprof_graph_choose_unit(struct pprof_graph *r);
void pprof_graph_deinit(struct pprof_graph *r);

void pprof_graph_value(const struct pprof_graph *r, int64_t value, char ret[static PPROF_LABEL_MAX]);
static inline int64_t pprof_size_of(int64_t v)
{
	return v < 0 ? -v : v;
}

/* File, build-id, comments, type, time and duration, a line each. */
void pprof_graph_out_profile(const struct pprof_graph *r, struct out *out);
/* The heading of a report; full: however compact labels are to be, and with the edges that were left out. */
void pprof_graph_out_head(const struct pprof_graph *r, bool full, struct out *out);
/* The edges that show, the heaviest first; the array is the caller's to free. */
uint32_t *pprof_graph_edges(const struct pprof_graph *r, uint32_t *ret_nr);
/* The lines of a node in a picture: the parts of its name, then what it costs. Lines end in '\n'. */
void pprof_graph_node_lines(const struct pprof_graph *r, uint32_t node, struct strbuf *ret);
/* 8 to 24: the more of the whole a node costs itself, the larger. most_flat: of the largest node. */
int pprof_graph_font_size(const struct pprof_graph *r, uint32_t node, int64_t most_flat);
int64_t pprof_graph_most_flat(const struct pprof_graph *r);
/* "#rrggbb" for a share of the whole: grey, or red the more and green the less it is. */
void pprof_colour(double share, bool is_background, char ret[static 8]);
