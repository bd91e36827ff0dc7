/*
 * Raw frames and paths → frames and stacks of a profile.
 *
 * In three steps: raw frames are resolved in the order of their first use; then all workers in parallel make trees of
 * their paths, in which most paths are merged (frames are distinguished by function); then the trees are merged. Each step
 * uses the order of first samples, so that IDs do not depend on the distribution of slices to workers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/sort.h"
#include "base/u64map.h"
#include "object/buildid_cache.h"
#include "resolve/fill_priv.h"

static enum mapping_space space_of(uint16_t cpumode, const struct map *map)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return SPACE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return SPACE_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return SPACE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return SPACE_GUEST_USER;
	case PERF_RECORD_MISC_HYPERVISOR:
		return SPACE_HYPERVISOR;
	default: /* found by trying */
		if (!map)
			return SPACE_UNKNOWN;
		return map->file->kind >= MAPPED_KERNEL && map->file->kind <= MAPPED_OTHER_KERNEL ? SPACE_KERNEL : SPACE_USER;
	}
}

static str_id build_id_string(struct profile *p, const uint8_t *id, unsigned bytes)
{
	char hex[BUILDID_HEX_MAX];
	buildid_hex(id, bytes, hex);
	return strtab_add(&p->strings, hex);
}

static const struct file_place *place_of(struct resolver *r, const struct map *map)
{
	while (r->places.len <= map->file->id)
		vec_push(&r->places, (struct file_place){});
	struct file_place *at = &r->places.data[map->file->id];
	if (!at->known)
		*at = (struct file_place){ map->start, map->end, map->pgoff, true };
	return at;
}

static mapping_id add_mapping(struct fill *f, const struct resolved_frame *from, enum mapping_space space)
{
	const struct mapped_file *file = from->map->file;
	const struct file_place *place = place_of(f->r, from->map);
	struct profile *p = f->p;
	struct dso_facts facts = from->dso ? dso_facts(from->dso) : (struct dso_facts){};
	bool own_id = file->build_id_len || !facts.build_id_len;
	struct profile_mapping m = {
		.name = strtab_add(&p->strings, file->name),
		.path = strtab_add(&p->strings, facts.long_name && file->kind == MAPPED_KERNEL ? facts.long_name : file->path),
		.build_id = own_id ? build_id_string(p, file->build_id, file->build_id_len)
				   : build_id_string(p, facts.build_id, facts.build_id_len),
		.start = place->start,
		.end = place->end,
		.offset = place->offset,
		.space = space,
		.kind = (uint8_t)file->kind,
		.order = file->id,
	};
	return profile_mapping(p, &m);
}

static mapping_id mapping_of(struct fill *f, const struct resolved_frame *from, enum mapping_space space)
{
	if (!from->map)
		return PROFILE_NONE;
	uint32_t id = from->map->file->id;
	while (f->mappings.len <= id)
		vec_push(&f->mappings, 0);
	if (!f->mappings.data[id])
		f->mappings.data[id] = add_mapping(f, from, space) + 1;
	return f->mappings.data[id] - 1;
}

mapping_id fill_mapping(struct fill *f, const struct map *map)
{
	struct resolved_frame from = { .map = map, .dso = symbols_dso(f->r->symbols, map->file) };
	return mapping_of(f, &from, SPACE_USER);
}

static void add_names(struct fill *f, const struct resolved_frame *from, str_id *ret_name, str_id *ret_system_name)
{
	struct strtab *to = &f->p->strings;
	struct symbol_text shown, linked;
	bool takes = f->takes_names && from->inlined;
	if (takes && dso_inlined_texts(from->symbol, &shown, &linked)) {
		*ret_name = strtab_add_known(to, shown.s, shown.bytes, shown.hash);
		*ret_system_name = strtab_add_known(to, linked.s, linked.bytes, linked.hash);
		return;
	}
	str_id (*add)(struct strtab *t, const char *s) = takes ? strtab_add_borrowed : strtab_add;
	*ret_name = add(to, dso_symbol_name(from->dso, from->symbol));
	*ret_system_name = add(to, from->symbol->raw_name);
}

