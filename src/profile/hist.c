/* Grouping rows into entries. */
#include "profile/hist.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "profile/hist_priv.h"

/* Numbers for distinct tuples of u64: tuple i is values.data[i * width] … */
struct tuples {
	VEC(uint64_t) values;
	size_t width;
	struct idset index;
	uint32_t nr;
};

struct tuple_key {
	const struct tuples *of;
	const uint64_t *values;
};

static bool tuple_equal(const void *table, uint32_t id, const void *key)
{
	const struct tuples *t = table;
	return !t->width || !memcmp(t->values.data + id * t->width, key, t->width * sizeof(uint64_t));
}

static uint32_t tuple_id(struct tuples *t, const uint64_t *values)
{
	uint64_t hash = hash_u64s(values, t->width, t->width);
	uint32_t id = idset_find(&t->index, hash, tuple_equal, t, values);
	if (id != IDSET_NONE)
		return id;
	if (t->width)
		memcpy(vec_extend(&t->values, t->width), values, t->width * sizeof(uint64_t));
	idset_insert(&t->index, hash, t->nr);
	return t->nr++;
}

static void tuples_deinit(struct tuples *t)
{
	vec_deinit(&t->values);
	idset_deinit(&t->index);
}

char hist_level(enum mapping_space space)
{
	switch (space) {
	case SPACE_KERNEL: return 'k';
	case SPACE_GUEST_KERNEL: return 'g';
	case SPACE_GUEST_USER: return 'u';
	case SPACE_HYPERVISOR: return 'H';
	case SPACE_USER:
	case SPACE_UNKNOWN: break;
	}
	return '.';
}

bool hist_key_bind(struct hist_key *k, const struct profile *p)
{
	char name[64];
	const char *at = k->column->labels;
	if (k->column->id == COLUMN_FIELD) {
		k->label = profile_find_column(p, k->label_name ? k->label_name : k->header);
		k->label2 = PROFILE_NONE;
		return k->label != PROFILE_NONE;
	}
	k->label = k->label2 = PROFILE_NONE;
	if (!k->header)
		k->header = k->column->header;
	for (uint32_t *label = &k->label; *at; label = &k->label2) {
		size_t n = strcspn(at, " ");
		if (n < sizeof(name)) {
			memcpy(name, at, n);
			name[n] = '\0';
			*label = profile_find_column(p, name);
		}
		at += n + (at[n] == ' ');
		if (label == &k->label2)
			break;
	}
	return k->label != PROFILE_NONE || k->column->from != COLUMN_FROM_LABELS;
}

/* The words of a key that come from labels or the stack; returns their number. */
static size_t row_words(struct hist *h, const struct hist_key *k, const struct profile_row *row, uint64_t *words)
{
	const struct column_cells *c = k->column->cells;
	uint64_t value = k->label == PROFILE_NONE ? 0 : profile_label_values(h->profile, row->labels)[k->label];
	if (k->only_event && k->only_event != row->event + 1)
		value = 0;
	if (c->row_words)
		return c->row_words(h, k, row, value, words);
	if (c->frame_words)
		return c->frame_words(h, k, k->label == PROFILE_NONE ? PROFILE_NONE : (frame_id)value, true, words);
	words[0] = c->word ? c->word(h, value) : value;
	return 1;
}

static bool key_from_frame(const struct hist_key *k)
{
	return k->column->from == COLUMN_FROM_FRAME;
}

static bool key_from_row(const struct hist_key *k)
{
	return k->column->from == COLUMN_FROM_LABELS || k->column->from == COLUMN_FROM_STACK;
}

static uint32_t frame_key_words(struct hist *h, frame_id frame, bool caller, uint64_t *words)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < h->options.keys_nr; k++)
		if (key_from_frame(&h->options.keys[k]))
			n += h->options.keys[k].column->cells->frame_words(h, &h->options.keys[k], frame, caller, words + n);
	return n;
}

/*
 * Numbers frames by their values, as leaves and, with children, as callers, with one more for "no frame" at the end. Most have the same
 * value as both, and are looked up once.
 */
