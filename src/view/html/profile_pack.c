/* A profile as columns: strings, objects, functions, frames, stacks in preorder, rows, the time log. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/u64map.h"
#include "view/html/chart.h"
#include "view/html/html_priv.h"
#include "view/html/language.h"
#include "view/html/pack.h"
#include "view/html/stack_tree.h"

#define TIME_UNITS_MAX (UINT64_C(1) << 31) /* times fit 32 bits in the page */
#define NOWHERE UINT32_MAX

typedef VEC(uint64_t) column_t; /* numbers on their way into the page */
typedef VEC(struct sort_pair) sort_pairs_t;

/* Label sets, and their pairs in order. */
struct tag_columns {
	column_t pairs, key, value, number, unit, is_number;
};

struct packer {
	const struct profile *p;
	const struct html_options *o;
	struct pack pack;
	struct strtab strings; /* of the page: only strings that it uses */
	uint32_t *frames;      /* id in the page, or NOWHERE */
	struct stack_tree tree;
	uint32_t *functions, *mappings;
	column_t fn_name, fn_map, fn_file, fn_line, fn_lang;
	VEC(function_id) fn_of; /* by function of the page; PROFILE_NONE: one generated for code without symbols */
	column_t map_name;
	struct u64map unnamed; /* by mapping: the page's function for code without symbols */
	struct u64map threads, tags;
	struct tag_columns tag;
	column_t thread_comm, thread_pid, thread_tid;
	uint32_t keys_nr;    /* number of keys, shared by functions with the same name and object */
	uint32_t *row_place; /* by row: its index in the page, or NOWHERE */
	uint64_t *function_weight; /* by function of the page: the sum of its own samples */
};

static uint32_t *nowhere(size_t n)
{
	uint32_t *ret = xcalloc(n + 1, sizeof(*ret));
	memset(ret, 0xff, (n + 1) * sizeof(*ret));
	return ret;
}

/* Packs and frees a finished column. */
static void put(struct packer *k, const char *name, column_t *column, enum pack_coding coding)
{
	pack_numbers(&k->pack, name, column->data, column->len, coding);
	vec_deinit(column);
}

static uint64_t string(struct packer *k, const char *s)
{
	return strtab_add(&k->strings, s);
}

/* ---- objects and functions ---- */

static uint32_t mapping_of(struct packer *k, mapping_id id)
{
	if (k->mappings[id] != NOWHERE)
		return k->mappings[id];
	const struct profile_mapping *m = &k->p->mappings.data[id];
	k->mappings[id] = (uint32_t)k->map_name.len;
	vec_push(&k->map_name, string(k, profile_str(k->p, m->name ? m->name : m->path)));
	return k->mappings[id];
}

static uint32_t push_function(struct packer *k, function_id of, const char *name, mapping_id mapping)
{
	uint32_t id = (uint32_t)k->fn_name.len;
	const struct profile_function *f = of == PROFILE_NONE ? &(struct profile_function){} : &k->p->functions.data[of];
	vec_push(&k->fn_of, of);
	vec_push(&k->fn_name, string(k, name));
	vec_push(&k->fn_map, mapping == PROFILE_NONE ? 0 : mapping_of(k, mapping) + (uint64_t)1);
	vec_push(&k->fn_file, string(k, profile_str(k->p, f->file)));
	vec_push(&k->fn_line, (uint64_t)f->line);
	vec_push(&k->fn_lang, string(k, of == PROFILE_NONE ? "" : language_of_function(k->p, f)));
	return id;
}

/* Code without a symbol has its object's name in brackets, as in folded stacks. */
static uint32_t unnamed_function(struct packer *k, mapping_id mapping)
{
	bool is_new;
	uint64_t *at = u64map_put(&k->unnamed, mapping, &is_new);
	if (!is_new)
		return (uint32_t)*at;
	_cleanup_strbuf_ struct strbuf b = {};
	const struct profile_mapping *m = mapping == PROFILE_NONE ? NULL : &k->p->mappings.data[mapping];
	const char *name = m ? profile_str(k->p, m->name ? m->name : m->path) : "[unknown]";
	strbuf_addf(&b, name[0] == '[' ? "%s" : "[%s]", *name ? name : "unknown");
	uint32_t id = push_function(k, PROFILE_NONE, strbuf_str(&b), mapping);
	*u64map_put(&k->unnamed, mapping, NULL) = id;
	return id;
}

