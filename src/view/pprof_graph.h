/*
 * The call graph of a pprof report, without nodes and edges that are too small, and its values as text.
 *
 * Shared by the text reports, the DOT and callgrind files and the drawn graph: selects nodes and edges, their order and
 * unit, and the heading. Reads a const profile, which must outlive it; belongs to one thread. All text that comes from a
 * file is escaped.
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
	bool is_picture;             /* order nodes for a readable graph; drop redundant edges */
	bool tree;                   /* a node for each path to a function */
	bool whole_units;            /* choose a unit in which all values are integers */
	bool unsorted_edges;         /* the order of edges does not matter */
	bool no_edges;               /* edges are not needed: nodes are counted only once */
	bool mean;                   /* mean values: see callgraph.h */
	bool with_objects;           /* functions with the same name in two objects are two nodes */
	uint32_t node_count;         /* 0 = all */
	double node_fraction, edge_fraction;
	double divide_by;            /* 1 */
	const char *unit;            /* "minimum", "auto", or a unit */
	const char *const *filters;  /* "focus=x", NULL-terminated: shown in the heading */
	int64_t total;               /* 100 %; 0 = the total of the profile */
	const struct callgraph_samples *samples; /* used in place of the profile's rows in pictures of profiles without labels; or NULL */
};

struct pprof_graph {
	const struct profile *p;
	struct pprof_graph_options o;
	const char *sample_unit, *unit; /* of the profile; of the report */
	int64_t total;
	struct callgraph *graph;
	uint32_t *nodes, nodes_nr;      /* as shown, in order */
	uint32_t all_nr, dropped_nr, dropped_edges;
	struct pprof_tags *tags;        /* for a picture of a profile with labels; else NULL */
};

/* options->event must be one of the profile's. */
void pprof_graph_init(struct pprof_graph *r, const struct profile *p, const struct pprof_graph_options *options);
/* If options->unit is "minimum": chooses the unit that suits all values shown. */
void pprof_graph_choose_unit(struct pprof_graph *r);
void pprof_graph_deinit(struct pprof_graph *r);

void pprof_graph_value(const struct pprof_graph *r, int64_t value, char ret[static PPROF_LABEL_MAX]);
static inline int64_t pprof_size_of(int64_t v)
{
	return v < 0 ? -v : v;
}

/* File, build-id, comments, type, time and duration, a line each. */
void pprof_graph_out_profile(const struct pprof_graph *r, struct out *out);
/* The heading of a report; full: even with compact labels, and with the number of edges left out. */
void pprof_graph_out_head(const struct pprof_graph *r, bool full, struct out *out);
/* The edges shown, the heaviest first; the caller frees the array. */
uint32_t *pprof_graph_edges(const struct pprof_graph *r, uint32_t *ret_nr);
/* The lines of a node in a picture: the parts of its name, then its values. Lines end in '\n'. */
void pprof_graph_node_lines(const struct pprof_graph *r, uint32_t node, struct strbuf *ret);
/* The font size, 8 to 24, by the flat value of a node. most_flat: the largest flat value. */
int pprof_graph_font_size(const struct pprof_graph *r, uint32_t node, int64_t most_flat);
int64_t pprof_graph_most_flat(const struct pprof_graph *r);
/* "#rrggbb" for a share of the total: from grey to red if positive, to green if negative. */
void pprof_colour(double share, bool is_background, char ret[static 8]);