static void number_frames(struct hist *h)
{
	const struct profile *p = h->profile;
	struct tuples t = {};
	uint64_t *words = xreallocarray(NULL, h->options.keys_nr * COLUMN_WORDS_MAX + 1, sizeof(*words));
	uint64_t *as_caller = xreallocarray(NULL, h->options.keys_nr * COLUMN_WORDS_MAX + 1, sizeof(*as_caller));
	h->self_keys = xreallocarray(NULL, p->frames.len + 1, sizeof(*h->self_keys));
	if (h->options.children)
		h->caller_keys = xreallocarray(NULL, p->frames.len + 1, sizeof(*h->caller_keys));
	for (size_t i = 0; i <= p->frames.len; i++) {
		frame_id frame = i < p->frames.len ? (frame_id)i : PROFILE_NONE;
		t.width = frame_key_words(h, frame, false, words);
		h->self_keys[i] = tuple_id(&t, words);
		if (!h->options.children)
			continue;
		frame_key_words(h, frame, true, as_caller);
		bool same = !memcmp(words, as_caller, t.width * sizeof(*words));
		h->caller_keys[i] = same ? h->self_keys[i] : tuple_id(&t, as_caller);
	}
	h->frame_keys_nr = t.nr;
	tuples_deinit(&t);
	free(words);
	free(as_caller);
}

/* Has counts of our events; in a live profile (profile/history.h), most rows have counts only in other slices. */
static inline bool row_counts(const struct profile_row *row, const uint32_t *event_index)
{
	return event_index[row->event] != PROFILE_NONE && (row->samples || row->value);
}

static bool row_is_shown(const struct hist *h, const struct profile_row *row, const uint32_t *event_index)
{
	const struct hist_options *o = &h->options;
	return row_counts(row, event_index) && !(o->row_left_out && o->row_left_out(o->ctx, h->profile, row));
}

/* The row's part of the elapsed time, which threads that run at the same time share. */
static uint64_t row_latency(const struct hist *h, const struct profile_row *row)
{
	uint64_t n = h->parallelism_label == PROFILE_NONE ? 0 : profile_label_values(h->profile, row->labels)[h->parallelism_label];
	return n ? row->value / n : 0;
}

static void count_total(struct hist *h, const struct profile_row *row, uint32_t event)
{
	struct hist_total *total = &h->totals[event];
	total->period += row->value;
	total->latency += row_latency(h, row);
	total->samples += row->samples;
	total->weight += row->weight;
}

static void count_left_out(struct hist *h, const uint32_t *event_index)
{
	const struct profile *p = h->profile;
	for (size_t r = 0; h->options.row_left_out && r < p->rows.len; r++)
		if (row_counts(&p->rows.data[r], event_index) && !row_is_shown(h, &p->rows.data[r], event_index))
			count_total(h, &p->rows.data[r], event_index[p->rows.data[r].event]);
}

/* Groups the rows of our events by labels: fills rows and group_rows. */
static void number_rows(struct hist *h, const uint32_t *event_index)
{
	const struct profile *p = h->profile;
	struct tuples t = {};
	uint64_t *words = xreallocarray(NULL, h->options.keys_nr * COLUMN_WORDS_MAX + 1, sizeof(*words));
	uint32_t *groups = xreallocarray(NULL, p->rows.len + 1, sizeof(*groups));
	bool by_stack = false, any = false;
	for (uint32_t k = 0; k < h->options.keys_nr; k++) {
		by_stack |= h->options.keys[k].column->from == COLUMN_FROM_STACK;
		any |= key_from_row(&h->options.keys[k]);
	}
	/* Most rows share few label sets: each set is numbered once. */
	uint32_t *of_labels = by_stack || !any ? NULL : xcalloc(p->labels_nr + 1, sizeof(*of_labels));
	uint32_t rows_nr = 0;
	for (size_t r = 0; r < p->rows.len; r++) {
		const struct profile_row *row = &p->rows.data[r];
		if (!row_is_shown(h, row, event_index))
			continue;
		rows_nr++;
		if (of_labels && of_labels[row->labels]) {
			groups[r] = of_labels[row->labels] - 1;
			continue;
		}
		t.width = 0;
		for (uint32_t k = 0; any && k < h->options.keys_nr; k++)
			if (key_from_row(&h->options.keys[k]))
				t.width += row_words(h, &h->options.keys[k], row, words + t.width);
		groups[r] = any || !t.nr ? tuple_id(&t, words) : 0;
		if (of_labels)
			of_labels[row->labels] = groups[r] + 1;
	}
	h->groups_nr = t.nr;
	h->group_rows = xcalloc(t.nr + 2, sizeof(*h->group_rows));
	h->rows = xreallocarray(NULL, rows_nr + 1, sizeof(*h->rows));
	uint32_t *starts = h->group_rows;
	for (size_t r = 0; r < p->rows.len; r++)
		if (row_is_shown(h, &p->rows.data[r], event_index))
			starts[groups[r] + 2]++;
	for (uint32_t g = 2; g < t.nr + 2; g++)
		starts[g] += starts[g - 1];
	/* starts[g + 1] is now the next index for group g, and finally its end. */
	for (size_t r = 0; r < p->rows.len; r++)
		if (row_is_shown(h, &p->rows.data[r], event_index))
			h->rows[starts[groups[r] + 1]++] = (uint32_t)r;
	free(groups);
	free(words);
	free(of_labels);
	tuples_deinit(&t);
}