static uint32_t function_of(struct packer *k, const struct profile_frame *f)
{
	const char *name = "";
	if (f->function != PROFILE_NONE) {
		const struct profile_function *fn = &k->p->functions.data[f->function];
		name = profile_str(k->p, fn->name ? fn->name : fn->system_name);
	}
	if (!*name || !strcmp(name, "[unknown]"))
		return unnamed_function(k, f->mapping);
	if (k->functions[f->function] == NOWHERE)
		k->functions[f->function] = push_function(k, f->function, name, k->p->functions.data[f->function].mapping);
	return k->functions[f->function];
}

/* ---- frames ---- */

struct frame_columns {
	column_t fn, line, flags, low, high;
};

static void push_frame(struct packer *k, frame_id id, struct frame_columns *c)
{
	const struct profile_frame *f = &k->p->frames.data[id];
	k->frames[id] = (uint32_t)c->fn.len;
	vec_push(&c->fn, (uint64_t)function_of(k, f));
	vec_push(&c->line, (uint64_t)f->line);
	/* bit 0: inlined, bit 1: kernel, bit 2: a wait, bit 3: a waker */
	bool is_kernel = f->space == SPACE_KERNEL || f->space == SPACE_GUEST_KERNEL;
	vec_push(&c->flags, (uint64_t)((f->flags & FRAME_INLINED ? 1 : 0) + (is_kernel ? 2 : 0) + (f->flags & FRAME_WAIT ? 4 : 0) +
				       (f->flags & FRAME_WAKER ? 8 : 0)));
	vec_push(&c->low, f->addr & UINT32_MAX);
	vec_push(&c->high, f->addr >> 32);
}

/* Compares functions by name and object: those with equal name and object are shown as one, and siblings have this order. */
struct named {
	const char *name, *object;
	uint32_t function;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->object, y->object);
}

static column_t key_functions(struct packer *k)
{
	size_t n = k->fn_name.len;
	column_t keys = {};
	struct named *all = xcalloc(n + 1, sizeof(*all));
	for (uint32_t f = 0; f < n; f++) {
		uint64_t map = k->fn_map.data[f];
		all[f] = (struct named){
			.name = strtab_get(&k->strings, (str_id)k->fn_name.data[f]),
			.object = map ? strtab_get(&k->strings, (str_id)k->map_name.data[map - 1]) : "",
			.function = f,
		};
		vec_push(&keys, (uint64_t)0);
	}
	qsort(all, n, sizeof(*all), compare_named);
	for (size_t i = 0; i < n; i++) {
		k->keys_nr += !i || compare_named(&all[i - 1], &all[i]);
		keys.data[all[i].function] = k->keys_nr - 1;
	}
	free(all);
	return keys;
}

/* The columns of frames and of the keys of functions; creates k->tree. */
static void pack_frames(struct packer *k)
{
	const struct profile *p = k->p;
	struct frame_columns c = {};
	bool *used = stack_tree_used(p);
	for (stack_id s = 0; s < p->stacks.len; s++)
		if (used[s] && k->frames[p->stacks.data[s].frame] == NOWHERE)
			push_frame(k, p->stacks.data[s].frame, &c);
	column_t keys = key_functions(k);
	uint32_t *rank = nowhere(p->frames.len);
	for (frame_id f = 0; f < p->frames.len; f++)
		if (k->frames[f] != NOWHERE)
			rank[f] = (uint32_t)keys.data[c.fn.data[k->frames[f]]];
	stack_tree_make(&k->tree, p, used, rank, k->keys_nr);
	put(k, "frame.fn", &c.fn, PACK_PLAIN);
	put(k, "frame.line", &c.line, PACK_PLAIN);
	put(k, "frame.flags", &c.flags, PACK_PLAIN);
	put(k, "frame.low", &c.low, PACK_PLAIN);
	put(k, "frame.high", &c.high, PACK_PLAIN);
	put(k, "fn.key", &keys, PACK_PLAIN);
	free(used);
	free(rank);
}

