#include "profile/profile.h"

#include <stdlib.h>

#include "base/mem.h"
#include "profile/transfer_priv.h"

void profile_transfer_init(struct profile_transfer *t, struct profile *dst, const struct profile *src)
{
	*t = (struct profile_transfer){
		.dst = dst,
		.src = src,
		.strings = xcalloc(src->strings.strings.len + 1, sizeof(uint32_t)),
		.mappings = xcalloc(src->mappings.len + 1, sizeof(uint32_t)),
		.functions = xcalloc(src->functions.len + 1, sizeof(uint32_t)),
		.frames = xcalloc(src->frames.len + 1, sizeof(uint32_t)),
		.stacks = xcalloc(src->stacks.len + 1, sizeof(uint32_t)),
		.labels = xcalloc((size_t)src->labels_nr + 1, sizeof(uint32_t)),
		.events = xcalloc(src->events.len + 1, sizeof(uint32_t)),
		.columns = xcalloc(src->columns.len + 1, sizeof(uint32_t)),
	};
	for (uint32_t i = 0; i < src->columns.len; i++) {
		const struct profile_label_column *c = &src->columns.data[i];
		t->columns[i] = profile_column_nth(dst, profile_str(src, c->name), c->type, profile_str(src, c->unit),
						   profile_column_number(src, i));
	}
	t->values = xcalloc(dst->columns.len + 1, sizeof(*t->values));
}

void profile_transfer_deinit(struct profile_transfer *t)
{
	free(t->strings);
	free(t->mappings);
	free(t->functions);
	free(t->frames);
	free(t->stacks);
	free(t->labels);
	free(t->events);
	free(t->columns);
	free(t->values);
	vec_deinit(&t->path);
}

uint32_t profile_transfer_add_column(struct profile_transfer *t, const char *name, enum column_type type)
{
	uint32_t column = profile_column(t->dst, name, type);
	t->values = xreallocarray(t->values, t->dst->columns.len + 1, sizeof(*t->values));
	return column;
}

str_id profile_transfer_string(struct profile_transfer *t, str_id id)
{
	if (!t->strings[id]) {
		const char *s = strtab_get(&t->src->strings, id);
		t->strings[id] = strtab_add_n(&t->dst->strings, s, strtab_length(&t->src->strings, id)) + 1;
	}
	return t->strings[id] - 1;
}

mapping_id profile_transfer_mapping(struct profile_transfer *t, mapping_id id)
{
	if (id == PROFILE_NONE)
		return id;
	if (!t->mappings[id]) {
		struct profile_mapping m = t->src->mappings.data[id];
		m.name = profile_transfer_string(t, m.name);
		m.path = profile_transfer_string(t, m.path);
		m.build_id = profile_transfer_string(t, m.build_id);
		if (t->rewrite && t->rewrite->mapping)
			t->rewrite->mapping(t->rewrite->ctx, t->dst, id, &m);
		t->mappings[id] = profile_mapping(t->dst, &m) + 1;
	}
	return t->mappings[id] - 1;
}

static function_id carry_function(struct profile_transfer *t, function_id id)
{
	if (id == PROFILE_NONE)
		return id;
	if (!t->functions[id]) {
		struct profile_function f = t->src->functions.data[id];
		f.mapping = profile_transfer_mapping(t, f.mapping);
		f.name = profile_transfer_string(t, f.name);
		f.system_name = profile_transfer_string(t, f.system_name);
		f.file = profile_transfer_string(t, f.file);
		if (t->rewrite && t->rewrite->function)
			t->rewrite->function(t->rewrite->ctx, t->dst, &f);
		t->functions[id] = profile_function(t->dst, &f) + 1;
	}
	return t->functions[id] - 1;
}

frame_id profile_transfer_frame(struct profile_transfer *t, frame_id id)
{
	if (id == PROFILE_NONE)
		return id;
	if (!t->frames[id]) {
		struct profile_frame f = t->src->frames.data[id];
		f.mapping = profile_transfer_mapping(t, f.mapping);
		f.function = carry_function(t, f.function);
		t->frames[id] = profile_frame(t->dst, &f) + 1;
	}
	return t->frames[id] - 1;
}