static function_id function_of(struct fill *f, const struct resolved_frame *from, mapping_id mapping)
{
	if (!from->symbol)
		return PROFILE_NONE;
	struct profile *p = f->p;
	const struct symbol *sym = from->symbol;
	str_id name, system_name;
	add_names(f, from, &name, &system_name);
	struct profile_function fn = {
		.mapping = mapping,
		.name = name,
		.file = f->r->options.with_lines && from->file ? strtab_add(&p->strings, from->file) : 0,
		.system_name = system_name,
		.start = sym->start,
		.size = sym->end - sym->start,
		.is_data = sym->type && strchr("dDbBrRvVgGsS", sym->type),
		.binding = sym->binding,
	};
	return profile_function(p, &fn);
}

/*
 * Code without a symbol is distinguished by address, which differs between processes. A live session shows it relative to the first
 * mapping of its file, or else rows would accumulate for every process. Callers that are not mapped are not code, but values on the
 * stack of code without frame pointers, different in each sample; they become one frame.
 */
static uint64_t shown_ip(const struct fill *f, const struct resolved_frame *from)
{
	if (!f->r->symbols_options.live || (from->map && from->map->file->kind != MAPPED_FILE))
		return from->ip;
	if (!from->map)
		return 0;
	const struct file_place *place = place_of(f->r, from->map);
	return from->ip - from->map->start + from->map->pgoff - place->offset + place->start;
}

static frame_id make_frame(struct fill *f, const struct resolved_frame *from, bool by_address, uint8_t flags)
{
	enum mapping_space space = space_of(from->cpumode, from->map);
	uint64_t ip = shown_ip(f, from);
	struct profile_frame fr = { .ip = ip, .addr = from->map ? from->addr : ip, .space = space, .flags = flags,
				    .line = f->r->options.with_lines ? from->line : 0 };
	fr.mapping = mapping_of(f, from, space);
	fr.function = function_of(f, from, fr.mapping);
	if (fr.function != PROFILE_NONE && !by_address)
		fr.addr = from->symbol->start;
	return profile_frame(f->p, &fr);
}

/* If frames are distinguished by function, the symbol is the key: names need not be interned for each address. */
frame_id fill_frame(struct fill *f, const struct resolved_frame *from, bool by_address, uint8_t flags)
{
	if (by_address || !from->symbol || f->r->options.with_lines)
		return make_frame(f, from, by_address, flags);
	uint64_t key = (uint64_t)(uintptr_t)from->symbol << 16 | (from->cpumode & 0xff) << 8 | flags;
	uint64_t *known = u64map_put(&f->frames, key, NULL);
	if (!*known)
		*known = make_frame(f, from, false, flags) + 1ull;
	return (frame_id)(*known - 1);
}

/* ---- frames, in the order of their first use ---- */

static uint64_t next_frame_place(const struct fill_worker *of, uint32_t *next)
{
	const struct rawtab *tab = &of->w->tab;
	while (*next < tab->frames.len && !tab->frames.data[*next].in_path)
		(*next)++;
	return *next < tab->frames.len ? tab->frames.data[*next].first : UINT64_MAX;
}

/* A raw frame that some path has, and its frame in the cache. */
struct used_frame {
	unsigned worker;
	uint32_t raw, cached;
	bool apart;
};

struct expanded_line {
	const char *file;
	uint32_t line;
};

/* The debug information of an address; nr 0: not looked up. The last symbol is the function's, others are inlined. */
struct expansion {
	const struct symbol **symbols; /* innermost first; NULL: use the frame in the cache */
	struct expanded_line *lines;   /* NULL: not shown */
	unsigned nr;
};

/* The results of one thread. */
struct expander {
	struct arena arena;
} THREAD_OWN;

struct frame_lists {
	struct fill *f;
	VEC(struct used_frame) used;
	VEC(uint32_t) cached;         /* each used frame in the cache, once, grouped by DSO */
	VEC(struct dso *) dsos;       /* that are read */
	VEC(uint32_t) firsts;         /* index of the first address of each piece */
	struct expansion *expansions; /* by cached frame */
	struct expander *expanders;   /* by thread */
	unsigned threads;
	size_t in_order;              /* number of pieces before those of the DSO with the most addresses */
};