/* ---- stacks ---- */

/*
 * Branches: the number of stacks up to and including each leaf, and the level at which the next branch begins, relative or
 * absolute, whichever gives smaller numbers.
 */
static void pack_branches(struct packer *k)
{
	const struct stack_tree *t = &k->tree;
	column_t runs = {}, ups = {}, levels = {};
	uint64_t run = 0, up_sum = 0, level_sum = 0;
	for (uint32_t i = 0; i < t->nr; i++) {
		uint64_t depth = k->p->stacks.data[t->order[i]].depth;
		uint64_t next = i + 1 < t->nr ? k->p->stacks.data[t->order[i + 1]].depth : 1;
		run++;
		if (next > depth)
			continue;
		vec_push(&runs, run);
		vec_push(&ups, depth + 1 - next);
		vec_push(&levels, next - 1);
		up_sum += depth + 1 - next;
		level_sum += next - 1;
		run = 0;
	}
	put(k, "branch.run", &runs, PACK_PLAIN);
	if (up_sum <= level_sum)
		put(k, "branch.up", &ups, PACK_PLAIN);
	else
		put(k, "branch.level", &levels, PACK_PLAIN);
	vec_deinit(&ups);
	vec_deinit(&levels);
}

/*
 * Frames of stacks, encoded by the callees of the caller's frame so far: 0 is a new callee (the next of "callee.frame"), n the
 * n-th one. Since few functions are called from one place, most numbers are small.
 */
static void pack_callees(struct packer *k)
{
	const struct profile *p = k->p;
	struct u64map known = {};
	column_t codes = {}, news = {}, counts = {};
	size_t frames_nr = p->frames.len;
	uint32_t *had = xcalloc(frames_nr + 1, sizeof(*had)); /* by frame of the page, and one after for "no caller" */
	for (uint32_t i = 0; i < k->tree.nr; i++) {
		const struct profile_stack *s = &p->stacks.data[k->tree.order[i]];
		uint32_t frame = k->frames[s->frame];
		uint32_t caller = s->caller == PROFILE_NONE ? 0 : k->frames[p->stacks.data[s->caller].frame] + 1;
		bool is_new;
		uint64_t *nth = u64map_put(&known, (uint64_t)caller << 32 | frame, &is_new);
		vec_push(&codes, is_new ? 0 : *nth);
		if (is_new) {
			*nth = ++had[caller];
			vec_push(&news, (uint64_t)frame);
		}
	}
	for (size_t f = 0; f <= frames_nr; f++)
		vec_push(&counts, (uint64_t)had[f]);
	put(k, "node.callee", &codes, PACK_PLAIN);
	put(k, "callee.frame", &news, PACK_PLAIN);
	put(k, "callees.nr", &counts, PACK_PLAIN);
	u64map_deinit(&known);
	free(had);
}

static void pack_boxes(struct packer *k)
{
	column_t boxes = {};
	for (uint32_t i = 0; k->tree.box && i < k->tree.nr; i++)
		vec_push(&boxes, (uint64_t)k->tree.box[i]);
	put(k, "node.box", &boxes, PACK_DELTA);
}

/* ---- rows ---- */

struct label_columns {
	uint32_t comm, pid, tid;
};

static uint64_t label(const struct packer *k, labels_id labels, uint32_t column)
{
	return column == PROFILE_NONE ? 0 : (uint64_t)profile_label_number(profile_label_values(k->p, labels)[column]);
}

