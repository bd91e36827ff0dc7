#include "profile/profile.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

struct profile *profile_create(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	strtab_init(&p->strings);
	return p;
}

void profile_destroy(struct profile *p)
{
	if (!p)
		return;
	strtab_deinit(&p->strings);
	vec_deinit(&p->mappings);
	vec_deinit(&p->functions);
	vec_deinit(&p->frames);
	vec_deinit(&p->stacks);
	vec_deinit(&p->events);
	vec_deinit(&p->columns);
	vec_deinit(&p->labels);
	vec_deinit(&p->rows);
	vec_deinit(&p->log);
	vec_deinit(&p->origin.comments);
	idset_deinit(&p->index.mappings);
	idset_deinit(&p->index.functions);
	idset_deinit(&p->index.frames);
	idset_deinit(&p->index.stacks);
	idset_deinit(&p->index.labels);
	idset_deinit(&p->index.rows);
	free(p);
}

/* Two IDs in one word, the key of most tables. */
static uint64_t pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

static bool mapping_eq(const void *table, uint32_t id, const void *key)
{
	const struct profile_mapping *a = &((const struct profile *)table)->mappings.data[id], *b = key;
	return a->name == b->name && a->path == b->path && a->build_id == b->build_id && a->start == b->start &&
	       a->end == b->end && a->offset == b->offset && a->space == b->space && a->kind == b->kind;
}

static uint64_t mapping_hash(const struct profile_mapping *m)
{
	uint64_t hash = hash_combine(hash_u64(pair(m->path, m->build_id)), pair(m->name, m->space << 8 | m->kind));
	return hash_combine(hash_combine(hash, m->start), m->offset);
}

void profile_describe_mapping(struct profile *p, mapping_id id, const struct profile_mapping *m)
{
	p->mappings.data[id] = *m;
	idset_deinit(&p->index.mappings);
	memset(&p->index.mappings, 0, sizeof(p->index.mappings));
	for (mapping_id i = 0; i < p->mappings.len; i++)
		idset_insert(&p->index.mappings, mapping_hash(&p->mappings.data[i]), i);
}

mapping_id profile_mapping(struct profile *p, const struct profile_mapping *m)
{
	uint64_t hash = mapping_hash(m);
	mapping_id id = idset_intern(&p->index.mappings, hash, mapping_eq, p, m, p->mappings.len);
	if (id == p->mappings.len)
		vec_push(&p->mappings, *m);
	return id;
}

static bool function_eq(const void *table, uint32_t id, const void *key)
{
	const struct profile_function *a = &((const struct profile *)table)->functions.data[id], *b = key;
	return a->mapping == b->mapping && a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->line == b->line && a->start == b->start && a->size == b->size && a->binding == b->binding;
}

function_id profile_function(struct profile *p, const struct profile_function *f)
{
	uint64_t hash = hash_combine(hash_u64(pair(f->mapping, f->name)), pair(f->system_name, f->file));
	hash = hash_combine(hash, f->start ^ (uint64_t)f->line << 48);
	function_id id = idset_intern(&p->index.functions, hash, function_eq, p, f, p->functions.len);
	if (id == p->functions.len)
		vec_push(&p->functions, *f);
	return id;
}

/* ip is an example of the frame's address, and not part of its identity. */
static bool frame_eq(const void *table, uint32_t id, const void *key)
{
	const struct profile_frame *a = &((const struct profile *)table)->frames.data[id], *b = key;
	return a->mapping == b->mapping && a->function == b->function && a->addr == b->addr && a->line == b->line &&
	       a->space == b->space && a->flags == b->flags && (a->function != PROFILE_NONE || a->ip == b->ip);
}

frame_id profile_frame(struct profile *p, const struct profile_frame *f)
{
	uint64_t hash = hash_combine(hash_u64(pair(f->mapping, f->function)), f->addr);
	hash = hash_combine(hash, (uint64_t)f->line << 16 | f->space << 8 | f->flags);
	if (f->function == PROFILE_NONE)
		hash = hash_combine(hash, f->ip);
	frame_id id = idset_intern(&p->index.frames, hash, frame_eq, p, f, p->frames.len);
	if (id == p->frames.len)
		vec_push(&p->frames, *f);
	return id;
}

static bool stack_eq(const void *table, uint32_t id, const void *key)
{
	const struct profile_stack *a = &((const struct profile_stack *)table)[id], *b = key;
	return a->frame == b->frame && a->caller == b->caller;
}

static uint64_t stack_hash(const struct profile_stack *s)
{
	return hash_u64(pair(s->caller, s->frame));
}

/* Stacks appended by a reader are indexed on the first look-up. */
static void index_stacks(struct profile *p)
{
	idset_reserve(&p->index.stacks, (uint32_t)p->stacks.len);
	for (stack_id i = p->index.stacks.used; i < p->stacks.len; i++)
		idset_insert(&p->index.stacks, stack_hash(&p->stacks.data[i]), i);
}