static void collect_frames(struct frame_lists *l)
{
	struct fill *f = l->f;
	uint32_t *next = xcalloc(f->n, sizeof(*next));
	for (;;) {
		uint64_t least = UINT64_MAX;
		unsigned best = 0;
		for (unsigned i = 0; i < f->n; i++) {
			uint64_t place = next_frame_place(&f->of[i], &next[i]);
			if (place < least) {
				least = place;
				best = i;
			}
		}
		if (least == UINT64_MAX)
			break;
		uint32_t raw = next[best]++;
		const struct raw_frame *rf = &f->of[best].w->tab.frames.data[raw];
		struct used_frame u = { best, raw, cached_frame(&f->r->frames, rf), rf->where.apart };
		vec_push(&l->used, u);
	}
	free(next);
}

#define EXPANDED_AT_ONCE 16 /* adjacent addresses mostly belong to one function, and share its debug information */

#define RESTS_EVERY      160 /* after this many, pages that were read are released */

/* In one DSO threads start at distant addresses: at adjacent ones they would wait for each other. */
static size_t piece_of(const struct frame_lists *l, size_t i)
{
	size_t n = (l->cached.len + EXPANDED_AT_ONCE - 1) / EXPANDED_AT_ONCE;
	if (i < l->in_order || l->threads < 2)
		return i;
	i -= l->in_order;
	size_t part = (n - l->in_order) / l->threads, nr = i % l->threads;
	return part && i / l->threads < part ? l->in_order + nr * part + i / l->threads : l->in_order + i;
}

/* The object with the debug information of a frame, or NULL: as in inlines_expand(). */
static struct dso *debug_dso(const struct frame_lists *l, uint32_t cached)
{
	const struct resolved_frame *at = &l->f->r->frames.frames.data[cached];
	return at->symbol || !l->f->r->options.with_inlines ? at->dso : NULL;
}

static void keep_expansion(struct expansion *e, const struct resolved_frame *at, struct arena *arena, bool with_lines)
{
	e->symbols = arena_new_array(arena, const struct symbol *, e->nr);
	e->lines = with_lines ? arena_new_array(arena, struct expanded_line, e->nr) : NULL;
	for (unsigned i = 0; i < e->nr; i++) {
		e->symbols[i] = at[i].symbol;
		if (with_lines)
			e->lines[i] = (struct expanded_line){ at[i].file, at[i].line };
	}
}

static void expand_some(void *ctx, size_t i, unsigned thread)
{
	struct frame_lists *l = ctx;
	struct resolved_frame at[SOURCE_FRAMES_MAX];
	if (i < l->dsos.len) {
		/* The first address of a DSO takes much longer than others: do those of two DSOs at once. */
		dso_source_load(l->dsos.data[i]);
		(void)inlines_expand(&l->f->r->frames.frames.data[l->firsts.data[i]], &l->f->r->options, at);
		return;
	}
	i = piece_of(l, i - l->dsos.len);
	size_t end = (i + 1) * EXPANDED_AT_ONCE < l->cached.len ? (i + 1) * EXPANDED_AT_ONCE : l->cached.len;
	for (size_t j = i * EXPANDED_AT_ONCE; j < end; j++) {
		struct expansion *e = &l->expansions[l->cached.data[j]];
		e->nr = inlines_expand(&l->f->r->frames.frames.data[l->cached.data[j]], &l->f->r->options, at);
		if (l->f->r->options.innermost_lines) {
			at[e->nr - 1].file = at[0].file;
			at[e->nr - 1].line = at[0].line;
		}
		keep_expansion(e, at, &l->expanders[thread].arena, l->f->r->options.with_lines);
		/* Symbols cache their names: they are computed here, on all CPUs, and not later by the thread that fills the profile. */
		for (unsigned k = 0; k < e->nr; k++)
			if (at[k].symbol && at[k].symbol->raw_name)
				(void)dso_symbol_name(at[k].dso, at[k].symbol);
	}
	struct dso *d = debug_dso(l, l->cached.data[i * EXPANDED_AT_ONCE]);
	if (d && i % RESTS_EVERY == RESTS_EVERY - 1)
		dso_source_rest(d);
}

/*
 * Sorts frames by DSO and address, so that those of a function share its debug information. The DSO with the most frames is opened first,
 * but its frames come last: one thread opens it while others process the smaller ones.
 */