static uint64_t thread_of(struct packer *k, const struct label_columns *c, labels_id labels)
{
	bool is_new;
	uint64_t comm = label(k, labels, c->comm), pid = label(k, labels, c->pid), tid = label(k, labels, c->tid);
	const char *name = c->comm == PROFILE_NONE ? "" : profile_str(k->p, (str_id)comm);
	uint64_t *at = u64map_put(&k->threads, hash_combine(hash_u64(comm << 32 ^ pid), tid), &is_new);
	if (is_new) {
		*at = k->thread_comm.len;
		vec_push(&k->thread_comm, string(k, name));
		vec_push(&k->thread_pid, pid);
		vec_push(&k->thread_tid, tid);
	}
	return *at;
}

/* The other labels of a set, as pairs; 0: none. */
static uint64_t tag_of(struct packer *k, const struct label_columns *c, labels_id labels)
{
	bool is_new;
	uint64_t *at = u64map_put(&k->tags, labels, &is_new);
	struct tag_columns *t = &k->tag;
	uint64_t pairs = 0;
	if (!is_new)
		return *at;
	for (uint32_t i = 0; i < k->p->columns.len; i++) {
		const struct profile_label_column *column = &k->p->columns.data[i];
		uint64_t v = label(k, labels, i), value = profile_label_values(k->p, labels)[i];
		const char *text = "";
		char hex[24];
		bool is_number = column->type == COLUMN_U64 || column->type == COLUMN_I64 || column->type == COLUMN_HEX;
		if (i == c->comm || i == c->pid || i == c->tid || !profile_has_label(k->p, column, value))
			continue;
		if (column->type == COLUMN_STRING) {
			text = profile_str(k->p, (str_id)v);
		} else if (column->type == COLUMN_HEX) {
			/* numbers in the page have fewer bits than addresses */
			snprintf(hex, sizeof(hex), "%#" PRIx64, v);
			text = hex;
		}
		vec_push(&t->key, string(k, profile_str(k->p, column->name)));
		vec_push(&t->value, string(k, text));
		vec_push(&t->number, is_number ? v : 0);
		vec_push(&t->unit, string(k, profile_str(k->p, column->unit)));
		vec_push(&t->is_number, (uint64_t)is_number);
		pairs++;
	}
	if (!pairs)
		return *at; /* is 0 */
	vec_push(&t->pairs, pairs);
	*at = t->pairs.len;
	return *at;
}

static void pack_tags(struct packer *k)
{
	struct tag_columns *t = &k->tag;
	put(k, "tag.pairs", &t->pairs, PACK_PLAIN);
	put(k, "pair.key", &t->key, PACK_PLAIN);
	put(k, "pair.text", &t->value, PACK_PLAIN);
	put(k, "pair.number", &t->number, PACK_SIGNED);
	put(k, "pair.unit", &t->unit, PACK_PLAIN);
	put(k, "pair.isNumber", &t->is_number, PACK_PLAIN);
}

static bool calls_nothing(const struct packer *k, uint32_t place)
{
	const struct stack_tree *t = &k->tree;
	const struct profile_stack *stacks = k->p->stacks.data;
	return place + 1 == t->nr || stacks[t->order[place + 1]].depth <= stacks[t->order[place]].depth;
}

/*
 * The stack of a row, encoded relative to that of the row before (*at, at first -1): 0 is the next leaf, as in most cases; n is the
 * stack n - 1 after it.
 */
static uint64_t row_code(const struct packer *k, int64_t place, int64_t *at)
{
	int64_t before = *at, end = before + 1;
	*at = place;
	if (place == before)
		return 1;
	while (end < place && !calls_nothing(k, (uint32_t)end))
		end++;
	return end == place && calls_nothing(k, (uint32_t)place) ? 0 : (uint64_t)(place - before + 1);
}

