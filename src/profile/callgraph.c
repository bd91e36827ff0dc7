#include "profile/callgraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "profile/callgraph_priv.h"

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
			strbuf_addf(b, "[%s] ", base_name(n->object));
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
	uint32_t id = idset_find(index, hash, node_eq, g->nodes.data, node);
	if (id == IDSET_NONE) {
		id = (uint32_t)g->nodes.len;
		vec_push(&g->nodes, *node);
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
		g->frame_nodes[i] = PROFILE_NONE;
		if (callgraph_passes_over(g, i))
			continue;
		struct callgraph_node node = callgraph_node_of_frame(g, &b, i);
		g->frame_nodes[i] = callgraph_intern_node(g, &index, &node);
	}
	idset_deinit(&index);
}

/* ---- counting: once over the tree of stacks, however many samples there are ---- */

/* A stack on the path at hand. */
struct step {
	stack_id stack;
	uint32_t node, edge; /* the nearest kept node, and the edge that led to it (or PROFILE_NONE) */
	bool residual;       /* ends in frames that are not kept */
	bool is_first_node, is_first_edge; /* on this path */
	bool own_node;       /* node is this stack's own */
	int64_t all;         /* of samples that pass, as far as they have been met */
};

struct counter {
	struct callgraph *g;
	int64_t *self;                 /* by stack: of samples that end there */
	const bool *is_passed;         /* by stack: some sample that counts leads through it */
	stack_id *order;               /* callers first, each with all that it calls; NULL: as they stand */
	VEC(struct step) path;
	uint32_t *on_path_node;        /* how often each is on the path at hand */
	VEC(uint32_t) on_path_edge;
	struct u64map edges;           /* from << 32 | to → edge + 1 */
	bool with_edges;
};

int64_t callgraph_divisor(const struct callgraph *g, const struct profile_row *row)
{
	bool is_foreign = g->profile->origin.events_are_values;
	if (row->event != (is_foreign ? 0 : g->options.event))
		return 0;
	return (int64_t)(is_foreign ? row->value : row->samples);
}

static int64_t divided(int64_t value, int64_t by)
{
	return by ? value / by : value;
}

void callgraph_sum_divisors(struct callgraph *g, int64_t *self)
{
	const struct profile *p = g->profile;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->stack != PROFILE_NONE)
			self[row->stack] += callgraph_divisor(g, row);
	}
}

static int64_t divisor_total(const struct callgraph *g)
{
	int64_t total = 0;
	for (size_t i = 0; i < g->profile->rows.len; i++)
		total += callgraph_divisor(g, &g->profile->rows.data[i]);
	return total;
}

void callgraph_sum_values(struct callgraph *g, int64_t *self)
{
	const struct profile *p = g->profile;
	int64_t total = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event != g->options.event)
			continue;
		int64_t value = (int64_t)row->value;
		total += value < 0 ? -value : value;
		if (row->stack != PROFILE_NONE)
			self[row->stack] += value;
	}
	g->total = total;
}

/* Whether stacks stand in the order of a walk: each one's caller is on the path of the one before. */
static bool is_in_order(const struct profile *p)
{
	VEC(stack_id) path = {};
	bool is = true;
	for (stack_id s = 0; s < p->stacks.len && is; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		uint32_t above = st->depth - 1;
		is = above <= path.len && (!above || path.data[above - 1] == st->caller);
		path.len = above;
		if (is)
			vec_push(&path, s);
	}
	vec_deinit(&path);
	return is;
}

static stack_id *walk_order(const struct profile *p)
{
	size_t nr = p->stacks.len;
	uint32_t *sizes = xcalloc(nr + 1, sizeof(uint32_t)), *next = xmalloc((nr + 1) * sizeof(uint32_t)), roots = 0;
	stack_id *order = xmalloc((nr + 1) * sizeof(stack_id));
	/* a stack's number is larger than its caller's */
	for (size_t s = nr; s--;) {
		stack_id caller = p->stacks.data[s].caller;
		sizes[s]++;
		if (caller != PROFILE_NONE)
			sizes[caller] += sizes[s];
	}
	for (stack_id s = 0; s < nr; s++) {
		stack_id caller = p->stacks.data[s].caller;
		uint32_t *place = caller == PROFILE_NONE ? &roots : &next[caller];
		order[*place] = s;
		next[s] = *place + 1;
		*place += sizes[s];
	}
	free(sizes);
	free(next);
	return order;
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

static void enter_edge(struct counter *c, struct step *step, uint32_t caller, bool was_residual, bool is_inlined)
{
	uint32_t e = step->edge = find_edge(c, caller, step->node);
	step->is_first_edge = !c->on_path_edge.data[e]++;
	c->g->edges.data[e].residual |= was_residual;
	c->g->edges.data[e].inlined &= is_inlined;
}

static void enter(struct counter *c, stack_id s)
{
	struct callgraph *g = c->g;
	frame_id frame = g->profile->stacks.data[s].frame;
	const struct step *above = c->path.len ? &vec_last(&c->path) : NULL;
	uint32_t caller = above ? above->node : PROFILE_NONE, node = g->frame_nodes[frame];
	bool was_residual = above && above->residual;
	struct step step = { .stack = s, .node = node, .edge = PROFILE_NONE, .all = c->self[s] };
	step.own_node = node != PROFILE_NONE && g->nodes.data[node].kept;
	if (step.own_node) {
		step.is_first_node = !c->on_path_node[node]++;
		g->nodes.data[node].flat += c->self[s];
		if (c->with_edges && caller != PROFILE_NONE && caller != node)
			enter_edge(c, &step, caller, was_residual, g->profile->frames.data[frame].flags & FRAME_INLINED);
	} else {
		step.node = caller;
		step.residual = node != PROFILE_NONE || was_residual;
		if (!step.residual && caller != PROFILE_NONE)
			g->nodes.data[caller].flat += c->self[s];
	}
	vec_push(&c->path, step);
}

static void leave(struct counter *c)
{
	const struct step *step = &c->path.data[--c->path.len];
	if (c->path.len)
		vec_last(&c->path).all += step->all;
	if (step->own_node) {
		c->on_path_node[step->node]--;
		if (step->is_first_node)
			c->g->nodes.data[step->node].cum += step->all;
	}
	if (step->edge != PROFILE_NONE) {
		c->on_path_edge.data[step->edge]--;
		if (step->is_first_edge)
			c->g->edges.data[step->edge].weight += step->all;
	}
}

/* Depth first, without recursion, because stacks may be deep. */
static void walk(struct counter *c)
{
	const struct profile *p = c->g->profile;
	for (size_t i = 0; i < p->stacks.len; i++) {
		stack_id s = c->order ? c->order[i] : (stack_id)i;
		if (!c->is_passed[s])
			continue;
		while (c->path.len >= p->stacks.data[s].depth)
			leave(c);
		enter(c, s);
	}
	while (c->path.len)
		leave(c);
}

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

/* What samples of no value alone lead through, as heap profiles have many, has no edges. */
static bool *passed_stacks(const struct callgraph *g)
{
	const struct profile *p = g->profile;
	bool *ret = xcalloc(p->stacks.len + 1, sizeof(*ret));
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		bool counts = (row->event == g->options.event && row->value) || (g->options.mean && callgraph_divisor(g, row));
		for (stack_id s = counts ? row->stack : PROFILE_NONE; s != PROFILE_NONE && !ret[s]; s = p->stacks.data[s].caller)
			ret[s] = true;
	}
	return ret;
}