struct filler {
	struct hist *h;
	const uint32_t *event_index;
	uint32_t *entry_of;  /* frame_key → entry of this group */
	uint32_t *seen;      /* entry → stamp of the last row counted for it */
	size_t seen_cap, stats_cap;
	uint32_t stamp;
	uint32_t group;
};

static uint32_t entry_add(struct filler *f, uint32_t frame_key, frame_id frame, uint32_t row, uint64_t addr, char level)
{
	struct hist *h = f->h;
	uint32_t e = (uint32_t)h->entries.len;
	vec_push(&h->entries, ((struct hist_entry){ .frame = frame, .row = row, .addr = addr, .frame_key = frame_key,
						    .group = f->group, .level = level, .hidden = true }));
	if (h->entries.len > f->seen_cap) {
		size_t cap = h->entries.cap;
		f->seen = xreallocarray(f->seen, cap, sizeof(*f->seen));
		h->stats = xreallocarray(h->stats, cap * h->options.events_nr, sizeof(*h->stats));
		f->seen_cap = cap;
	}
	f->seen[e] = 0;
	struct hist_stat *stats = h->stats + (size_t)e * h->options.events_nr;
	memset(stats, 0, h->options.events_nr * sizeof(*stats));
	for (uint32_t j = 0; h->data_src_label != PROFILE_NONE && j < h->options.events_nr; j++)
		stats[j].kinds = arena_new_array(&h->kinds_arena, uint64_t, ACCESS_KINDS);
	f->entry_of[frame_key] = e;
	return e;
}

/*
 * The level of a caller without a mapping: that of the frame before it in perf's order, or of the sample.
 */
static char caller_level(const struct hist *h, stack_id stack, stack_id leaf)
{
	const struct profile *p = h->profile;
	const struct profile_frame *frames = p->frames.data;
	const struct profile_frame *f = &frames[p->stacks.data[stack].frame];
	if (f->mapping != PROFILE_NONE)
		return hist_level(f->space);
	if (!h->options.callee_first) {
		for (stack_id s = p->stacks.data[stack].caller; s != PROFILE_NONE; s = p->stacks.data[s].caller)
			if (frames[p->stacks.data[s].frame].mapping != PROFILE_NONE)
				return hist_level(frames[p->stacks.data[s].frame].space);
		return hist_level(frames[p->stacks.data[leaf].frame].space);
	}
	char level = hist_level(frames[p->stacks.data[leaf].frame].space);
	for (stack_id s = leaf; s != stack && s != PROFILE_NONE; s = p->stacks.data[s].caller)
		if (frames[p->stacks.data[s].frame].mapping != PROFILE_NONE)
			level = hist_level(frames[p->stacks.data[s].frame].space);
	return level;
}

/* The level of a sample: that of its innermost frame, except for branches. */
static enum mapping_space self_space(const struct hist *h, const struct profile_row *row, const struct profile_frame *f)
{
	if (h->cpumode_label == PROFILE_NONE)
		return f ? f->space : SPACE_UNKNOWN;
	switch (profile_label_values(h->profile, row->labels)[h->cpumode_label]) {
	case PERF_RECORD_MISC_KERNEL: return SPACE_KERNEL;
	case PERF_RECORD_MISC_USER: return SPACE_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL: return SPACE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER: return SPACE_GUEST_USER;
	default: return SPACE_HYPERVISOR;
	}
}

