/* Merging call trees. */
#include "profile/calltree.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "profile/hist_priv.h"

#define NODES_FOR_THREADS 20000 /* below this, starting a thread costs more than it saves */
#define NONE PROFILE_NONE

/* A position in the stacks of a group, with the sums of its samples. */
struct cursor_at {
	uint32_t node;   /* call node (callers first) or stack_id (callees first) */
	uint32_t of_self; /* only samples that end in the entry; else only the others */
	uint64_t weight, samples;
};

/* Cursors at equal frames. */
struct branch {
	uint32_t key;
	uint32_t cursors;
	size_t from; /* index in the list of cursors, once placed */
	uint64_t weight, samples;
};

/* A node of a group's call tree: a stack of the profile, with the sums of the group's rows. */
struct call_node {
	stack_id stack;
	uint32_t parent, first_child, children_nr; /* into children[] */
	uint32_t self_entry; /* the entry that samples ending here belong to */
	bool apart;          /* its frame is not shown: its samples end in the parent */
	uint64_t own, own_samples, sum, sum_samples;
};

struct restricted {
	uint64_t weight, samples;
	uint32_t stamp;
};

struct worker {
	struct arena arena;
	VEC(struct cursor_at) cursors;
	VEC(struct branch) branches;
	VEC(frame_id) frames;
	uint32_t *slot, *slot_stamp; /* chain key → branch of the current level */
	uint32_t stamp;
	struct restricted *only;     /* by call node: the sums of samples that end in the current entry */
	size_t only_cap;
	uint32_t only_stamp;
} THREAD_OWN;

/* The call tree of a group of rows, and the start and end points of the trees of selected entries in it. */
struct group_calls {
	VEC(struct call_node) nodes;
	VEC(uint32_t) top;      /* call nodes without a caller */
	uint32_t *children;
	/* For each selected entry of the group, its starting points: starts[start_of[i]] … */
	const uint32_t *selected;
	uint32_t selected_nr;
	struct cursor_at *starts;
	uint32_t *start_of;
	uint32_t *ends, *end_of; /* call nodes in which samples of the entry end */
};

struct calltrees {
	const struct hist *h;
	struct calltree_options options;
	uint64_t min_hits;
	struct calltree_node **roots; /* by entry */
	uint32_t *chain_keys;         /* by frame */
	uint32_t chain_keys_nr;
	struct worker *workers;
	unsigned workers_nr;

	uint32_t *local;        /* stack → call node, while a group's call tree is built */
	uint32_t *entry_of;     /* frame_key → entry, of the current group */
	uint32_t *rank;         /* entry → index in its group's selected, or NONE */
	struct group_calls *at; /* the group at hand */
	struct group_calls **kept; /* by group; NULL: not kept */
	uint32_t *all;          /* entries, if groups are kept */
};

/* ---- keys of frames ---- */

struct chain_key {
	uint64_t dso, tag, at;
};

static struct chain_key chain_key(const struct profile *p, frame_id id, bool by_address)
{
	const struct profile_frame *f = &p->frames.data[id];
	struct chain_key k = { .dso = f->mapping == NONE ? 0 : (uint64_t)f->mapping + 1 };
	if (f->function == NONE || by_address) {
		k.at = f->ip;
		k.tag = f->flags & FRAME_INLINED && f->function != NONE ? 2 + (uint64_t)f->function : 0;
	} else {
		const struct profile_function *fn = &p->functions.data[f->function];
		/* Inlined functions share the address of the function around them, and functions without an address share 0. */
		bool by_name = (f->flags & FRAME_INLINED) || !fn->size;
		k.at = fn->start;
		k.tag = by_name ? 2 + (uint64_t)fn->name : 1;
	}
	return k;
}

struct chain_keys {
	const struct profile *p;
	bool by_address;
	const frame_id *frames; /* the first frame of each key */
};

static bool chain_key_equal(const void *table, uint32_t id, const void *key)
{
	const struct chain_keys *keys = table;
	struct chain_key k = chain_key(keys->p, keys->frames[id], keys->by_address);
	return !memcmp(&k, key, sizeof(k));
}