stack_id profile_stack(struct profile *p, stack_id caller, frame_id frame)
{
	if (p->index.stacks.used < p->stacks.len)
		index_stacks(p);
	struct profile_stack key = {
		.caller = caller,
		.frame = frame,
		.depth = caller == PROFILE_NONE ? 1 : p->stacks.data[caller].depth + 1,
	};
	uint64_t hash = stack_hash(&key);
	stack_id id = idset_intern(&p->index.stacks, hash, stack_eq, p->stacks.data, &key, p->stacks.len);
	if (id == p->stacks.len)
		vec_push(&p->stacks, key);
	return id;
}

void profile_expect_stacks(struct profile *p, uint32_t more)
{
	vec_reserve(&p->stacks, p->stacks.len + more);
	idset_reserve(&p->index.stacks, (uint32_t)p->stacks.len + more);
}

void profile_expect_functions(struct profile *p, uint32_t more)
{
	strtab_expect(&p->strings, 2 * more);
	vec_reserve(&p->functions, p->functions.len + more);
	vec_reserve(&p->frames, p->frames.len + more);
	idset_reserve(&p->index.functions, (uint32_t)p->functions.len + more);
	idset_reserve(&p->index.frames, (uint32_t)p->frames.len + more);
}

static uint64_t labels_hash(const struct profile *p, const uint64_t *values)
{
	return hash_u64s(values, p->columns.len, 1);
}

static bool labels_eq(const void *table, uint32_t id, const void *key)
{
	const struct profile *p = table;
	return !p->columns.len || memcmp(profile_label_values(p, id), key, p->columns.len * sizeof(uint64_t)) == 0;
}

labels_id profile_labels(struct profile *p, const uint64_t *values)
{
	uint64_t hash = labels_hash(p, values);
	labels_id id = idset_find(&p->index.labels, hash, labels_eq, p, values);
	if (id != IDSET_NONE)
		return id;
	id = p->labels_nr++;
	if (p->columns.len)
		memcpy(vec_extend(&p->labels, p->columns.len), values, p->columns.len * sizeof(uint64_t));
	idset_insert(&p->index.labels, hash, id);
	return id;
}

/* Extends each label set by a value 0: a merge may add a new column. */
static void widen_labels(struct profile *p)
{
	size_t cols = p->columns.len, old_cols = cols - 1;
	uint64_t *data = xcalloc(p->labels_nr, cols * sizeof(*data));
	for (uint32_t i = 0; old_cols && i < p->labels_nr; i++)
		memcpy(data + i * cols, p->labels.data + i * old_cols, old_cols * sizeof(*data));
	vec_deinit(&p->labels);
	idset_deinit(&p->index.labels);
	memset(&p->index.labels, 0, sizeof(p->index.labels));
	memcpy(vec_extend(&p->labels, p->labels_nr * cols), data, p->labels_nr * cols * sizeof(*data));
	free(data);
	for (uint32_t i = 0; i < p->labels_nr; i++)
		idset_insert(&p->index.labels, labels_hash(p, profile_label_values(p, i)), i);
}

/* Whether values of one column may be stored in the other: numbers are not IDs of strings. */
static bool are_alike(enum column_type a, enum column_type b)
{
	bool is_number = a == COLUMN_U64 || a == COLUMN_I64 || a == COLUMN_HEX;
	return a == b || (is_number && (b == COLUMN_U64 || b == COLUMN_I64 || b == COLUMN_HEX));
}

static uint32_t add_column(struct profile *p, struct profile_label_column column)
{
	vec_push(&p->columns, column);
	if (p->labels_nr)
		widen_labels(p);
	return (uint32_t)p->columns.len - 1;
}

uint32_t profile_column(struct profile *p, const char *name, enum column_type type)
{
	struct profile_label_column column = { .name = strtab_add(&p->strings, name), .type = type };
	for (uint32_t i = 0; i < p->columns.len; i++)
		if (p->columns.data[i].name == column.name && are_alike(p->columns.data[i].type, type))
			return i;
	return add_column(p, column);
}

static bool is_same_label(const struct profile_label_column *a, const struct profile_label_column *b)
{
	return a->name == b->name && a->unit == b->unit && are_alike(a->type, b->type);
}

uint32_t profile_column_nth(struct profile *p, const char *name, enum column_type type, const char *unit, uint32_t nth)
{
	struct profile_label_column column = { strtab_add(&p->strings, name), strtab_add(&p->strings, unit), type };
	uint32_t nr = 0;
	for (uint32_t i = 0; i < p->columns.len; i++)
		if (is_same_label(&p->columns.data[i], &column) && nr++ == nth)
			return i;
	for (; nr < nth; nr++)
		add_column(p, column);
	return add_column(p, column);
}