static void order_by_dso(struct frame_lists *l)
{
	struct u64map numbers = {}; /* DSO -> number + 1 */
	VEC(uint32_t) counts = {};
	VEC(struct sort_pair) order = {};
	for (size_t i = 0; i < l->cached.len; i++) {
		uint64_t *number = u64map_put(&numbers, (uintptr_t)debug_dso(l, l->cached.data[i]), NULL);
		if (!*number) {
			vec_push(&counts, 0);
			*number = counts.len;
		}
		counts.data[*number - 1]++;
		const struct resolved_frame *at = &l->f->r->frames.frames.data[l->cached.data[i]];
		vec_push(&order, ((struct sort_pair){ source_address(at), l->cached.data[i] }));
	}
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++) {
		uint64_t number = *u64map_get(&numbers, (uintptr_t)debug_dso(l, (uint32_t)order.data[i].value)) - 1;
		order.data[i].key = (uint64_t)counts.data[number] << 32 | number;
	}
	sort_pairs(order.data, order.len);
	for (size_t i = l->cached.len; i-- > 0;) {
		l->cached.data[i] = (uint32_t)order.data[i].value;
		struct dso *d = i && order.data[i].key == order.data[i - 1].key ? NULL : debug_dso(l, l->cached.data[i]);
		if (!d)
			continue;
		if (!l->dsos.len)
			l->in_order = i / EXPANDED_AT_ONCE;
		vec_push(&l->dsos, d);
		vec_push(&l->firsts, l->cached.data[i]);
	}
	vec_deinit(&order);
	vec_deinit(&counts);
	u64map_deinit(&numbers);
}

/* The debug information of a DSO need not be read where no frame is. Where a session goes on, others will come. */
static void expect_frames(const struct frame_lists *l)
{
	VEC(uint64_t) addrs = {};
	for (size_t i = 0; i < l->cached.len && !l->f->r->symbols_options.live; i++) {
		struct dso *d = debug_dso(l, l->cached.data[i]);
		vec_push(&addrs, source_address(&l->f->r->frames.frames.data[l->cached.data[i]]));
		if (i + 1 < l->cached.len && debug_dso(l, l->cached.data[i + 1]) == d)
			continue;
		if (d)
			dso_source_expect(d, addrs.data, addrs.len);
		vec_clear(&addrs);
	}
	vec_deinit(&addrs);
}

/* Each distinct address once, on all CPUs. */
static void expand_frames(struct frame_lists *l)
{
	const struct resolve_options *o = &l->f->r->options;
	l->expansions = xcalloc(l->f->r->frames.frames.len + 1, sizeof(*l->expansions));
	if (!o->with_inlines && !o->with_lines)
		return;
	for (size_t i = 0; i < l->used.len; i++) {
		struct expansion *e = &l->expansions[l->used.data[i].cached];
		if (!e->nr)
			vec_push(&l->cached, l->used.data[i].cached);
		e->nr = 1;
	}
	size_t n = (l->cached.len + EXPANDED_AT_ONCE - 1) / EXPANDED_AT_ONCE;
	bool is_parallel = n >= 8;
	if (is_parallel)
		order_by_dso(l);
	if (is_parallel)
		expect_frames(l);
	l->threads = !is_parallel ? 1 : o->threads ? o->threads : pool_cpus();
	l->expanders = xcalloc_apart(l->threads, sizeof(*l->expanders));
	for (size_t i = 0; i < l->dsos.len; i++)
		dso_source_defer_names(l->dsos.data[i]);
	pool_run(l->dsos.len + n, l->threads, expand_some, l);
}

static uint32_t add_list(struct frame_lists *l, const struct used_frame *u)
{
	struct fill *f = l->f;
	const struct expansion *e = &l->expansions[u->cached];
	uint32_t id = (uint32_t)f->lists.len;
	bool by_address = f->r->options.by_address;
	uint8_t flags = u->apart ? FRAME_APART : 0;
	unsigned nr = e->nr ? e->nr : 1;
	vec_push(&f->lists, nr);
	for (unsigned i = nr; i-- > 0;) {
		struct resolved_frame at = f->r->frames.frames.data[u->cached];
		if (e->symbols) {
			at.symbol = e->symbols[i];
			at.inlined = i + 1 < nr;
		}
		if (e->lines) {
			at.file = e->lines[i].file;
			at.line = e->lines[i].line;
		}
		frame_id frame = fill_frame(f, &at, by_address, flags | (at.inlined ? FRAME_INLINED : 0));
		vec_push(&f->lists, frame);
	}
	return id;
}