/* Walks outwards to the first known node, and back, without recursion, because stacks may be deep. */
stack_id profile_transfer_stack(struct profile_transfer *t, stack_id id)
{
	if (id == PROFILE_NONE)
		return id;
	vec_clear(&t->path);
	for (stack_id at = id; at != PROFILE_NONE && !t->stacks[at]; at = t->src->stacks.data[at].caller)
		vec_push(&t->path, at);
	while (t->path.len) {
		stack_id at = t->path.data[--t->path.len];
		const struct profile_stack *s = &t->src->stacks.data[at];
		stack_id caller = s->caller == PROFILE_NONE ? PROFILE_NONE : t->stacks[s->caller] - 1;
		t->stacks[at] = profile_stack(t->dst, caller, profile_transfer_frame(t, s->frame)) + 1;
	}
	return t->stacks[id] - 1;
}

labels_id profile_transfer_labels(struct profile_transfer *t, labels_id id)
{
	if (id == PROFILE_NONE)
		return id;
	if (t->labels[id])
		return t->labels[id] - 1;
	const uint64_t *from = profile_label_values(t->src, id);
	memset(t->values, 0, t->dst->columns.len * sizeof(*t->values));
	for (size_t i = 0; i < t->src->columns.len; i++) {
		uint64_t v = from[i];
		switch (t->src->columns.data[i].type) {
		case COLUMN_STRING:
		case COLUMN_BYTES:
			v = profile_transfer_string(t, (str_id)v);
			break;
		case COLUMN_FRAME:
			v = profile_transfer_frame(t, (frame_id)v);
			break;
		case COLUMN_U64:
		case COLUMN_HEX:
		case COLUMN_I64:
			break;
		}
		t->values[t->columns[i]] = v;
	}
	labels_id new_id = profile_labels(t->dst, t->values);
	t->labels[id] = new_id + 1;
	return new_id;
}

static bool is_same_event(const struct profile *p, uint32_t i, const struct profile *q, uint32_t j)
{
	const struct profile_event *a = &p->events.data[i], *b = &q->events.data[j];
	return !strcmp(profile_str(p, a->name), profile_str(q, b->name)) && !strcmp(profile_str(p, a->unit), profile_str(q, b->unit));
}

uint32_t profile_find_event(const struct profile *p, const struct profile *of, uint32_t event)
{
	uint32_t earlier = 0;
	for (uint32_t i = 0; i < event; i++)
		earlier += is_same_event(of, i, of, event);
	for (uint32_t i = 0; i < p->events.len; i++)
		if (is_same_event(p, i, of, event) && earlier-- == 0)
			return i;
	return PROFILE_NONE;
}

uint32_t profile_transfer_event(struct profile_transfer *t, uint32_t event)
{
	if (t->events[event])
		return t->events[event] - 1;
	const struct profile_event *e = &t->src->events.data[event];
	str_id name = profile_transfer_string(t, e->name), unit = profile_transfer_string(t, e->unit);
	uint32_t id = profile_find_event(t->dst, t->src, event);
	bool is_new = id == PROFILE_NONE;
	if (is_new) {
		struct profile_event made = { .name = name, .unit = unit, .is_tracepoint = e->is_tracepoint };
		id = (uint32_t)t->dst->events.len;
		made.leader = id;
		vec_push(&t->dst->events, made);
	}
	t->events[event] = id + 1;
	t->dst->events.data[id].lost += e->lost;
	if (is_new && e->leader < event) {
		uint32_t leader = profile_transfer_event(t, e->leader);
		t->dst->events.data[id].leader = leader;
	}
	return id;
}

static uint32_t transfer_row(struct profile_transfer *t, uint32_t i)
{
	const struct profile_row *r = &t->src->rows.data[i];
	stack_id stack = t->instead && r->stack != PROFILE_NONE ? t->instead[r->stack] : r->stack;
	return profile_add(t->dst, profile_transfer_stack(t, stack), profile_transfer_labels(t, r->labels),
			   profile_transfer_event(t, r->event), r->samples, r->value, r->weight);
}