static void number_chain_keys(struct calltrees *t)
{
	const struct profile *p = t->h->profile;
	struct idset index = {};
	frame_id *first = xreallocarray(NULL, p->frames.len + 1, sizeof(*first));
	struct chain_keys keys = { .p = p, .by_address = t->options.by_address, .frames = first };
	t->chain_keys = xreallocarray(NULL, p->frames.len + 1, sizeof(*t->chain_keys));
	for (frame_id f = 0; f < p->frames.len; f++) {
		struct chain_key k = chain_key(p, f, t->options.by_address);
		uint64_t hash = hash_combine(hash_combine(hash_u64(k.dso), k.tag), k.at);
		uint32_t id = idset_find(&index, hash, chain_key_equal, &keys, &k);
		if (id == IDSET_NONE) {
			id = t->chain_keys_nr++;
			first[id] = f;
			idset_insert(&index, hash, id);
		}
		t->chain_keys[f] = id;
	}
	idset_deinit(&index);
	free(first);
}

/* With equal shares perf puts later DSOs and higher addresses first. */
static int compare_frames(const struct calltrees *t, frame_id a, frame_id b)
{
	const struct profile *p = t->h->profile;
	struct chain_key x = chain_key(p, a, t->options.by_address), y = chain_key(p, b, t->options.by_address);
	if (x.dso != y.dso) {
		uint64_t i = x.dso ? p->mappings.data[x.dso - 1].order + 1ull : 0;
		uint64_t j = y.dso ? p->mappings.data[y.dso - 1].order + 1ull : 0;
		return i != j ? (i > j ? -1 : 1) : x.dso > y.dso ? -1 : 1;
	}
	if (x.at != y.at)
		return x.at > y.at ? -1 : 1;
	return x.tag > y.tag ? -1 : x.tag < y.tag;
}

/* ---- the tree of calls of one group ---- */

static bool frame_is_apart(const struct profile *p, frame_id f)
{
	return p->frames.data[f].flags & FRAME_APART;
}

typedef VEC(stack_id) stack_path;

static uint32_t add_path(struct calltrees *t, stack_id leaf, stack_path *path)
{
	const struct profile *p = t->h->profile;
	vec_clear(path);
	uint32_t at = NONE;
	for (stack_id s = leaf; s != NONE; s = p->stacks.data[s].caller) {
		if (t->local[s] != NONE) {
			at = t->local[s];
			break;
		}
		vec_push(path, s);
	}
	for (size_t i = path->len; i--;) {
		stack_id s = path->data[i];
		frame_id frame = p->stacks.data[s].frame;
		/* Samples in inlined code count for the function around it. */
		bool is_inlined = p->frames.data[frame].flags & FRAME_INLINED && at != NONE;
		uint32_t self = is_inlined ? t->at->nodes.data[at].self_entry : t->entry_of[t->h->self_keys[frame]];
		vec_push(&t->at->nodes, ((struct call_node){ .stack = s, .parent = at, .self_entry = self,
						       .apart = frame_is_apart(p, p->stacks.data[s].frame) }));
		if (at == NONE)
			vec_push(&t->at->top, (uint32_t)t->at->nodes.len - 1);
		else
			t->at->nodes.data[at].children_nr++;
		at = t->local[s] = (uint32_t)t->at->nodes.len - 1;
	}
	return at;
}

