/*
 * A directed graph laid out in layers, callers above what they call: where its boxes are and which way its edges run.
 *
 * The steps are Sugiyama's: cycles are broken, nodes ranked, long edges cut into steps of one layer, layers ordered so that
 * few edges cross, and boxes moved to where their neighbours are. Deterministic. The arrays are the caller's; one thread.
 * Sources: Sugiyama, Tagawa, Toda 1981; Gansner et al., "A Technique for Drawing Directed Graphs", 1993.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct layered_point {
	double x, y;
};

struct layered_node {
	double width, height;
	double x, y; /* returned: of the middle */
};

struct layered_edge {
	uint32_t from, to;
	double weight;      /* heavier edges run straighter */
	/* Returned: from the one's border to the other's, one point a layer; straight down at each. */
	struct layered_point *points;
	uint32_t points_nr;
};

struct layered_graph {
	struct layered_node *nodes;
	uint32_t nodes_nr;
	struct layered_edge *edges; /* none from a node to itself */
	uint32_t edges_nr;
	double gap_x, gap_y;        /* between boxes, and between layers */
	double width, height;       /* returned */
};

void layered_layout(struct layered_graph *g);
/* The points of its edges. */
void layered_free(struct layered_graph *g);
