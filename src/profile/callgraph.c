#include "profile/callgraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profile/callgraph_priv.h"

/* ---- nodes ---- */

/* Removes ".", empty parts and "x/.." from the path, so that different spellings of a file are equal. */
static void add_clean_path(struct strbuf *b, const char *path)
{
	size_t start = b->len;
	bool rooted = *path == '/';
	if (rooted)
		strbuf_addch(b, '/');
	size_t root = b->len;
	while (*path) {
		size_t n = strcspn(path, "/");
		bool is_up = n == 2 && !memcmp(path, "..", 2);
		if (is_up && b->len > root) {
			while (b->len > root && b->data[b->len - 1] != '/')
				b->len--;
			if (b->len > root)
				b->len--;
		} else if (n && !(n == 1 && *path == '.') && !(is_up && rooted)) {
			if (b->len > root)
				strbuf_addch(b, '/');
			strbuf_add(b, path, n);
		}
		path += n;
		path += *path == '/';
	}
	if (b->len == start)
		strbuf_addch(b, '.');
	b->data[b->len] = 0;
}

static struct callgraph_place place_of(const struct callgraph *g, const struct profile_frame *f)
{
	const struct profile *p = g->profile;
	enum callgraph_by by = g->options.by;
	struct callgraph_place n = { .name = "", .file = "", .object = "" };
	if (f->mapping != PROFILE_NONE) {
		const struct profile_mapping *m = &p->mappings.data[f->mapping];
		n.object = profile_str(p, m->path ? m->path : m->name);
	}
	if (by == CALLGRAPH_ADDRESSES)
		n.addr = f->addr;
	if (f->function == PROFILE_NONE)
		return n;
	const struct profile_function *fn = &p->functions.data[f->function];
	if (by != CALLGRAPH_FILES)
		n.name = profile_str(p, fn->name);
	if (by != CALLGRAPH_FUNCTIONS)
		n.file = profile_str(p, fn->file);
	if (by == CALLGRAPH_LINES || by == CALLGRAPH_ADDRESSES)
		n.line = f->line;
	return n;
}

/* "address name file:line", as much of it as is known. */
static void add_text(struct strbuf *b, const struct callgraph_place *n)
{
	if (n->addr)
		strbuf_addf(b, "%016llx ", (unsigned long long)n->addr);
	if (*n->name)
		strbuf_addf(b, "%s ", n->name);
	if (n->line || *n->file) {
		if (*n->file)
			add_clean_path(b, n->file);
		if (n->line)
			strbuf_addf(b, ":%u", n->line);
		strbuf_addch(b, ' ');
	} else if (!*n->name) {
		if (*n->object)
			strbuf_addf(b, "[%s] ", text_base_name(n->object));
		else
			strbuf_addstr(b, "<unknown> ");
	}
	b->data[--b->len] = 0;
}

static bool node_eq(const void *table, uint32_t id, const void *key)
{
	const struct callgraph_node *a = (const struct callgraph_node *)table + id, *b = key;
	return a->text == b->text && a->object == b->object && a->parent == b->parent;
}

struct callgraph_node callgraph_node_of_frame(struct callgraph *g, struct strbuf *b, frame_id frame)
{
	struct callgraph_place n = place_of(g, &g->profile->frames.data[frame]);
	strbuf_reset(b);
	add_text(b, &n);
	struct callgraph_node node = { .text = strtab_add_n(&g->strings, b->data, b->len), .frame = frame, .kept = true };
	node.object = *n.name && !g->options.with_objects ? 0 : strtab_add(&g->strings, n.object);
	node.parent = PROFILE_NONE;
	return node;
}

uint32_t callgraph_intern_node(struct callgraph *g, struct idset *index, const struct callgraph_node *node)
{
	uint64_t hash = hash_u64(((uint64_t)node->text << 32 | node->object) + hash_u64(node->parent));
	uint32_t id = idset_intern(index, hash, node_eq, g->nodes.data, node, g->nodes.len);
	if (id == g->nodes.len)
		vec_push(&g->nodes, *node);
	return id;
}

