#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exchange/pprof_proto.h"
#include "exchange/pprof_read_priv.h"

struct samples {
	struct pprof_reader *r;
	struct stack_builder stacks;
	VEC(labels_id) labels;       /* by sample */
	VEC(int64_t) kept;           /* by sample: kept_nr values */
	uint32_t kept_nr;
	uint64_t no_labels_plus_one; /* the set of a sample without labels + 1, once there is one */

	/* Of the current sample. */
	struct pprof_sample sample;
	VEC(uint64_t) label_values;
	bool has_labels;
};

/* ---- labels ---- */

/* Sets unfold to more than the file holds, since each has a value in each column. A limit against hostile files. */
static struct strobe_error *check_labels(const struct samples *s)
{
	uint64_t most = pprof_most_frames(cursor_left(&s->r->file));
	if ((uint64_t)s->r->p->labels_nr * s->r->p->columns.len > most)
		return error_create(ERROR_UNSUPPORTED, "it has too many labels (%zu, in %u combinations)", s->r->p->columns.len,
				    s->r->p->labels_nr);
	return NULL;
}

static labels_id finish_labels(struct samples *s)
{
	if (!s->has_labels && s->no_labels_plus_one)
		return (labels_id)(s->no_labels_plus_one - 1);
	labels_id id = profile_labels(s->r->p, s->label_values.data);
	if (!s->has_labels)
		s->no_labels_plus_one = (uint64_t)id + 1;
	else
		memset(s->label_values.data, 0, s->label_values.len * sizeof(uint64_t));
	s->has_labels = false;
	return id;
}

/* ---- one sample ---- */

static struct strobe_error *add_location(const struct pprof_reader *r, struct pprof_sample *s, uint64_t id)
{
	uint32_t index = pprof_id_get(&r->location_ids, id);
	if (index == PROFILE_NONE)
		return error_create(ERROR_FORMAT, "reference to a location that does not exist (ID %llu)", (unsigned long long)id);
	vec_push(&s->path, index);
	return NULL;
}

/* Numbers of a repeated field: packed, or one by one. */
static struct strobe_error *read_locations(const struct pprof_reader *r, struct proto_field *f, struct pprof_sample *s)
{
	if (f->wire == PROTO_VARINT)
		return add_location(r, s, f->value);
	const uint32_t *dense = r->location_ids.dense.data;
	const uint8_t *at = f->bytes.at, *end = f->bytes.end;
	size_t dense_nr = r->location_ids.dense.len;
	vec_reserve(&s->path, s->path.len + (size_t)(end - at));
	while (at < end) {
		uint64_t id;
		at = proto_varint_at(at, end, &id);
		if (!at)
			return pprof_bad("sample");
		if (id < dense_nr && dense[id])
			s->path.data[s->path.len++] = dense[id] - 1;
		else
			TRY(add_location(r, s, id));
	}
	return NULL;
}

static struct strobe_error *read_values(struct proto_field *f, struct pprof_sample *s)
{
	if (f->wire == PROTO_VARINT)
		vec_push(&s->values, (int64_t)f->value);
	while (f->wire == PROTO_BYTES && f->bytes.at < f->bytes.end && !f->bytes.bad)
		vec_push(&s->values, (int64_t)proto_varint(&f->bytes));
	return f->bytes.bad ? pprof_bad("sample") : NULL;
}

static struct strobe_error *read_sample(const struct pprof_reader *r, struct cursor c, struct pprof_sample *s)
{
	struct proto_field f;
	s->bytes = c;
	vec_clear(&s->path);
	vec_clear(&s->values);
	while (proto_next(&c, &f)) {
		if (f.number == SAMPLE_LOCATION)
			TRY(read_locations(r, &f, s));
		else if (f.number == SAMPLE_VALUE)
			TRY(read_values(&f, s));
	}
	if (c.bad)
		return pprof_bad("sample");
	if (s->values.len == r->p->events.len)
		return NULL;
	return error_create(ERROR_FORMAT, "a sample has %zu values where there are %zu types of them", s->values.len,
			    r->p->events.len);
}

bool pprof_next_sample(const struct pprof_reader *r, struct cursor *at, struct pprof_sample *ret, struct strobe_error **ret_err)
{
	struct proto_field f;
	for (const uint8_t *field = at->at; proto_next(at, &f); field = at->at) {
		if (f.number != PROFILE_SAMPLE)
			continue;
		ret->start = (size_t)(field - at->start);
		*ret_err = read_sample(r, f.bytes, ret);
		return !*ret_err;
	}
	return false;
}

void pprof_sample_deinit(struct pprof_sample *s)
{
	vec_deinit(&s->path);
	vec_deinit(&s->values);
}

/* Kept of a sample if one value is needed: its count, the value, and whether the sample has any value. */
#define ONLY_NR 3

static void keep_values(struct samples *s)
{
	const struct pprof_reader *r = s->r;
	if (r->only_event == PROFILE_NONE) {
		memcpy(vec_extend(&s->kept, s->sample.values.len), s->sample.values.data, s->sample.values.len * sizeof(int64_t));
		return;
	}
	int64_t *kept = vec_extend(&s->kept, ONLY_NR);
	kept[0] = r->count_event == PROFILE_NONE ? 1 : s->sample.values.data[r->count_event];
	kept[1] = s->sample.values.data[r->only_event];
	kept[2] = 0;
	for (size_t i = 0; i < s->sample.values.len; i++)
		kept[2] |= s->sample.values.data[i] != 0;
}