/* Once: of the values, or of what they are divided by. */
static void count_once(struct callgraph *g, bool with_edges, const bool *is_passed,
		       void (*sum)(struct callgraph *g, int64_t *self))
{
	struct counter c = {
		.g = g,
		.with_edges = with_edges,
		.self = xcalloc(g->profile->stacks.len + 1, sizeof(int64_t)),
		.is_passed = is_passed,
		.order = is_in_order(g->profile) ? NULL : walk_order(g->profile),
		.on_path_node = xcalloc(g->nodes.len + 1, sizeof(uint32_t)),
	};
	for (size_t i = 0; i < g->nodes.len; i++)
		g->nodes.data[i].flat = g->nodes.data[i].cum = 0;
	vec_clear(&g->edges);
	sum(g, c.self);
	walk(&c);
	free(c.self);
	free(c.order);
	free(c.on_path_node);
	vec_deinit(&c.path);
	vec_deinit(&c.on_path_edge);
	u64map_deinit(&c.edges);
}

/* Both walks are the same way, and number edges alike. */
static void count_divisors(struct callgraph *g, bool with_edges, const bool *is_passed)
{
	count_once(g, with_edges, is_passed, callgraph_sum_divisors);
	for (size_t i = 0; i < g->nodes.len; i++) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->flat_by = n->flat;
		n->cum_by = n->cum;
	}
}

static void count(struct callgraph *g, bool with_edges)
{
	int64_t *weights = NULL;
	bool *is_passed = passed_stacks(g);
	if (g->options.mean) {
		count_divisors(g, with_edges, is_passed);
		weights = xcalloc(g->edges.len + 1, sizeof(*weights));
		for (size_t i = 0; i < g->edges.len; i++)
			weights[i] = g->edges.data[i].weight;
	}
	count_once(g, with_edges, is_passed, callgraph_sum_values);
	for (size_t i = 0; weights && i < g->edges.len; i++)
		g->edges.data[i].weight_by = weights[i];
	free(weights);
	free(is_passed);
	callgraph_list_edges(g);
}

void callgraph_divide(struct callgraph *g)
{
	for (size_t i = 0; g->options.mean && i < g->nodes.len; i++) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->flat = divided(n->flat, n->flat_by);
		n->cum = divided(n->cum, n->cum_by);
	}
	for (size_t i = 0; g->options.mean && i < g->edges.len; i++)
		g->edges.data[i].weight = divided(g->edges.data[i].weight, g->edges.data[i].weight_by);
	if (g->options.mean)
		g->total = divided(g->total, divisor_total(g));
}

void callgraph_recount(struct callgraph *g)
{
	if (g->options.tree)
		callgraph_join_tree(g);
	else
		count(g, true);
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
		count(g, false);
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

/* In bits: 0 for one way, more the more ways there are and the more alike they are. self counts as a way of its own. */
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

uint32_t *callgraph_sort(const struct callgraph *g, enum callgraph_order by, uint32_t *ret_nr)
{
	uint32_t *list = xmalloc((g->nodes.len + 1) * sizeof(*list)), nr = 0;
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		bool is_negative = n->flat < 0 || (!n->flat && n->cum < 0);
		if (n->kept && (n->flat || n->cum) && !(g->options.drop_negative && is_negative))
			list[nr++] = i;
	}
	int64_t *scores = by == CALLGRAPH_BY_ENTROPY ? entropy_scores(g) : NULL;
	struct order o = { g, by, scores };
	qsort_r(list, nr, sizeof(*list), compare_nodes, &o);
	free(scores);
	*ret_nr = nr;
	return list;
}