/* Rows that are shown, by the places of their stacks. */
static sort_pairs_t ordered_rows(const struct packer *k)
{
	sort_pairs_t order = {};
	for (size_t i = 0; i < k->p->rows.len; i++) {
		const struct profile_row *row = &k->p->rows.data[i];
		struct sort_pair pair = { .value = i };
		if (!stack_tree_has(row))
			continue;
		pair.key = k->tree.place[row->stack];
		vec_push(&order, pair);
	}
	sort_pairs(order.data, order.len);
	return order;
}

/* Signed, since the difference to a base may be negative. */
static enum pack_coding sample_coding(const column_t *samples)
{
	for (size_t i = 0; i < samples->len; i++)
		if (samples->data[i] > INT64_MAX)
			return PACK_SIGNED;
	return PACK_PLAIN;
}

static void pack_rows(struct packer *k)
{
	const struct profile *p = k->p;
	struct label_columns labels = {
		.comm = profile_find_column(p, "comm"), .pid = profile_find_column(p, "pid"), .tid = profile_find_column(p, "tid"),
	};
	sort_pairs_t order = ordered_rows(k);
	int64_t at = -1;
	column_t node = {}, thread = {}, event = {}, samples = {}, value = {}, tag = {};
	for (size_t i = 0; i < order.len; i++) {
		const struct profile_row *row = &p->rows.data[order.data[i].value];
		k->row_place[order.data[i].value] = (uint32_t)i;
		vec_push(&node, row_code(k, k->tree.place[row->stack], &at));
		vec_push(&thread, thread_of(k, &labels, row->labels));
		vec_push(&event, (uint64_t)row->event);
		vec_push(&samples, row->samples);
		vec_push(&value, row->value);
		vec_push(&tag, tag_of(k, &labels, row->labels));
	}
	/* folded stacks and similar formats count only samples */
	if (value.len && !memcmp(value.data, samples.data, value.len * sizeof(*value.data)))
		vec_clear(&value);
	put(k, "row.node", &node, PACK_PLAIN);
	put(k, "row.thread", &thread, PACK_PLAIN);
	put(k, "row.event", &event, PACK_PLAIN);
	put(k, "row.samples", &samples, sample_coding(&samples));
	put(k, "row.value", &value, PACK_SIGNED);
	put(k, "row.tag", &tag, PACK_PLAIN);
	vec_deinit(&order);
}

/* ---- the time log ---- */

/* The page's time 0, as in pack_log(). */
static uint64_t first_time(const struct profile *p)
{
	uint64_t first = p->log.len ? p->log.data[0].time_ns : 0;
	for (size_t i = 0; i < p->log.len; i++)
		first = p->log.data[i].time_ns < first ? p->log.data[i].time_ns : first;
	return first;
}

static void pack_log(struct packer *k)
{
	const struct profile *p = k->p;
	column_t time = {}, cpu = {}, row = {};
	uint64_t unit = 1000, first = first_time(p), last = 0;
	for (size_t i = 0; i < p->log.len; i++)
		last = p->log.data[i].time_ns > last ? p->log.data[i].time_ns : last;
	while ((last - first) / unit >= TIME_UNITS_MAX)
		unit *= 10;
	for (size_t i = 0; i < p->log.len; i++) {
		const struct profile_log_entry *e = &p->log.data[i];
		if (e->row >= p->rows.len || k->row_place[e->row] == NOWHERE)
			continue;
		vec_push(&time, (e->time_ns - first) / unit);
		vec_push(&cpu, e->cpu == UINT32_MAX ? 0 : (uint64_t)e->cpu + 1);
		vec_push(&row, (uint64_t)k->row_place[e->row]);
	}
	put(k, "log.time", &time, PACK_DELTA);
	put(k, "log.cpu", &cpu, PACK_PLAIN);
	put(k, "log.row", &row, PACK_PLAIN);
	struct json *head = &k->pack.head;
	json_key(head, "timeUnitNs");
	json_u64(head, unit);
	json_key(head, "durationNs");
	json_u64(head, p->log.len ? last - first : p->duration_ns);
	json_key(head, "logDropped");
	json_u64(head, p->log_dropped);
}

/* ---- the header ---- */