static struct strobe_error *take_sample(struct samples *s)
{
	if (s->r->p->columns.len)
		TRY(pprof_read_labels(s->r, s->sample.bytes, s->label_values.data, &s->has_labels));
	TRY(check_labels(s));
	keep_values(s);
	for (size_t i = s->sample.path.len; i--;)
		stack_builder_step(&s->stacks, s->sample.path.data[i]);
	stack_builder_end(&s->stacks);
	vec_push(&s->labels, finish_labels(s));
	return NULL;
}

/* ---- rows ---- */

/* One row per sample, even if its needed value is 0. */
static void append_only(struct pprof_reader *r, const int64_t *values, struct profile_row row)
{
	row.event = r->only_event;
	row.samples = values[1] ? (uint64_t)values[0] : 0;
	row.value = (uint64_t)values[1];
	if (values[2])
		profile_append(r->p, &row);
}

static void append_rows(const struct samples *s, const int64_t *values, stack_id stack, labels_id labels)
{
	struct pprof_reader *r = s->r;
	struct profile_row row = { .stack = stack, .labels = labels };
	if (r->only_event != PROFILE_NONE)
		return append_only(r, values, row);
	row.samples = r->count_event == PROFILE_NONE ? 1 : (uint64_t)values[r->count_event];
	for (uint32_t e = 0; e < r->p->events.len; e++) {
		row.event = e;
		row.value = (uint64_t)values[e];
		if (row.value)
			profile_append(r->p, &row);
	}
}

/* The first sample of each (stack, labels): most stacks have only one set of labels, further ones are in a map. */
struct firsts {
	uint32_t *of_stack; /* by stack: sample + 1; the last one: without a stack */
	struct u64map others;
};

static uint32_t first_alike(struct firsts *f, const struct samples *s, const stack_id *stacks, uint32_t i)
{
	uint32_t slot = stacks[i] == PROFILE_NONE ? (uint32_t)s->r->p->stacks.len : stacks[i];
	uint32_t *first = &f->of_stack[slot];
	if (!*first)
		*first = i + 1;
	if (s->labels.data[*first - 1] == s->labels.data[i])
		return *first - 1;
	uint64_t *other = u64map_put(&f->others, (uint64_t)slot << 32 | s->labels.data[i], NULL);
	if (!*other)
		*other = (uint64_t)i + 1;
	return (uint32_t)*other - 1;
}

/* Merges samples with the same stack and labels; rows are in the order of the file. */
static void make_rows(struct samples *s, stack_id *stacks)
{
	struct profile *p = s->r->p;
	struct firsts f = { .of_stack = xcalloc(p->stacks.len + 1, sizeof(uint32_t)) };
	uint32_t nr = (uint32_t)s->labels.len;
	bool *is_merged = xcalloc(nr + 1, 1);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t first = first_alike(&f, s, stacks, i);
		if (first == i)
			continue;
		is_merged[i] = true;
		for (uint32_t v = 0; v < s->kept_nr; v++)
			s->kept.data[(size_t)first * s->kept_nr + v] += s->kept.data[(size_t)i * s->kept_nr + v];
	}
	free(f.of_stack);
	u64map_deinit(&f.others);
	vec_reserve(&p->rows, nr);
	for (uint32_t i = 0; i < nr; i++)
		if (!is_merged[i])
			append_rows(s, s->kept.data + (size_t)i * s->kept_nr, stacks[i], s->labels.data[i]);
	free(is_merged);
}

static struct strobe_error *finish(struct samples *s)
{
	size_t file = cursor_left(&s->r->file);
	exchange_bytes_free(s->r->bytes); /* no text is interned from here on */
	stack_id *stacks = xmalloc((s->labels.len + 1) * sizeof(*stacks));
	struct strobe_error *err = stack_builder_finish(&s->stacks, pprof_most_frames(file), stacks);
	stack_builder_deinit(&s->stacks);
	if (!err)
		make_rows(s, stacks);
	free(stacks);
	return err;
}

struct strobe_error *pprof_read_samples(struct pprof_reader *r)
{
	struct samples s = { .r = r, .kept_nr = r->only_event == PROFILE_NONE ? (uint32_t)r->p->events.len : ONLY_NR };
	struct strobe_error *err = NULL;
	struct cursor c = r->file;
	stack_builder_init(&s.stacks, r->p, r->frames.data, r->locations.data, (uint32_t)r->locations.len);
	memset(vec_extend(&s.label_values, r->p->columns.len + 1), 0, (r->p->columns.len + 1) * sizeof(uint64_t));
	while (!err && pprof_next_sample(r, &c, &s.sample, &err))
		err = take_sample(&s);
	if (!err)
		err = finish(&s);
	else
		stack_builder_deinit(&s.stacks);
	vec_deinit(&s.labels);
	vec_deinit(&s.kept);
	pprof_sample_deinit(&s.sample);
	vec_deinit(&s.label_values);
	return err;
}