/*
 * A live session repeats look-ups. For a recording all look-ups are done before the profile needs the memory; only paths of files are
 * still needed, and names are taken over.
 */
static void forget_sources(const struct frame_lists *l)
{
	for (size_t i = 0; i < l->dsos.len && !l->f->r->symbols_options.live; i++)
		dso_source_forget(l->dsos.data[i]);
}

void fill_frames(struct fill *f)
{
	struct frame_lists l = { .f = f };
	collect_frames(&l);
	expand_frames(&l);
	f->takes_names = !f->r->symbols_options.live && l.dsos.len;
	if (!f->r->options.with_lines)
		forget_sources(&l);
	uint32_t inlined = 0;
	for (size_t i = 0; i < l.dsos.len; i++)
		inlined += dso_source_read_names(l.dsos.data[i], l.threads);
	profile_expect_functions(f->p, inlined);
	uint32_t *known = xcalloc(f->r->frames.frames.len + 1, sizeof(*known)); /* by cached frame: list + 1 */
	for (size_t i = 0; i < l.used.len; i++) {
		const struct used_frame *u = &l.used.data[i];
		uint32_t list = !u->apart && known[u->cached] ? known[u->cached] - 1 : add_list(&l, u);
		if (!u->apart)
			known[u->cached] = list + 1;
		f->of[u->worker].frames[u->raw] = list;
	}
	for (unsigned i = 0; i < l.threads; i++)
		arena_deinit(&l.expanders[i].arena);
	free(l.expanders);
	if (f->r->options.with_lines)
		forget_sources(&l);
	for (size_t i = 0; f->takes_names && i < l.dsos.len; i++)
		dso_source_give_names(l.dsos.data[i], &f->p->strings.arena);
	f->takes_names = false;
	free(l.expansions);
	free(known);
	vec_deinit(&l.used);
	vec_deinit(&l.cached);
	vec_deinit(&l.dsos);
	vec_deinit(&l.firsts);
}

/* ---- the tree of one worker ---- */

static bool node_eq(const void *table, uint32_t id, const void *key)
{
	const struct fill_node *a = &((const struct fill_node *)table)[id], *b = key;
	return a->caller == b->caller && a->frame == b->frame;
}

static uint32_t add_node(struct fill_worker *of, uint32_t caller, frame_id frame, uint64_t first)
{
	struct fill_node n = { .caller = caller, .frame = frame, .first = first };
	uint64_t hash = hash_u64((uint64_t)caller << 32 | frame);
	uint32_t id = idset_find(&of->node_index, hash, node_eq, of->nodes.data, &n);
	if (id != IDSET_NONE)
		return id;
	id = (uint32_t)of->nodes.len;
	vec_push(&of->nodes, n);
	idset_insert(&of->node_index, hash, id);
	return id;
}

/* The number of outer raw frames that a row shares with the one before, without the innermost, which may be hidden. */
static uint32_t common_raw(const struct fill_worker *of, const uint32_t *raw, uint32_t n)
{
	uint32_t same = 0;
	if (!n || !of->last_raw_nr)
		return 0;
	const uint32_t *a = raw + n, *b = of->last_raw + of->last_raw_nr;
	while (same + 1 < n && same + 1 < of->last_raw_nr && *--a == *--b)
		same++;
	return same;
}

static bool is_script(const struct profile *p, frame_id frame)
{
	mapping_id m = p->frames.data[frame].mapping;
	return m != PROFILE_NONE && p->mappings.data[m].kind == MAPPED_SCRIPT;
}

/*
 * Writes the frames of a row, outermost first, to of->path; *ret_same: at least this many are those of the row before. False:
 * the leaf is unresolved, and such rows are hidden.
 */
static bool find_path(const struct fill *f, struct fill_worker *of, const struct raw_row *row, uint32_t *ret_same)
{
	const uint32_t *raw = of->w->tab.paths.data + row->path;
	bool hide = f->r->options.hide_unresolved;
	uint32_t same = common_raw(of, raw, row->path_nr);
	of->path.len = *ret_same = same ? of->depths.data[same - 1] : 0;
	of->depths.len = same;
	of->last_raw = raw;
	of->last_raw_nr = row->path_nr;
	for (uint32_t i = row->path_nr - same; i-- > 0;) {
		const frame_id *list = f->lists.data + of->frames[raw[i]];
		bool unresolved = hide && f->p->frames.data[list[1]].function == PROFILE_NONE;
		bool hidden = unresolved || (f->r->options.hide_scripts && is_script(f->p, list[1]));
		if (unresolved && !i) {
			of->last_raw_nr = 0; /* it has no nodes to share with the next one */
			return false;
		}
		for (frame_id j = 1; !hidden && j <= list[0]; j++)
			vec_push(&of->path, list[j]);
		vec_push(&of->depths, (uint32_t)of->path.len);
	}
	return true;
}