/* Nodes of all rows of the group, callers before what they call, with their sums. */
static void build_calls(struct calltrees *t, uint32_t group)
{
	const struct hist *h = t->h;
	stack_path path = {};
	vec_clear(&t->at->nodes);
	vec_clear(&t->at->top);
	for (uint32_t i = h->group_rows[group]; i < h->group_rows[group + 1]; i++) {
		const struct profile_row *row = &h->profile->rows.data[h->rows[i]];
		if (row->event != h->options.events[0] || row->stack == NONE)
			continue;
		uint32_t n = add_path(t, row->stack, &path);
		t->at->nodes.data[n].own += row->value;
		t->at->nodes.data[n].own_samples += row->samples;
	}
	vec_deinit(&path);

	struct call_node *nodes = t->at->nodes.data;
	t->at->children = xreallocarray(t->at->children, t->at->nodes.len + 1, sizeof(*t->at->children));
	uint32_t at = 0;
	for (size_t i = 0; i < t->at->nodes.len; i++) {
		nodes[i].first_child = at;
		at += nodes[i].children_nr;
		nodes[i].children_nr = 0;
		nodes[i].sum = nodes[i].own;
		nodes[i].sum_samples = nodes[i].own_samples;
	}
	for (uint32_t i = 0; i < t->at->nodes.len; i++)
		if (nodes[i].parent != NONE) {
			struct call_node *parent = &nodes[nodes[i].parent];
			t->at->children[parent->first_child + parent->children_nr++] = i;
		}
	for (size_t i = t->at->nodes.len; i--;)
		if (nodes[i].parent != NONE) {
			nodes[nodes[i].parent].sum += nodes[i].sum;
			nodes[nodes[i].parent].sum_samples += nodes[i].sum_samples;
		}
}

/* ---- where the trees of the selected entries start ---- */

static void count_up(uint32_t *starts, uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++)
		starts[i] += starts[i - 1];
}

struct visit {
	uint32_t node, child;
};

/* The call node at which the tree of a selected entry begins. */
struct start {
	uint32_t rank, node;
};
typedef VEC(struct start) start_list;

/* The outermost call nodes of each selected entry. */
static void find_outermost(const struct calltrees *t, start_list *ret)
{
	uint32_t *on_path = xcalloc(t->at->selected_nr + 1, sizeof(*on_path));
	VEC(struct visit) path = {};
	for (size_t i = 0; i < t->at->top.len; i++) {
		vec_push(&path, ((struct visit){ t->at->top.data[i], 0 }));
		while (path.len) {
			struct visit *v = &vec_last(&path);
			const struct call_node *n = &t->at->nodes.data[v->node];
			uint32_t entry = t->entry_of[t->h->caller_keys[t->h->profile->stacks.data[n->stack].frame]];
			uint32_t rank = n->apart ? NONE : t->rank[entry];
			if (!v->child && rank != NONE && !on_path[rank]++)
				vec_push(ret, ((struct start){ rank, v->node }));
			if (v->child < n->children_nr) {
				uint32_t next = t->at->children[n->first_child + v->child++];
				vec_push(&path, ((struct visit){ next, 0 }));
				continue;
			}
			if (rank != NONE)
				on_path[rank]--;
			path.len--;
		}
	}
	vec_deinit(&path);
	free(on_path);
}

/* The call nodes in which samples of each selected entry end. */
static void find_ends(struct calltrees *t)
{
	t->at->end_of = xreallocarray(t->at->end_of, t->at->selected_nr + 2, sizeof(*t->at->end_of));
	memset(t->at->end_of, 0, (t->at->selected_nr + 2) * sizeof(*t->at->end_of));
	t->at->ends = xreallocarray(t->at->ends, t->at->nodes.len + 1, sizeof(*t->at->ends));
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < t->at->nodes.len; i++) {
			const struct call_node *n = &t->at->nodes.data[i];
			uint32_t rank = n->own_samples ? t->rank[n->self_entry] : NONE;
			if (rank == NONE)
				continue;
			if (!round)
				t->at->end_of[rank + 2]++;
			else
				t->at->ends[t->at->end_of[rank + 1]++] = i;
		}
		if (!round)
			count_up(t->at->end_of, t->at->selected_nr + 1);
	}
}

static void find_starts(struct calltrees *t)
{
	t->at->start_of = xreallocarray(t->at->start_of, t->at->selected_nr + 2, sizeof(*t->at->start_of));
	memset(t->at->start_of, 0, (t->at->selected_nr + 2) * sizeof(*t->at->start_of));
	if (!t->h->options.children)
		return;
	start_list list = {};
	find_outermost(t, &list);
	for (size_t i = 0; i < list.len; i++)
		t->at->start_of[list.data[i].rank + 1]++;
	count_up(t->at->start_of, t->at->selected_nr);
	t->at->starts = xreallocarray(t->at->starts, list.len + 1, sizeof(*t->at->starts));
	for (size_t i = 0; i < list.len; i++)
		t->at->starts[t->at->start_of[list.data[i].rank]++] = (struct cursor_at){ .node = list.data[i].node };
	vec_deinit(&list);
	/* Filling moved each start to its end. */
	memmove(t->at->start_of + 1, t->at->start_of, t->at->selected_nr * sizeof(*t->at->start_of));
	t->at->start_of[0] = 0;
}