static void add_self(struct hist_stat *s, const struct profile_row *row, uint64_t latency, enum mapping_space space)
{
	s->latency += latency;
	s->latency_children += latency;
	s->period += row->value;
	s->samples += row->samples;
	s->weight += row->weight;
	s->children += row->value;
	s->children_samples += row->samples;
	switch (space) {
	case SPACE_KERNEL: s->sys += row->value; break;
	case SPACE_GUEST_KERNEL: s->guest_sys += row->value; break;
	case SPACE_GUEST_USER: s->guest_user += row->value; break;
	case SPACE_USER: s->user += row->value; break;
	case SPACE_HYPERVISOR:
	case SPACE_UNKNOWN: break;
	}
}

/* Divides a row's period by what kinds of access it is. */
static void add_kinds(struct hist *h, struct hist_stat *s, const struct profile_row *row)
{
	unsigned kinds[ACCESS_DIVISIONS];
	if (!s->kinds)
		return;
	access_kinds_of(profile_label_values(h->profile, row->labels)[h->data_src_label], kinds);
	for (unsigned i = 0; i < ACCESS_DIVISIONS; i++) {
		s->kinds[kinds[i]] += row->value;
		h->kinds |= row->value ? 1u << kinds[i] : 0;
	}
}

/* Adds to the callers of the row's innermost frame, each entry once. */
static void fill_callers(struct filler *f, uint32_t r, const struct profile_row *row, uint32_t event, bool hidden)
{
	struct hist *h = f->h;
	const struct profile_stack *stacks = h->profile->stacks.data;
	uint32_t events_nr = h->options.events_nr;
	uint64_t latency = row_latency(h, row);
	stack_id innermost = chain_of_stack(h->profile, row->stack);
	uint32_t leaf_depth = innermost == PROFILE_NONE ? 0 : stacks[innermost].depth;
	bool callee_first = h->options.callee_first;
	for (stack_id s = innermost; s != PROFILE_NONE; s = stacks[s].caller) {
		uint32_t key = h->caller_keys[stacks[s].frame], e = f->entry_of[key];
		if (e == PROFILE_NONE)
			e = entry_add(f, key, stacks[s].frame, r, h->profile->frames.data[stacks[s].frame].ip,
				      caller_level(h, s, row->stack));
		uint32_t depth = callee_first ? stacks[s].depth : leaf_depth - stacks[s].depth + 1;
		struct hist_entry *entry = &h->entries.data[e];
		if (!event && entry->max_depth < depth)
			entry->max_depth = depth;
		if (f->seen[e] == f->stamp)
			continue;
		f->seen[e] = f->stamp;
		struct hist_stat *stat = &h->stats[(size_t)e * events_nr + event];
		stat->children += row->value;
		stat->latency_children += latency;
		stat->children_samples += row->samples;
		entry->hidden &= hidden;
	}
}

static void fill_row(struct filler *f, uint32_t r)
{
	struct hist *h = f->h;
	const struct profile *p = h->profile;
	const struct profile_row *row = &p->rows.data[r];
	uint32_t event = f->event_index[row->event];
	frame_id frame = profile_self_frame(p, row->stack);
	const struct profile_frame *fr = frame == PROFILE_NONE ? NULL : &p->frames.data[frame];
	uint32_t key = h->self_keys[frame == PROFILE_NONE ? p->frames.len : frame], e = f->entry_of[key];
	bool hidden = h->options.row_hidden && h->options.row_hidden(h->options.ctx, p, row);
	if (e == PROFILE_NONE)
		e = entry_add(f, key, frame, r, !fr ? 0 : h->options.branches ? fr->ip : frame_address(p, fr),
			      hist_level(self_space(h, row, fr)));
	struct hist_entry *entry = &h->entries.data[e];
	entry->hidden &= hidden;
	stack_id chain = chain_of_stack(p, row->stack);
	uint32_t depth = chain == PROFILE_NONE ? 0 : p->stacks.data[chain].depth;
	if (!event && entry->max_depth < depth)
		entry->max_depth = depth;
	struct hist_stat *stat = &h->stats[(size_t)e * h->options.events_nr + event];
	add_self(stat, row, row_latency(h, row), self_space(h, row, fr));
	add_kinds(h, stat, row);
	count_total(h, row, event);
	f->seen[e] = ++f->stamp;
	if (h->options.children && row->stack != PROFILE_NONE)
		fill_callers(f, r, row, event, hidden);
}