/*
 * Consecutive stacks mostly share outer frames, whose nodes need no look-up. same: number of frames known to be shared.
 */
static uint32_t intern_path(struct fill_worker *of, size_t same, uint64_t first)
{
	size_t n = of->path.len;
	uint32_t node = PROFILE_NONE;
	while (same < n && same < of->last_path.len && of->path.data[same] == of->last_path.data[same])
		same++;
	if (same)
		node = of->last_nodes.data[same - 1];
	vec_reserve(&of->last_path, n);
	vec_reserve(&of->last_nodes, n);
	for (size_t i = same; i < n; i++) {
		node = add_node(of, node, of->path.data[i], first);
		of->last_path.data[i] = of->path.data[i];
		of->last_nodes.data[i] = node;
	}
	of->last_path.len = of->last_nodes.len = n;
	return node;
}

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct fill_row *a = &((const struct fill_row *)table)[id], *b = key;
	return a->node == b->node && a->group == b->group && a->event == b->event;
}

/* The row for raw rows with the same stack, group and event. */
static uint32_t add_row(struct fill_worker *of, uint32_t node, const struct raw_row *raw)
{
	struct fill_row row = { .node = node, .group = raw->group, .event = raw->event, .first = raw->first };
	uint64_t hash = hash_combine(hash_u64((uint64_t)node << 32 | raw->group), raw->event);
	uint32_t id = idset_find(&of->row_index, hash, row_eq, of->rows.data, &row);
	if (id == IDSET_NONE) {
		id = (uint32_t)of->rows.len;
		vec_push(&of->rows, row);
		idset_insert(&of->row_index, hash, id);
	}
	struct fill_row *sum = &of->rows.data[id];
	sum->samples += raw->samples;
	sum->value += raw->value;
	sum->weight += raw->weight;
	return id;
}

static void make_tree(void *ctx, size_t i, unsigned thread)
{
	struct fill *f = ctx;
	struct fill_worker *of = &f->of[i];
	struct rawtab *tab = &of->w->tab;
	idset_reserve(&of->node_index, tab->rows_nr / 2);
	for (uint32_t j = 0; j < tab->rows_nr; j++) {
		struct raw_row *raw = rawtab_row(tab, j);
		raw->result = FILL_DROPPED;
		uint32_t same;
		if (find_path(f, of, raw, &same))
			raw->result = add_row(of, intern_path(of, same, raw->first), raw);
		else
			of->dropped += raw->samples;
	}
}

/* ---- all trees together ---- */

static void join_trees(struct fill *f)
{
	uint32_t *next = xcalloc(f->n, sizeof(*next)), most = 0;
	for (unsigned i = 0; i < f->n; i++)
		most = f->of[i].nodes.len > most ? (uint32_t)f->of[i].nodes.len : most;
	profile_expect_stacks(f->p, most);
	for (;;) {
		struct fill_worker *best = NULL;
		uint64_t least = UINT64_MAX;
		for (unsigned i = 0; i < f->n; i++) {
			struct fill_worker *of = &f->of[i];
			if (next[i] < of->nodes.len && of->nodes.data[next[i]].first < least) {
				least = of->nodes.data[next[i]].first;
				best = of;
			}
		}
		if (!best)
			break;
		struct fill_node *node = &best->nodes.data[next[best - f->of]++];
		stack_id caller = node->caller == PROFILE_NONE ? PROFILE_NONE : best->nodes.data[node->caller].stack;
		node->stack = profile_stack(f->p, caller, node->frame);
	}
	free(next);
}

void fill_stacks(struct fill *f)
{
	pool_run(f->n, f->n, make_tree, f);
	join_trees(f);
	for (unsigned i = 0; i < f->n; i++)
		f->r->stats.unresolved_samples += f->of[i].dropped;
}
