#include "profile/callgraph.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"

/* ---- nodes ---- */

/* The path without "." and empty parts and without "x/..": two spellings of one file are one file. */
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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

struct naming {
	const char *name, *file, *object;
	uint64_t addr;
	uint32_t line;
};

static struct naming naming_of(const struct callgraph *g, const struct profile_frame *f)
{
	const struct profile *p = g->profile;
	enum callgraph_by by = g->options.by;
	struct naming n = { .name = "", .file = "", .object = "" };
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
static void add_text(struct strbuf *b, const struct naming *n)
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
			strbuf_addf(b, "[%s] ", base_name(n->object));
		else
			strbuf_addstr(b, "<unknown> ");
	}
	b->data[--b->len] = 0;
}

static bool node_eq(const void *table, uint32_t id, const void *key)
{
	const struct callgraph_node *a = (const struct callgraph_node *)table + id, *b = key;
	return a->text == b->text && a->object == b->object;
}

static uint32_t intern_node(struct callgraph *g, struct idset *index, struct strbuf *b, frame_id frame)
{
	struct naming n = naming_of(g, &g->profile->frames.data[frame]);
	strbuf_reset(b);
	add_text(b, &n);
	struct callgraph_node node = { .text = strtab_add_n(&g->strings, b->data, b->len), .frame = frame, .kept = true };
	node.object = *n.name ? 0 : strtab_add(&g->strings, n.object);
	uint64_t hash = hash_u64((uint64_t)node.text << 32 | node.object);
	uint32_t id = idset_find(index, hash, node_eq, g->nodes.data, &node);
	if (id == IDSET_NONE) {
		id = (uint32_t)g->nodes.len;
		vec_push(&g->nodes, node);
		idset_insert(index, hash, id);
	}
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
		bool is_passed_over = g->options.no_inlines && p->frames.data[i].flags & FRAME_INLINED;
		g->frame_nodes[i] = is_passed_over ? PROFILE_NONE : intern_node(g, &index, &b, i);
	}
	idset_deinit(&index);
}

/* ---- counting: once over the tree of stacks, however many samples there are ---- */

struct counter {
	struct callgraph *g;
	int64_t *self, *all;           /* by stack: of samples that end there, and of those that pass */
	stack_id *first_child, *sibling;
	uint32_t *node, *edge;         /* by stack: the nearest kept node, and the edge that led to it (or PROFILE_NONE) */
	bool *residual;                /* by stack: ends in frames that are not kept */
	uint32_t *on_path_node;        /* how often each is on the path at hand */
	VEC(uint32_t) on_path_edge;
	struct u64map edges;           /* from << 32 | to → edge + 1 */
	bool with_edges;
};

static void sum_values(struct counter *c)
{
	const struct profile *p = c->g->profile;
	int64_t total = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event != c->g->options.event)
			continue;
		int64_t value = (int64_t)row->value;
		total += value < 0 ? -value : value;
		if (row->stack != PROFILE_NONE)
			c->self[row->stack] += value;
	}
	c->g->total = total;
	/* a stack's number is larger than its caller's */
	for (stack_id s = (stack_id)p->stacks.len; s--;) {
		c->all[s] += c->self[s];
		stack_id caller = p->stacks.data[s].caller;
		if (caller == PROFILE_NONE)
			continue;
		c->all[caller] += c->all[s];
		c->sibling[s] = c->first_child[caller];
		c->first_child[caller] = s;
	}
}

static uint32_t find_edge(struct counter *c, uint32_t from, uint32_t to)
{
	bool is_new;
	uint64_t *at = u64map_put(&c->edges, (uint64_t)from << 32 | to, &is_new);
	if (is_new) {
		struct callgraph_edge e = { .from = from, .to = to, .inlined = true };
		vec_push(&c->g->edges, e);
		vec_push(&c->on_path_edge, 0);
		*at = c->g->edges.len;
	}
	return (uint32_t)*at - 1;
}

static void enter(struct counter *c, stack_id s)
{
	struct callgraph *g = c->g;
	const struct profile_stack *st = &g->profile->stacks.data[s];
	uint32_t caller = st->caller == PROFILE_NONE ? PROFILE_NONE : c->node[st->caller];
	bool was_residual = st->caller != PROFILE_NONE && c->residual[st->caller];
	uint32_t node = g->frame_nodes[st->frame];
	c->edge[s] = PROFILE_NONE;
	if (node == PROFILE_NONE || !g->nodes.data[node].kept) {
		c->node[s] = caller;
		c->residual[s] = node != PROFILE_NONE || was_residual;
		if (!c->residual[s] && caller != PROFILE_NONE)
			g->nodes.data[caller].flat += c->self[s];
		return;
	}
	if (!c->on_path_node[node]++)
		g->nodes.data[node].cum += c->all[s];
	if (c->with_edges && caller != PROFILE_NONE && caller != node) {
		uint32_t e = c->edge[s] = find_edge(c, caller, node);
		if (!c->on_path_edge.data[e]++)
			g->edges.data[e].weight += c->all[s];
		g->edges.data[e].residual |= was_residual;
		g->edges.data[e].inlined &= (g->profile->frames.data[st->frame].flags & FRAME_INLINED) != 0;
	}
	c->node[s] = node;
	c->residual[s] = false;
	g->nodes.data[node].flat += c->self[s];
}

