/* Layouts of graphs whose right picture is plain: what is above what, and that nothing touches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "view/svg/layered.h"

static struct layered_graph make(struct layered_node *nodes, uint32_t nodes_nr, struct layered_edge *edges, uint32_t edges_nr)
{
	struct layered_graph g = { .nodes = nodes, .nodes_nr = nodes_nr, .edges = edges, .edges_nr = edges_nr,
				   .gap_x = 10, .gap_y = 20 };
	for (uint32_t i = 0; i < nodes_nr; i++)
		nodes[i] = (struct layered_node){ .width = 40, .height = 30 };
	layered_layout(&g);
	return g;
}

static void assert_apart(const struct layered_graph *g)
{
	for (uint32_t i = 0; i < g->nodes_nr; i++) {
		const struct layered_node *a = &g->nodes[i];
		assert_true(a->x - a->width / 2 > -0.01 && a->x + a->width / 2 < g->width + 0.01);
		assert_true(a->y - a->height / 2 > -0.01 && a->y + a->height / 2 < g->height + 0.01);
		for (uint32_t k = i + 1; k < g->nodes_nr; k++) {
			const struct layered_node *b = &g->nodes[k];
			double dx = a->x < b->x ? b->x - a->x : a->x - b->x, dy = a->y < b->y ? b->y - a->y : a->y - b->y;
			double least_x = (a->width + b->width) / 2 + g->gap_x, least_y = (a->height + b->height) / 2 + g->gap_y;
			assert_true(dx >= least_x - 0.01 || dy >= least_y - 0.01);
		}
	}
}

static void test_chain(void **state)
{
	struct layered_node n[3];
	struct layered_edge e[] = { { 0, 1, 1, NULL, 0 }, { 1, 2, 1, NULL, 0 } };
	struct layered_graph g = make(n, 3, e, 2);
	assert_true(n[0].x == n[1].x && n[1].x == n[2].x);
	assert_true(n[0].y == 15 && n[1].y == 65 && n[2].y == 115); /* 30 high, 20 between */
	assert_true(g.width == 40 && g.height == 130);
	assert_int_equal(e[0].points_nr, 2);
	assert_true(e[0].points[0].y == 30 && e[0].points[1].y == 50);
	layered_free(&g);
}

/* Two parents and their children, crosswise: the order of the children undoes the crossing. */
static void test_uncrosses(void **state)
{
	struct layered_node n[4];
	struct layered_edge e[] = { { 0, 3, 1, NULL, 0 }, { 1, 2, 1, NULL, 0 } };
	struct layered_graph g = make(n, 4, e, 2);
	assert_true((n[0].x < n[1].x) == (n[3].x < n[2].x));
	assert_apart(&g);
	layered_free(&g);
}

static void test_cycle(void **state)
{
	struct layered_node n[3];
	struct layered_edge e[] = { { 0, 1, 1, NULL, 0 }, { 1, 2, 1, NULL, 0 }, { 2, 0, 1, NULL, 0 } };
	struct layered_graph g = make(n, 3, e, 3);
	assert_true(n[0].y < n[1].y && n[1].y < n[2].y);
	assert_true(e[2].points[0].y > e[2].points[e[2].points_nr - 1].y); /* it runs upwards */
	assert_int_equal(e[2].points_nr, 4);                              /* and round the one between */
	assert_apart(&g);
	layered_free(&g);
}

static void test_many(void **state)
{
	enum { NODES = 60, EDGES = 150 };
	static struct layered_node n[NODES];
	static struct layered_edge e[EDGES];
	uint32_t seed = 7, nr = 0;
	while (nr < EDGES) {
		uint32_t from = (seed = seed * 1103515245 + 12345) >> 16 & 63, to = (seed = seed * 1103515245 + 12345) >> 16 & 63;
		if (from < NODES && to < NODES && from != to)
			e[nr++] = (struct layered_edge){ .from = from, .to = to, .weight = 1 + nr % 5 };
	}
	struct layered_graph g = make(n, NODES, e, EDGES);
	assert_apart(&g);
	for (uint32_t i = 0; i < EDGES; i++) {
		const struct layered_point *last = &e[i].points[e[i].points_nr - 1];
		assert_true(e[i].points[0].x == n[e[i].from].x && last->x == n[e[i].to].x);
	}
	layered_free(&g);
}

static void test_nothing(void **state)
{
	struct layered_graph g = { .gap_x = 1, .gap_y = 1 };
	layered_layout(&g);
	assert_true(g.width == 0 && g.height == 0);
	layered_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain), cmocka_unit_test(test_uncrosses), cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_many),  cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