/* Callees first: the innermost occurrence of each selected entry in each row. */
static void find_innermost(struct calltrees *t, uint32_t group)
{
	const struct hist *h = t->h;
	const struct profile *p = h->profile;
	uint32_t *seen = xcalloc(t->at->selected_nr + 1, sizeof(*seen)), stamp = 0;
	t->at->start_of = xreallocarray(t->at->start_of, t->at->selected_nr + 2, sizeof(*t->at->start_of));
	memset(t->at->start_of, 0, (t->at->selected_nr + 2) * sizeof(*t->at->start_of));
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = h->group_rows[group]; i < h->group_rows[group + 1]; i++) {
			const struct profile_row *row = &p->rows.data[h->rows[i]];
			if (row->event != h->options.events[0] || row->stack == NONE)
				continue;
			stamp++;
			/* The entry that the sample counts for gets the whole stack, including frames inlined into it. */
			frame_id self = profile_self_frame(p, row->stack);
			bool is_inlined = p->stacks.data[row->stack].frame != self;
			bool is_self = true;
			for (stack_id s = row->stack; s != NONE;) {
				frame_id frame = is_self ? self : p->stacks.data[s].frame;
				uint32_t rank = t->rank[t->entry_of[(is_self ? h->self_keys : h->caller_keys)[frame]]];
				stack_id from = chain_of_stack(p, s);
				if (rank != NONE && seen[rank] != stamp && from != NONE) {
					seen[rank] = stamp;
					if (!round)
						t->at->start_of[rank + 2]++;
					else
						t->at->starts[t->at->start_of[rank + 1]++] = (struct cursor_at){
							.node = from, .weight = row->value, .samples = row->samples };
				}
				if (!h->options.children)
					break;
				if (!is_self || !is_inlined)
					s = p->stacks.data[s].caller;
				is_self = false;
			}
		}
		if (!round) {
			count_up(t->at->start_of, t->at->selected_nr + 1);
			t->at->starts = xreallocarray(t->at->starts, t->at->start_of[t->at->selected_nr + 1] + 1, sizeof(*t->at->starts));
		}
	}
	free(seen);
}

/* ---- merging ---- */

static frame_id cursor_frame(const struct calltrees *t, const struct cursor_at *c)
{
	stack_id s = t->options.callee_first ? c->node : t->at->nodes.data[c->node].stack;
	return t->h->profile->stacks.data[s].frame;
}

static void push_cursor(struct calltrees *t, struct worker *w, uint32_t node, uint32_t of_self)
{
	const struct call_node *n = &t->at->nodes.data[node];
	const struct restricted *only = &w->only[node];
	bool touched = only->stamp == w->only_stamp;
	struct cursor_at c = { .node = node, .of_self = of_self };
	if (of_self) {
		if (!touched)
			return;
		c.weight = only->weight;
		c.samples = only->samples;
	} else {
		c.weight = n->sum - (touched ? only->weight : 0);
		c.samples = n->sum_samples - (touched ? only->samples : 0);
	}
	if (c.samples)
		vec_push(&w->cursors, c);
}