/* The event of a base is the one whose name is the same but for the prefix. */
static uint32_t base_of(const struct profile *p, uint32_t event)
{
	_cleanup_strbuf_ struct strbuf b = {};
	strbuf_addf(&b, HTML_BASE_PREFIX "%s", profile_event_name(p, event));
	for (uint32_t i = 0; i < p->events.len; i++)
		if (!strcmp(profile_event_name(p, i), strbuf_str(&b)))
			return i;
	return PROFILE_NONE;
}

static bool is_base(const struct profile *p, uint32_t event)
{
	return text_has_prefix(profile_event_name(p, event), HTML_BASE_PREFIX);
}

static uint32_t first_shown(const struct packer *k)
{
	const struct profile *p = k->p;
	uint32_t ret = PROFILE_NONE;
	for (uint32_t i = 0; i < p->events.len; i++) {
		const struct profile_event *e = &p->events.data[i];
		bool is_selected = k->o->event && !strcmp(profile_str(p, e->name), k->o->event);
		bool meant = !k->o->event && p->origin.events_are_values && p->origin.default_event == e->name;
		if (is_selected || (meant && p->origin.default_event))
			return i;
		if (is_base(p, i) || !(e->samples || e->value))
			continue;
		/* of several values per sample the last; of several events the one with most samples */
		if (ret == PROFILE_NONE || p->origin.events_are_values || e->samples > p->events.data[ret].samples)
			ret = i;
	}
	return ret == PROFILE_NONE ? 0 : ret;
}

static void pack_events(struct packer *k)
{
	const struct profile *p = k->p;
	struct json *head = &k->pack.head;
	json_key(head, "event");
	json_u64(head, first_shown(k));
	json_key(head, "events");
	json_array(head);
	for (uint32_t i = 0; i < p->events.len; i++) {
		const struct profile_event *e = &p->events.data[i];
		uint32_t base = base_of(p, i);
		json_object(head);
		json_key(head, "name");
		json_str(head, profile_str(p, e->name));
		json_key(head, "unit");
		json_str(head, profile_str(p, e->unit));
		json_key(head, "samples");
		json_u64(head, e->samples);
		json_key(head, "lost");
		json_u64(head, e->lost);
		json_key(head, "isBase");
		json_bool(head, is_base(p, i));
		if (base != PROFILE_NONE) {
			json_key(head, "base");
			json_u64(head, base);
		}
		json_end(head);
	}
	json_end(head);
}

static void pack_facts(struct packer *k)
{
	struct json *head = &k->pack.head;
	html_pack_facts(&k->pack, k->o);
	json_key(head, "subtracts");
	json_bool(head, k->o->subtracts);
	json_key(head, "countSamples");
	json_bool(head, k->o->count_samples);
	json_key(head, "valuesAreOne");
	json_bool(head, k->p->origin.events_are_values);
}

/* ---- code ---- */

static void weigh_functions(struct packer *k)
{
	const struct profile *p = k->p;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (!stack_tree_has(row))
			continue;
		/* Samples of an inlined function also count for the function into which it is inlined. */
		for (stack_id s = row->stack; s != PROFILE_NONE; s = p->stacks.data[s].caller) {
			const struct profile_frame *f = &p->frames.data[p->stacks.data[s].frame];
			if (f->function != PROFILE_NONE && k->functions[f->function] != NOWHERE)
				k->function_weight[k->functions[f->function]] += row->samples ? row->samples : 1;
			if (!(f->flags & FRAME_INLINED))
				break;
		}
	}
}