static void fill(struct hist *h, const uint32_t *event_index)
{
	struct filler f = { .h = h, .event_index = event_index };
	f.entry_of = xreallocarray(NULL, h->frame_keys_nr + 1, sizeof(*f.entry_of));
	memset(f.entry_of, 0xff, (h->frame_keys_nr + 1) * sizeof(*f.entry_of));
	h->group_entries = xcalloc(h->groups_nr + 1, sizeof(*h->group_entries));
	for (uint32_t g = 0; g < h->groups_nr; g++) {
		f.group = g;
		h->group_entries[g] = (uint32_t)h->entries.len;
		for (uint32_t i = h->group_rows[g]; i < h->group_rows[g + 1]; i++)
			fill_row(&f, h->rows[i]);
		for (size_t e = h->group_entries[g]; e < h->entries.len; e++)
			f.entry_of[h->entries.data[e].frame_key] = PROFILE_NONE;
	}
	h->group_entries[h->groups_nr] = (uint32_t)h->entries.len;
	free(f.entry_of);
	free(f.seen);
}

/* Makes the text of cells that the hist keeps, which is read-only from here on. */
static void make_strings(struct hist *h)
{
	for (uint32_t k = 0; k < h->options.keys_nr; k++) {
		const struct hist_key *key = &h->options.keys[k];
		const struct column_cells *cells = key->column->cells;
		for (size_t i = 0; cells && cells->make_string && i < h->entries.len; i++)
			cells->make_string(h, key, &h->entries.data[i]);
	}
}

/* Hides entries by --symbol-filter, and sums up the others. */
static void finish(struct hist *h)
{
	const char *filter = h->options.symbol_filter;
	for (size_t i = 0; i < h->entries.len; i++) {
		struct hist_entry *e = &h->entries.data[i];
		if (filter) {
			const struct profile_function *fn = hist_function(h, e);
			e->hidden |= !fn || !strstr(profile_str(h->profile, fn->name), filter);
		}
		for (uint32_t j = 0; !e->hidden && j < h->options.events_nr; j++) {
			h->totals[j].shown_latency += h->stats[i * h->options.events_nr + j].latency;
			h->totals[j].shown_period += h->stats[i * h->options.events_nr + j].period;
			h->totals[j].shown_samples += h->stats[i * h->options.events_nr + j].samples;
		}
	}
}

struct hist *hist_create(const struct profile *p, struct hist_options options)
{
	struct hist *h = xcalloc(1, sizeof(*h));
	h->profile = p;
	h->options = options;
	strtab_init(&h->strings);
	h->thread_label = profile_find_column(p, "tid");
	h->parallelism_label = profile_find_column(p, "parallelism");
	h->cpumode_label = options.branches ? profile_find_column(p, "cpumode") : PROFILE_NONE;
	h->data_src_label = options.divides_accesses ? profile_find_column(p, "data_src") : PROFILE_NONE;
	arena_init(&h->kinds_arena);
	uint32_t *event_index = xreallocarray(NULL, p->events.len + 1, sizeof(*event_index));
	memset(event_index, 0xff, (p->events.len + 1) * sizeof(*event_index));
	for (uint32_t i = 0; i < options.events_nr; i++)
		event_index[options.events[i]] = i;
	h->totals = xcalloc(options.events_nr + 1, sizeof(*h->totals));

	number_frames(h);
	number_rows(h, event_index);
	fill(h, event_index);
	count_left_out(h, event_index);
	make_strings(h);
	finish(h);
	free(event_index);
	return h;
}

void hist_destroy(struct hist *h)
{
	if (!h)
		return;
	strtab_deinit(&h->strings);
	arena_deinit(&h->kinds_arena);
	vec_deinit(&h->entries);
	free(h->stats);
	free(h->totals);
	free(h->order);
	free(h->ranks);
	free(h->self_keys);
	free(h->caller_keys);
	free(h->rows);
	free(h->group_rows);
	free(h->group_entries);
	free(h);
}

const struct profile_function *hist_function(const struct hist *h, const struct hist_entry *e)
{
	return frame_function(h->profile, e->frame);
}

const struct profile_mapping *hist_mapping(const struct hist *h, const struct hist_entry *e)
{
	return frame_mapping(h->profile, e->frame);
}

uint64_t hist_label(const struct hist *h, const struct hist_entry *e, uint32_t label, uint64_t fallback)
{
	if (label == PROFILE_NONE)
		return fallback;
	return profile_label_values(h->profile, h->profile->rows.data[e->row].labels)[label];
}

bool hist_has_source(const struct hist *h, frame_id frame)
{
	const struct profile_function *fn = frame_function(h->profile, frame);
	return fn && (h->profile->frames.data[frame].line || fn->file);
}