/* Appends the next positions of the cursors; adds samples that end at them to *node. */
static void step(struct calltrees *t, struct worker *w, uint32_t entry, size_t from, size_t to, struct calltree_node *node)
{
	for (size_t i = from; i < to; i++) {
		struct cursor_at c = w->cursors.data[i];
		if (t->options.callee_first) {
			stack_id caller = t->h->profile->stacks.data[c.node].caller;
			if (caller == NONE) {
				node->hits += c.weight;
				node->hits_samples += c.samples;
			} else {
				c.node = caller;
				vec_push(&w->cursors, c);
			}
			continue;
		}
		const struct call_node *n = &t->at->nodes.data[c.node];
		if ((n->self_entry == entry) == (bool)c.of_self) {
			node->hits += n->own;
			node->hits_samples += n->own_samples;
		}
		for (uint32_t j = 0; j < n->children_nr; j++) {
			uint32_t child = t->at->children[n->first_child + j];
			const struct call_node *end = &t->at->nodes.data[child];
			if (!end->apart) {
				push_cursor(t, w, child, c.of_self);
			} else if ((end->self_entry == entry) == (bool)c.of_self) {
				node->hits += end->own;
				node->hits_samples += end->own_samples;
			}
		}
	}
}

/* Groups the cursors from `from` on by frame, into branches at the end of w->branches. */
static size_t find_branches(struct calltrees *t, struct worker *w, size_t from)
{
	size_t first = w->branches.len;
	uint32_t stamp = ++w->stamp;
	for (size_t i = from; i < w->cursors.len; i++) {
		const struct cursor_at *c = &w->cursors.data[i];
		uint32_t key = t->chain_keys[cursor_frame(t, c)];
		if (w->slot_stamp[key] != stamp) {
			w->slot_stamp[key] = stamp;
			w->slot[key] = (uint32_t)(w->branches.len - first);
			vec_push(&w->branches, ((struct branch){ .key = key }));
		}
		struct branch *b = &w->branches.data[first + w->slot[key]];
		b->cursors++;
		b->weight += c->weight;
		b->samples += c->samples;
	}
	return first;
}

/* Appends the cursors of sufficiently large branches, branch by branch; others get none. */
static void place_cursors(struct calltrees *t, struct worker *w, size_t from, size_t first, uint64_t min)
{
	size_t end = w->cursors.len, at = end;
	for (size_t b = first; b < w->branches.len; b++) {
		struct branch *br = &w->branches.data[b];
		if (br->weight < min)
			br->cursors = 0;
		br->from = at;
		at += br->cursors;
	}
	if (at == end)
		return;
	vec_extend(&w->cursors, at - end);
	for (size_t i = from; i < end; i++) {
		struct branch *br = &w->branches.data[first + w->slot[t->chain_keys[cursor_frame(t, &w->cursors.data[i])]]];
		if (br->cursors)
			w->cursors.data[br->from++] = w->cursors.data[i];
	}
	for (size_t b = first; b < w->branches.len; b++)
		w->branches.data[b].from -= w->branches.data[b].cursors;
}

static void add_branches(struct calltrees *t, struct worker *w, uint32_t entry, struct calltree_node *parent, size_t from,
			 size_t first);

/* A node from the cursors [from, to), which are at equal frames. */
static struct calltree_node *make_node(struct calltrees *t, struct worker *w, uint32_t entry, size_t from, size_t to)
{
	struct calltree_node *node = arena_new(&w->arena, struct calltree_node);
	size_t frames = w->frames.len, cursors = w->cursors.len, branches = w->branches.len, first;
	for (;;) {
		size_t next = w->cursors.len;
		vec_push(&w->frames, cursor_frame(t, &w->cursors.data[from]));
		step(t, w, entry, from, to, node);
		first = find_branches(t, w, next);
		if (w->branches.len - first != 1 || node->hits_samples) {
			from = next;
			break;
		}
		/* All have the same next frame: the run of frames continues. The cursors replace their predecessors. */
		w->branches.len = first;
		if (next > cursors)
			memmove(w->cursors.data + cursors, w->cursors.data + next,
				(w->cursors.len - next) * sizeof(*w->cursors.data));
		from = cursors;
		to = w->cursors.len -= next - cursors;
	}
	node->frames_nr = (uint32_t)(w->frames.len - frames);
	node->frames = arena_memdup(&w->arena, w->frames.data + frames, node->frames_nr * sizeof(frame_id));
	w->frames.len = frames;
	add_branches(t, w, entry, node, from, first);
	w->cursors.len = cursors;
	w->branches.len = branches;
	return node;
}