void profile_transfer_log(struct profile_transfer *t, const uint32_t *rows)
{
	const struct profile *src = t->src;
	for (size_t i = 0; i < src->log.len; i++) {
		struct profile_log_entry e = src->log.data[i];
		if (!rows[e.row])
			continue;
		e.row = rows[e.row] - 1;
		vec_push(&t->dst->log, e);
	}
	t->dst->log_dropped += src->log_dropped;
}

void profile_transfer_rows(struct profile_transfer *t, profile_keep_fn keep, void *ctx)
{
	const struct profile *src = t->src;
	/* every event is kept, with its index, even without rows */
	for (uint32_t i = 0; i < src->events.len; i++)
		profile_transfer_event(t, i);
	uint32_t *rows = src->log.len ? xcalloc(src->rows.len, sizeof(*rows)) : NULL;
	for (uint32_t i = 0; i < src->rows.len; i++) {
		if (keep && !keep(ctx, src, &src->rows.data[i]))
			continue;
		uint32_t row = transfer_row(t, i);
		if (rows)
			rows[i] = row + 1;
	}
	profile_transfer_log(t, rows);
	free(rows);
}

void profile_transfer_origin(struct profile_transfer *t)
{
	const struct profile_origin *from = &t->src->origin;
	struct profile_origin *to = &t->dst->origin;
	/* the first is the main program, even if unused */
	if (from->events_are_values && t->src->mappings.len)
		profile_transfer_mapping(t, 0);
	t->dst->start_ns = t->src->start_ns;
	t->dst->duration_ns = t->src->duration_ns;
	to->events_are_values = from->events_are_values;
	to->has_time_of_day = from->has_time_of_day;
	to->names_are_short = from->names_are_short;
	to->period_type = profile_transfer_string(t, from->period_type);
	to->period_unit = profile_transfer_string(t, from->period_unit);
	to->period = from->period;
	to->default_event = profile_transfer_string(t, from->default_event);
	to->drop_frames = profile_transfer_string(t, from->drop_frames);
	to->keep_frames = profile_transfer_string(t, from->keep_frames);
	vec_clear(&to->comments);
	for (size_t i = 0; i < from->comments.len; i++)
		vec_push(&to->comments, profile_transfer_string(t, from->comments.data[i]));
}

static void merge_span(struct profile *dst, const struct profile *src)
{
	uint64_t src_end = src->start_ns + src->duration_ns, dst_end = dst->start_ns + dst->duration_ns;
	if (src->start_ns && (!dst->start_ns || src->start_ns < dst->start_ns))
		dst->start_ns = src->start_ns;
	if (src_end > dst_end)
		dst_end = src_end;
	dst->duration_ns = dst_end - dst->start_ns;
}

/* Foreign measurements may be days apart: durations are added. */
static void merge_origin(struct profile_transfer *t)
{
	struct profile *dst = t->dst;
	const struct profile *src = t->src;
	if (src->start_ns < dst->start_ns)
		dst->start_ns = src->start_ns;
	dst->duration_ns += src->duration_ns;
	dst->origin.period = dst->origin.period < src->origin.period ? src->origin.period : dst->origin.period;
	if (!dst->origin.default_event)
		dst->origin.default_event = profile_transfer_string(t, src->origin.default_event);
	for (size_t i = 0; i < src->origin.comments.len; i++) {
		str_id comment = profile_transfer_string(t, src->origin.comments.data[i]);
		bool has = false;
		for (size_t j = 0; j < dst->origin.comments.len && !has; j++)
			has = dst->origin.comments.data[j] == comment;
		if (!has)
			vec_push(&dst->origin.comments, comment);
	}
}

void profile_transfer_merge_origin(struct profile_transfer *t)
{
	if (t->dst->origin.events_are_values && t->src->origin.events_are_values)
		merge_origin(t);
	else
		merge_span(t->dst, t->src);
}

void profile_merge(struct profile *dst, const struct profile *src)
{
	struct profile_transfer t;
	bool is_first = !dst->rows.len && !dst->start_ns;
	profile_transfer_init(&t, dst, src);
	if (is_first)
		profile_transfer_origin(&t);
	else
		profile_transfer_merge_origin(&t);
	profile_transfer_rows(&t, NULL, NULL);
	profile_transfer_deinit(&t);
}