static void make_nodes(struct callgraph *g)
{
	const struct profile *p = g->profile;
	struct idset index = {};
	_cleanup_strbuf_ struct strbuf b = {};
	strbuf_reserve(&b, 256);
	g->frame_nodes = xmalloc((p->frames.len + 1) * sizeof(*g->frame_nodes));
	for (frame_id i = 0; i < p->frames.len; i++) {
		g->frame_nodes[i] = PROFILE_NONE;
		if (callgraph_passes_over(g, i))
			continue;
		struct callgraph_node node = callgraph_node_of_frame(g, &b, i);
		g->frame_nodes[i] = callgraph_intern_node(g, &index, &node);
	}
	idset_deinit(&index);
}

/* ---- edges ---- */

static int64_t size_of(int64_t v)
{
	return v < 0 ? -v : v;
}

int callgraph_compare_edges(const struct callgraph *g, uint32_t a, uint32_t b)
{
	const struct callgraph_edge *x = &g->edges.data[a], *y = &g->edges.data[b];
	int64_t wx = size_of(x->sum), wy = size_of(y->sum);
	if (wx != wy)
		return wx > wy ? -1 : 1;
	int order = strcmp(callgraph_text(g, x->from), callgraph_text(g, y->from));
	return order ? order : strcmp(callgraph_text(g, x->to), callgraph_text(g, y->to));
}

static int compare_edges(const void *a, const void *b, void *ctx)
{
	return callgraph_compare_edges(ctx, *(const uint32_t *)a, *(const uint32_t *)b);
}

void callgraph_list_edges(struct callgraph *g)
{
	uint32_t in = 0, out = 0;
	for (size_t i = 0; i < g->nodes.len; i++)
		g->nodes.data[i].in_nr = g->nodes.data[i].out_nr = 0;
	for (size_t i = 0; i < g->edges.len; i++) {
		g->edges.data[i].sum = g->edges.data[i].weight;
		g->nodes.data[g->edges.data[i].to].in_nr++;
		g->nodes.data[g->edges.data[i].from].out_nr++;
	}
	for (size_t i = 0; i < g->nodes.len; i++) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->in_first = in, n->out_first = out;
		in += n->in_nr, out += n->out_nr;
		n->in_nr = n->out_nr = 0;
	}
	vec_clear(&g->in);
	vec_clear(&g->out);
	(void)vec_extend(&g->in, g->edges.len);
	(void)vec_extend(&g->out, g->edges.len);
	for (uint32_t i = 0; i < g->edges.len; i++) {
		struct callgraph_node *to = &g->nodes.data[g->edges.data[i].to], *from = &g->nodes.data[g->edges.data[i].from];
		g->in.data[to->in_first + to->in_nr++] = i;
		g->out.data[from->out_first + from->out_nr++] = i;
	}
}

void callgraph_sort_edges(struct callgraph *g)
{
	for (size_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		if (n->in_nr > 1)
			qsort_r(g->in.data + n->in_first, n->in_nr, sizeof(uint32_t), compare_edges, g);
		if (n->out_nr > 1)
			qsort_r(g->out.data + n->out_first, n->out_nr, sizeof(uint32_t), compare_edges, g);
	}
}

/* ---- all of it ---- */

void callgraph_recount(struct callgraph *g)
{
	if (g->options.tree)
		callgraph_join_tree(g);
	else
		callgraph_count(g, true);
}

struct callgraph *callgraph_create(const struct profile *p, struct callgraph_options options)
{
	struct callgraph *g = xcalloc(1, sizeof(*g));
	g->profile = p;
	g->options = options;
	strtab_init(&g->strings);
	if (options.tree) {
		callgraph_make_tree(g);
	} else {
		make_nodes(g);
		callgraph_count(g, false);
	}
	return g;
}

void callgraph_destroy(struct callgraph *g)
{
	if (!g)
		return;
	strtab_deinit(&g->strings);
	vec_deinit(&g->nodes);
	vec_deinit(&g->edges);
	vec_deinit(&g->in);
	vec_deinit(&g->out);
	free(g->frame_nodes);
	free(g->stack_nodes);
	free(g);
}

struct callgraph_place callgraph_place(const struct callgraph *g, const struct callgraph_node *n)
{
	return place_of(g, &g->profile->frames.data[n->frame]);
}

/* ---- order ---- */