/* Whether a precedes b among the children of a node. */
static bool node_before(const struct calltrees *t, const struct calltree_node *a, const struct calltree_node *b)
{
	bool by_share = t->options.mode == CALLTREE_GRAPH || t->options.mode == CALLTREE_FRACTAL;
	if (by_share && calltree_total(a) != calltree_total(b))
		return calltree_total(a) > calltree_total(b);
	return compare_frames(t, a->frames[0], b->frames[0]) < 0;
}

/* Merge sort of a list of siblings. */
static struct calltree_node *sort_nodes(const struct calltrees *t, struct calltree_node *list, size_t n)
{
	if (n < 2)
		return list;
	struct calltree_node *a = list, *b, *last = list;
	for (size_t i = 1; i < n / 2; i++)
		last = last->next;
	b = last->next;
	last->next = NULL;
	a = sort_nodes(t, a, n / 2);
	b = sort_nodes(t, b, n - n / 2);
	struct calltree_node *head = NULL, **tail = &head;
	while (a && b) {
		struct calltree_node **from = node_before(t, b, a) ? &b : &a;
		*tail = *from;
		tail = &(*from)->next;
		*from = (*from)->next;
	}
	*tail = a ? a : b;
	return head;
}

/* The minimum of a branch to be shown, from the sum of its siblings. */
static uint64_t least_below(const struct calltrees *t, uint64_t below)
{
	if (t->options.mode != CALLTREE_FRACTAL)
		return t->min_hits;
	return (uint64_t)ceil((double)below * (t->options.min_percent / 100.0));
}

/* Creates the children of a node from the branches from `first` on, whose cursors begin at `from`. */
static void add_branches(struct calltrees *t, struct worker *w, uint32_t entry, struct calltree_node *parent, size_t from,
			 size_t first)
{
	size_t last = w->branches.len, n = 0;
	for (size_t b = first; b < last; b++) {
		parent->below += w->branches.data[b].weight;
		parent->below_samples += w->branches.data[b].samples;
	}
	place_cursors(t, w, from, first, least_below(t, parent->below));
	for (size_t b = first; b < last; b++) {
		struct branch br = w->branches.data[b];
		if (!br.cursors)
			continue;
		struct calltree_node *child = make_node(t, w, entry, br.from, br.from + br.cursors);
		child->parent = parent;
		child->next = parent->child;
		parent->child = child;
		n++;
	}
	parent->child = sort_nodes(t, parent->child, n);
}

/* The sums of samples that end in the entry, on all nodes of their stacks. */
static void restrict_to(struct calltrees *t, struct worker *w, uint32_t rank)
{
	uint32_t stamp = ++w->only_stamp;
	for (uint32_t i = t->at->end_of[rank]; i < t->at->end_of[rank + 1]; i++) {
		const struct call_node *end = &t->at->nodes.data[t->at->ends[i]];
		for (uint32_t n = t->at->ends[i]; n != NONE; n = t->at->nodes.data[n].parent) {
			struct restricted *r = &w->only[n];
			if (r->stamp != stamp)
				*r = (struct restricted){ .stamp = stamp };
			r->weight += end->own;
			r->samples += end->own_samples;
		}
	}
}

static void prepare_worker(struct calltrees *t, struct worker *w)
{
	if (!w->slot) {
		w->slot = xreallocarray(NULL, t->chain_keys_nr + 1, sizeof(*w->slot));
		w->slot_stamp = xcalloc(t->chain_keys_nr + 1, sizeof(*w->slot_stamp));
	}
	if (w->only_cap < t->at->nodes.len) {
		free(w->only);
		w->only_cap = t->at->nodes.len;
		w->only = xcalloc(w->only_cap, sizeof(*w->only));
		w->only_stamp = 0;
	}
}