/* Listings of the hottest functions: one JSON array of [function, listing]. */
static struct strobe_error *pack_code(struct packer *k)
{
	sort_pairs_t order = {};
	struct out code, one;
	struct strobe_error *err = NULL;
	out_init_mem(&code);
	k->function_weight = xcalloc(k->fn_of.len + 1, sizeof(*k->function_weight));
	weigh_functions(k);
	for (uint32_t f = 0; f < k->fn_of.len; f++) {
		struct sort_pair pair = { .key = UINT64_MAX - k->function_weight[f], .value = f };
		if (k->fn_of.data[f] != PROFILE_NONE && k->function_weight[f])
			vec_push(&order, pair);
	}
	sort_pairs(order.data, order.len);
	out_ch(&code, '[');
	bool any = false;
	for (size_t i = 0; i < order.len && i < k->o->code.functions_max && !err; i++) {
		size_t bytes;
		out_init_mem(&one);
		err = k->o->code.list(k->o->code.ctx, k->p, k->fn_of.data[order.data[i].value], &one);
		const char *text = out_mem(&one, &bytes);
		if (bytes && !err) {
			out_str(&code, any ? ",[" : "[");
			any = true;
			out_u64(&code, order.data[i].value);
			out_ch(&code, ',');
			out_write(&code, text, bytes);
			out_ch(&code, ']');
		}
		error_destroy(out_close(&one));
	}
	out_ch(&code, ']');
	size_t bytes;
	const char *text = out_mem(&code, &bytes);
	pack_text(&k->pack, "code", text, bytes);
	vec_deinit(&order);
	if (err)
		error_destroy(out_close(&code));
	else
		err = out_close(&code);
	return err;
}

/* ---- all of it ---- */

static void pack_tables(struct packer *k)
{
	put(k, "fn.name", &k->fn_name, PACK_PLAIN);
	put(k, "fn.map", &k->fn_map, PACK_PLAIN);
	put(k, "fn.file", &k->fn_file, PACK_PLAIN);
	put(k, "fn.line", &k->fn_line, PACK_PLAIN);
	put(k, "fn.lang", &k->fn_lang, PACK_PLAIN);
	put(k, "map.name", &k->map_name, PACK_PLAIN);
	put(k, "thread.comm", &k->thread_comm, PACK_PLAIN);
	put(k, "thread.pid", &k->thread_pid, PACK_PLAIN);
	put(k, "thread.tid", &k->thread_tid, PACK_PLAIN);
	html_pack_strings(&k->pack, &k->strings);
	/* the functions' IDs in the profile, by which their code is requested from a server */
	column_t ids = {};
	for (size_t i = 0; i < k->fn_of.len; i++)
		vec_push(&ids, k->fn_of.data[i] == PROFILE_NONE ? 0 : (uint64_t)k->fn_of.data[i] + 1);
	put(k, "fn.id", &ids, PACK_DELTA);
}

/* Columns are freed as they are packed. */
static void free_packer(struct packer *k)
{
	vec_deinit(&k->fn_of);
	u64map_deinit(&k->unnamed);
	u64map_deinit(&k->threads);
	u64map_deinit(&k->tags);
	strtab_deinit(&k->strings);
	free(k->frames);
	stack_tree_deinit(&k->tree);
	free(k->functions);
	free(k->mappings);
	free(k->row_place);
	free(k->function_weight);
	pack_deinit(&k->pack);
}

struct strobe_error *view_html_data(const struct profile *p, const struct html_options *o, struct out *out)
{
	struct packer k = {
		.p = p,
		.o = o,
		.frames = nowhere(p->frames.len),
		.functions = nowhere(p->functions.len),
		.mappings = nowhere(p->mappings.len),
		.row_place = nowhere(p->rows.len),
	};
	strtab_init(&k.strings);
	pack_init(&k.pack);
	pack_facts(&k);
	pack_events(&k);
	pack_frames(&k);
	pack_branches(&k);
	pack_callees(&k);
	pack_boxes(&k);
	pack_rows(&k);
	pack_tags(&k);
	pack_log(&k);
	if (o->chart)
		chart_pack(&k.pack, &k.strings, o->chart, p->log.len ? first_time(p) : o->chart->first_ns);
	struct strobe_error *err = o->code.list ? pack_code(&k) : NULL;
	pack_tables(&k);
	pack_finish(&k.pack, out);
	free_packer(&k);
	return err;
}