struct order {
	const struct callgraph *g;
	enum callgraph_order by;
	const int64_t *scores; /* by node, for BY_ENTROPY */
};

/* Entropy in bits: 0 for one edge, higher for more and more even ones. self counts as an edge. */
static double edges_entropy(const struct callgraph *g, const uint32_t *edges, uint32_t nr, int64_t self)
{
	double total = (double)self, score = 0;
	for (uint32_t i = 0; i < nr; i++) {
		int64_t weight = g->edges.data[edges[i]].weight;
		total += weight > 0 ? (double)weight : 0;
	}
	for (uint32_t i = 0; i < nr && total != 0; i++) {
		double share = (double)size_of(g->edges.data[edges[i]].weight) / total;
		score -= share > 0 ? share * log2(share) : 0;
	}
	if (self > 0 && total != 0) {
		double share = (double)self / total;
		score -= share * log2(share);
	}
	return score;
}

static int64_t *entropy_scores(const struct callgraph *g)
{
	int64_t *scores = xcalloc(g->nodes.len + 1, sizeof(*scores));
	for (size_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		double score = n->in_nr ? edges_entropy(g, g->in.data + n->in_first, n->in_nr, 0) : 1;
		score += n->out_nr ? edges_entropy(g, g->out.data + n->out_first, n->out_nr, n->flat) : 1;
		scores[i] = (int64_t)(score * (double)n->cum) + n->flat;
	}
	return scores;
}

static int compare_scores(const struct order *o, uint32_t a, uint32_t b)
{
	const struct callgraph_node *x = &o->g->nodes.data[a], *y = &o->g->nodes.data[b];
	int64_t sx = size_of(o->scores[a]), sy = size_of(o->scores[b]);
	if (sx != sy)
		return sx > sy ? -1 : 1;
	int order = strcmp(callgraph_text(o->g, a), callgraph_text(o->g, b));
	if (order)
		return order;
	int64_t fx = size_of(x->flat), fy = size_of(y->flat);
	if (fx != fy)
		return fx > fy ? -1 : 1;
	return strcmp(strtab_get(&o->g->strings, x->object), strtab_get(&o->g->strings, y->object));
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	if (o->by == CALLGRAPH_BY_ENTROPY)
		return compare_scores(o, *(const uint32_t *)a, *(const uint32_t *)b);
	const struct callgraph_node *x = &o->g->nodes.data[*(const uint32_t *)a], *y = &o->g->nodes.data[*(const uint32_t *)b];
	int64_t x1 = size_of(x->flat), x2 = size_of(x->cum), y1 = size_of(y->flat), y2 = size_of(y->cum);
	bool by_flat = o->by == CALLGRAPH_BY_FLAT;
	int64_t first_x = by_flat ? x1 : x2, first_y = by_flat ? y1 : y2;
	if (first_x != first_y)
		return first_x > first_y ? -1 : 1;
	int order = strcmp(strtab_get(&o->g->strings, x->text), strtab_get(&o->g->strings, y->text));
	if (order)
		return order;
	int64_t second_x = by_flat ? x2 : x1, second_y = by_flat ? y2 : y1;
	if (second_x != second_y)
		return second_x > second_y ? -1 : 1;
	return strcmp(strtab_get(&o->g->strings, x->object), strtab_get(&o->g->strings, y->object));
}

bool callgraph_has_value(const struct callgraph *g, const struct callgraph_node *n)
{
	bool is_negative = n->flat < 0 || (!n->flat && n->cum < 0);
	return (n->flat || n->cum) && !(g->options.drop_negative && is_negative);
}

uint32_t *callgraph_sort(const struct callgraph *g, enum callgraph_order by, uint32_t *ret_nr)
{
	uint32_t *list = xmalloc((g->nodes.len + 1) * sizeof(*list)), nr = 0;
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		if (n->kept && callgraph_has_value(g, n))
			list[nr++] = i;
	}
	int64_t *scores = by == CALLGRAPH_BY_ENTROPY ? entropy_scores(g) : NULL;
	struct order o = { g, by, scores };
	qsort_r(list, nr, sizeof(*list), compare_nodes, &o);
	free(scores);
	*ret_nr = nr;
	return list;
}