/* Makes the cursors of the first level of a tree; returns the index of its first branch. */
static size_t begin_tree(struct calltrees *t, struct worker *w, size_t rank)
{
	prepare_worker(t, w);
	vec_clear(&w->cursors);
	vec_clear(&w->branches);
	vec_clear(&w->frames);
	if (t->options.callee_first) {
		for (uint32_t i = t->at->start_of[rank]; i < t->at->start_of[rank + 1]; i++)
			vec_push(&w->cursors, t->at->starts[i]);
	} else {
		restrict_to(t, w, (uint32_t)rank);
		for (size_t i = 0; i < t->at->top.len; i++)
			if (!t->at->nodes.data[t->at->top.data[i]].apart)
				push_cursor(t, w, t->at->top.data[i], 1);
		for (uint32_t i = t->at->start_of[rank]; i < t->at->start_of[rank + 1]; i++)
			push_cursor(t, w, t->at->starts[i].node, 0);
	}
	return find_branches(t, w, 0);
}

static void build_tree(void *ctx, size_t rank, unsigned thread)
{
	struct calltrees *t = ctx;
	struct worker *w = &t->workers[thread];
	uint32_t entry = t->at->selected[rank];
	size_t first = begin_tree(t, w, rank);
	struct calltree_node *root = arena_new(&w->arena, struct calltree_node);
	add_branches(t, w, entry, root, 0, first);
	t->roots[entry] = root;
}

/* Computes the common part of the trees of a group's selected entries, in t->at. */
static void open_group(struct calltrees *t, uint32_t group, const uint32_t *selected, uint32_t n)
{
	const struct hist *h = t->h;
	t->at->selected = selected;
	t->at->selected_nr = n;
	for (uint32_t e = h->group_entries[group]; e < h->group_entries[group + 1]; e++)
		t->entry_of[h->entries.data[e].frame_key] = e;
	for (uint32_t i = 0; i < n; i++)
		t->rank[selected[i]] = i;
	if (t->options.callee_first) {
		find_innermost(t, group);
		return;
	}
	build_calls(t, group);
	find_starts(t);
	find_ends(t);
	for (size_t i = 0; i < t->at->nodes.len; i++)
		t->local[t->at->nodes.data[i].stack] = NONE;
}

static void build_group(struct calltrees *t, uint32_t group, const uint32_t *selected, uint32_t n)
{
	open_group(t, group, selected, n);
	size_t work = t->options.callee_first ? t->h->group_rows[group + 1] - t->h->group_rows[group] : t->at->nodes.len;
	pool_run(n, work < NODES_FOR_THREADS ? 1 : t->workers_nr, build_tree, t);
	for (uint32_t i = 0; i < n; i++)
		t->rank[selected[i]] = NONE;
}

static uint32_t *filled_with_none(size_t n)
{
	uint32_t *p = xreallocarray(NULL, n + 1, sizeof(*p));
	memset(p, 0xff, (n + 1) * sizeof(*p));
	return p;
}

/* Whether an entry's tree has anything to show. */
static bool has_tree(const struct calltrees *t, uint32_t entry)
{
	const struct hist_stat *s = hist_stats(t->h, &t->h->entries.data[entry]);
	bool children = t->h->options.children;
	return (children ? s->children_samples : s->samples) &&
	       (t->options.mode == CALLTREE_FRACTAL || (children ? s->children : s->period) >= t->min_hits);
}

/* Entries whose tree has anything to show, by group. */
static uint32_t select_entries(const struct calltrees *t, const uint32_t *entries, uint32_t n, uint32_t *ret)
{
	const struct hist *h = t->h;
	uint8_t *selected = xcalloc(h->entries.len + 1, 1);
	uint32_t nr = 0;
	for (uint32_t i = 0; i < n; i++)
		selected[entries[i]] = has_tree(t, entries[i]);
	for (uint32_t e = 0; e < h->entries.len; e++)
		if (selected[e])
			ret[nr++] = e;
	free(selected);
	return nr;
}

static struct calltrees *create(const struct hist *h, struct calltree_options options)
{
	struct calltrees *t = xcalloc(1, sizeof(*t));
	t->h = h;
	t->options = options;
	t->min_hits = (uint64_t)((double)h->totals[0].period * (options.min_percent / 100.0));
	t->roots = xcalloc(h->entries.len + 1, sizeof(*t->roots));
	t->workers_nr = options.threads ? options.threads : pool_cpus();
	t->workers = xcalloc_apart(t->workers_nr, sizeof(*t->workers));
	for (unsigned i = 0; i < t->workers_nr; i++)
		arena_init(&t->workers[i].arena);
	if (options.mode == CALLTREE_NONE)
		return t;
	number_chain_keys(t);
	t->local = filled_with_none(h->profile->stacks.len);
	t->entry_of = filled_with_none(h->frame_keys_nr);
	t->rank = filled_with_none(h->entries.len);
	return t;
}