static void leave(struct counter *c, stack_id s)
{
	const struct callgraph *g = c->g;
	uint32_t node = g->frame_nodes[g->profile->stacks.data[s].frame];
	if (node != PROFILE_NONE && g->nodes.data[node].kept)
		c->on_path_node[node]--;
	if (c->edge[s] != PROFILE_NONE)
		c->on_path_edge.data[c->edge[s]]--;
}

/* Depth first, without recursion, because stacks may be deep. */
static void walk(struct counter *c, stack_id root)
{
	const struct profile *p = c->g->profile;
	for (stack_id s = root;;) {
		enter(c, s);
		if (c->first_child[s] != PROFILE_NONE) {
			s = c->first_child[s];
			continue;
		}
		while (s != root && c->sibling[s] == PROFILE_NONE) {
			leave(c, s);
			s = p->stacks.data[s].caller;
		}
		leave(c, s);
		if (s == root)
			return;
		s = c->sibling[s];
	}
}

static int64_t size_of(int64_t v)
{
	return v < 0 ? -v : v;
}

static int compare_edges(const void *a, const void *b, void *ctx)
{
	const struct callgraph *g = ctx;
	const struct callgraph_edge *x = &g->edges.data[*(const uint32_t *)a], *y = &g->edges.data[*(const uint32_t *)b];
	int64_t wx = size_of(x->weight), wy = size_of(y->weight);
	if (wx != wy)
		return wx > wy ? -1 : 1;
	int order = strcmp(callgraph_text(g, x->from), callgraph_text(g, y->from));
	return order ? order : strcmp(callgraph_text(g, x->to), callgraph_text(g, y->to));
}

/* Edges in the lists of their nodes. */
static void list_edges(struct callgraph *g)
{
	uint32_t in = 0, out = 0;
	for (size_t i = 0; i < g->nodes.len; i++)
		g->nodes.data[i].in_nr = g->nodes.data[i].out_nr = 0;
	for (size_t i = 0; i < g->edges.len; i++) {
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

static void count(struct callgraph *g, bool with_edges)
{
	size_t stacks = g->profile->stacks.len + 1;
	struct counter c = {
		.g = g,
		.with_edges = with_edges,
		.self = xcalloc(stacks, sizeof(int64_t)),
		.all = xcalloc(stacks, sizeof(int64_t)),
		.first_child = xmalloc(stacks * sizeof(stack_id)),
		.sibling = xmalloc(stacks * sizeof(stack_id)),
		.node = xmalloc(stacks * sizeof(uint32_t)),
		.edge = xmalloc(stacks * sizeof(uint32_t)),
		.residual = xcalloc(stacks, sizeof(bool)),
		.on_path_node = xcalloc(g->nodes.len + 1, sizeof(uint32_t)),
	};
	memset(c.first_child, 0xff, stacks * sizeof(stack_id));
	memset(c.sibling, 0xff, stacks * sizeof(stack_id));
	for (size_t i = 0; i < g->nodes.len; i++)
		g->nodes.data[i].flat = g->nodes.data[i].cum = 0;
	vec_clear(&g->edges);
	sum_values(&c);
	for (stack_id s = 0; s < g->profile->stacks.len; s++)
		if (g->profile->stacks.data[s].caller == PROFILE_NONE)
			walk(&c, s);
	list_edges(g);
	free(c.self);
	free(c.all);
	free(c.first_child);
	free(c.sibling);
	free(c.node);
	free(c.edge);
	free(c.residual);
	free(c.on_path_node);
	vec_deinit(&c.on_path_edge);
	u64map_deinit(&c.edges);
}

void callgraph_recount(struct callgraph *g)
{
	count(g, true);
}

struct callgraph *callgraph_create(const struct profile *p, struct callgraph_options options)
{
	struct callgraph *g = xcalloc(1, sizeof(*g));
	g->profile = p;
	g->options = options;
	strtab_init(&g->strings);
	make_nodes(g);
	count(g, false);
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
	free(g);
}

struct order {
	const struct callgraph *g;
	enum callgraph_order by;
};

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
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

uint32_t *callgraph_sort(const struct callgraph *g, enum callgraph_order by, uint32_t *ret_nr)
{
	uint32_t *list = xmalloc((g->nodes.len + 1) * sizeof(*list)), nr = 0;
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		bool is_negative = n->flat < 0 || (!n->flat && n->cum < 0);
		if (n->kept && (n->flat || n->cum) && !(g->options.drop_negative && is_negative))
			list[nr++] = i;
	}
	struct order o = { g, by };
	qsort_r(list, nr, sizeof(*list), compare_nodes, &o);
	*ret_nr = nr;
	return list;
}
