/*
 * Layered layout of a directed graph, callers above callees: positions of boxes and routes of edges.
 *
 * The steps are Sugiyama's: break cycles, rank nodes, split long edges into steps of one layer, order layers to reduce crossings,
 * and move boxes near their neighbours. Deterministic. The arrays are the caller's; one thread.
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
	/* Returned: from border to border, with a point per layer, and vertical there. */
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