static void free_group(struct group_calls *g)
{
	if (!g)
		return;
	vec_deinit(&g->nodes);
	vec_deinit(&g->top);
	free(g->children);
	free(g->starts);
	free(g->start_of);
	free(g->ends);
	free(g->end_of);
	free(g);
}

struct calltrees *calltrees_create(const struct hist *h, struct calltree_options options, const uint32_t *entries, uint32_t n)
{
	struct calltrees *t = create(h, options);
	if (options.mode == CALLTREE_NONE)
		return t;
	t->at = xcalloc(1, sizeof(*t->at));
	uint32_t *selected = xreallocarray(NULL, n + 1, sizeof(*selected)), nr = select_entries(t, entries, n, selected);
	/* Entries are sorted by group. */
	for (uint32_t i = 0, end; i < nr; i = end) {
		uint32_t group = h->entries.data[selected[i]].group;
		for (end = i; end < nr && h->entries.data[selected[end]].group == group; end++)
			;
		build_group(t, group, selected + i, end - i);
	}
	free_group(t->at);
	t->at = NULL;
	free(selected);
	return t;
}

/* ---- a few at a time ---- */

struct calltrees *calltrees_open(const struct hist *h, struct calltree_options options)
{
	struct calltrees *t = create(h, options);
	t->kept = xcalloc(h->groups_nr + 1, sizeof(*t->kept));
	t->all = xreallocarray(NULL, h->entries.len + 1, sizeof(*t->all));
	for (uint32_t e = 0; e < h->entries.len; e++)
		t->all[e] = e;
	return t;
}

/* All entries of a group are selected, now or later. */
static void open_kept(struct calltrees *t, uint32_t group)
{
	const struct hist *h = t->h;
	bool is_new = !t->kept[group];
	if (is_new)
		t->kept[group] = xcalloc(1, sizeof(**t->kept));
	t->at = t->kept[group];
	if (is_new)
		open_group(t, group, t->all + h->group_entries[group], h->group_entries[group + 1] - h->group_entries[group]);
}

void calltrees_add(struct calltrees *t, uint32_t entry)
{
	if (t->options.mode == CALLTREE_NONE || t->roots[entry] || !has_tree(t, entry))
		return;
	open_kept(t, t->h->entries.data[entry].group);
	build_tree(t, t->rank[entry], 0);
}

bool calltrees_has_any(struct calltrees *t, uint32_t entry)
{
	struct worker *w = &t->workers[0];
	uint64_t below = 0, most = 0;
	if (t->options.mode == CALLTREE_NONE || !has_tree(t, entry))
		return false;
	if (t->roots[entry])
		return t->roots[entry]->child;
	open_kept(t, t->h->entries.data[entry].group);
	for (size_t i = begin_tree(t, w, t->rank[entry]); i < w->branches.len; i++) {
		uint64_t weight = w->branches.data[i].weight;
		below += weight;
		most = weight > most ? weight : most;
	}
	return w->branches.len && most >= least_below(t, below);
}

void calltrees_destroy(struct calltrees *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->workers_nr; i++) {
		struct worker *w = &t->workers[i];
		arena_deinit(&w->arena);
		vec_deinit(&w->cursors);
		vec_deinit(&w->branches);
		vec_deinit(&w->frames);
		free(w->slot);
		free(w->slot_stamp);
		free(w->only);
	}
	free(t->workers);
	free(t->roots);
	free(t->chain_keys);
	for (uint32_t i = 0; t->kept && i < t->h->groups_nr; i++)
		free_group(t->kept[i]);
	free(t->kept);
	free(t->all);
	free(t->local);
	free(t->entry_of);
	free(t->rank);
	free(t);
}

const struct calltree_node *calltrees_get(const struct calltrees *t, uint32_t entry)
{
	return t->roots[entry];
}