bool profile_column_begins_key(const struct profile *p, uint32_t column)
{
	for (uint32_t i = 0; i < column; i++)
		if (p->columns.data[i].name == p->columns.data[column].name)
			return false;
	return true;
}

uint32_t profile_column_number(const struct profile *p, uint32_t column)
{
	uint32_t nr = 0;
	for (uint32_t i = 0; i < column; i++)
		nr += is_same_label(&p->columns.data[i], &p->columns.data[column]);
	return nr;
}

const char *profile_column_unit(const struct profile *p, uint32_t column)
{
	const struct profile_label_column *c = &p->columns.data[column];
	const char *key = profile_str(p, c->name);
	for (uint32_t i = 0; !c->unit && i < p->columns.len; i++)
		if (p->columns.data[i].name == c->name && p->columns.data[i].unit)
			return profile_str(p, p->columns.data[i].unit);
	if (c->unit)
		return profile_str(p, c->unit);
	return !strcmp(key, "alignment") || !strcmp(key, "request") ? "bytes" : key;
}

uint32_t profile_find_column(const struct profile *p, const char *name)
{
	str_id id = strtab_find(&p->strings, name);
	for (uint32_t i = 0; id != IDSET_NONE && i < p->columns.len; i++) {
		if (p->columns.data[i].name == id)
			return i;
	}
	return PROFILE_NONE;
}

uint32_t profile_event(struct profile *p, const char *name, const char *unit)
{
	struct profile_event e = { .name = strtab_add(&p->strings, name), .unit = strtab_add(&p->strings, unit) };
	for (uint32_t i = 0; i < p->events.len; i++) {
		if (p->events.data[i].name == e.name && p->events.data[i].unit == e.unit)
			return i;
	}
	e.leader = (uint32_t)p->events.len;
	vec_push(&p->events, e);
	return e.leader;
}

const char *profile_event_unit(const struct profile *p, uint32_t event)
{
	const struct profile_event *e = &p->events.data[event];
	const char *unit = profile_str(p, e->unit), *name = profile_str(p, e->name);
	if (*unit || p->origin.events_are_values)
		return unit;
	/* software clocks count nanoseconds, and so do waits */
	static const char *const times[] = { "cpu-clock", "task-clock", "wall-time", "wait-time", "offcpu-time" };
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (!strncmp(name, times[i], strlen(times[i])))
			return "nanoseconds";
	return "count";
}

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct profile_row *a = &((const struct profile *)table)->rows.data[id], *b = key;
	return a->stack == b->stack && a->labels == b->labels && a->event == b->event;
}

static uint64_t row_hash(const struct profile_row *r)
{
	return hash_combine(hash_u64(pair(r->stack, r->labels)), r->event);
}

static void index_rows(struct profile *p)
{
	idset_reserve(&p->index.rows, (uint32_t)p->rows.len);
	for (uint32_t i = p->index.rows.used; i < p->rows.len; i++)
		idset_insert(&p->index.rows, row_hash(&p->rows.data[i]), i);
}

void profile_append(struct profile *p, const struct profile_row *row)
{
	vec_push(&p->rows, *row);
	p->events.data[row->event].samples += row->samples;
	p->events.data[row->event].value += row->value;
}

uint32_t profile_add(struct profile *p, stack_id stack, labels_id labels, uint32_t event, uint64_t samples, uint64_t value,
		     uint64_t weight)
{
	struct profile_row key = { .stack = stack, .labels = labels, .event = event };
	if (p->index.rows.used < p->rows.len)
		index_rows(p);
	uint64_t hash = row_hash(&key);
	uint32_t id = idset_intern(&p->index.rows, hash, row_eq, p, &key, p->rows.len);
	if (id == p->rows.len)
		vec_push(&p->rows, key);
	struct profile_row *row = &p->rows.data[id];
	row->samples += samples;
	row->value += value;
	row->weight += weight;
	p->events.data[event].samples += samples;
	p->events.data[event].value += value;
	return id;
}

uint8_t *profile_mapping_facts(const struct profile *p)
{
	uint8_t *facts = xcalloc(p->mappings.len + 1, sizeof(*facts));
	for (size_t i = 0; i < p->frames.len; i++) {
		const struct profile_frame *f = &p->frames.data[i];
		if (f->mapping == PROFILE_NONE || f->function == PROFILE_NONE)
			continue;
		facts[f->mapping] |= (uint8_t)(MAPPING_FUNCTIONS | (p->functions.data[f->function].file ? MAPPING_FILES : 0) |
					       (f->line ? MAPPING_LINES : 0) | (f->flags & FRAME_INLINED ? MAPPING_INLINES : 0));
	}
	return facts;
}
