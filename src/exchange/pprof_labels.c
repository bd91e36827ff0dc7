#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "exchange/pprof_proto.h"
#include "exchange/pprof_read_priv.h"

/* Limit of columns of one key, for its units and its values in one sample. Real files have one of each. */
#define COLUMNS_OF_KEY_MAX 1024
/* A label with only a key is a number 0 or an empty text: the other labels of the key decide. */
#define COLUMN_IF_NO_TEXT UINT32_MAX

struct raw_label {
	uint64_t key, string, number, unit;
};

static struct strobe_error *read_raw_label(struct cursor c, struct raw_label *ret)
{
	struct proto_field f;
	*ret = (struct raw_label){};
	while (proto_next(&c, &f)) {
		switch (f.number) {
		case LABEL_KEY:
			ret->key = f.value;
			break;
		case LABEL_STRING:
			ret->string = f.value;
			break;
		case LABEL_NUMBER:
			ret->number = f.value;
			break;
		case LABEL_UNIT:
			ret->unit = f.value;
			break;
		}
	}
	return c.bad ? pprof_bad("label") : NULL;
}

/* Texts and numbers of a key have separate columns. */
static size_t slot_of(struct pprof_reader *r, const struct raw_label *l)
{
	return (size_t)pprof_intern(r, l->key) << 1 | !l->string;
}

static str_id unit_of(struct pprof_reader *r, const struct raw_label *l)
{
	return l->string ? 0 : pprof_intern(r, l->unit);
}

/* ---- columns ---- */

static uint32_t *first_of_slot(struct pprof_reader *r, size_t slot)
{
	size_t had = r->label_slots.len;
	if (slot >= had)
		memset(vec_extend(&r->label_slots, slot + 1 - had), 0, (slot + 1 - had) * sizeof(uint32_t));
	return &r->label_slots.data[slot];
}

static struct pprof_label_column *column_at(struct pprof_reader *r, uint32_t number_plus_one)
{
	bool is_column = number_plus_one && number_plus_one != COLUMN_IF_NO_TEXT;
	return is_column ? &r->label_columns.data[number_plus_one - 1] : NULL;
}

/* One more of a key, the nth of its unit, after the last. */
static void add_column(struct pprof_reader *r, size_t slot, struct pprof_label_column *last, str_id unit, uint32_t nth)
{
	uint32_t number = (uint32_t)r->label_columns.len + 1;
	_cleanup_free_ char *name = xstrdup(profile_str(r->p, (str_id)(slot >> 1)));
	_cleanup_free_ char *unit_text = xstrdup(profile_str(r->p, unit));
	if (last)
		last->next = number;
	else
		r->label_slots.data[slot] = number;
	enum column_type type = slot & 1 ? COLUMN_I64 : COLUMN_STRING;
	uint32_t column = profile_column_nth(r->p, name, type, unit_text, nth);
	vec_push(&r->label_columns, ((struct pprof_label_column){ .unit = unit, .column = column, .sample = r->samples_declared }));
}

/* Declares a column if all existing ones have a value in this sample, or another unit. */
static struct strobe_error *declare_label(struct pprof_reader *r, struct cursor c)
{
	struct raw_label l;
	TRY(read_raw_label(c, &l));
	if (l.key >= r->strings.len)
		return pprof_bad("label");
	size_t slot = slot_of(r, &l);
	uint32_t *first = first_of_slot(r, slot), nr = 0, of_unit = 0;
	str_id unit = unit_of(r, &l);
	if (!l.string && !l.number && !l.unit) {
		*first = *first ? *first : COLUMN_IF_NO_TEXT;
		return NULL;
	}
	struct pprof_label_column *last = NULL;
	for (struct pprof_label_column *at = column_at(r, *first); at; at = column_at(r, at->next), nr++) {
		last = at;
		of_unit += at->unit == unit;
		if (at->unit != unit || at->sample == r->samples_declared)
			continue;
		at->sample = r->samples_declared;
		return NULL;
	}
	if (nr == COLUMNS_OF_KEY_MAX)
		return error_create(ERROR_UNSUPPORTED, "a label has more than %d values in a sample", COLUMNS_OF_KEY_MAX);
	add_column(r, slot, last, unit, of_unit);
	return NULL;
}

void pprof_declare_bare_labels(struct pprof_reader *r)
{
	for (size_t slot = 1; slot < r->label_slots.len; slot += 2) {
		if (r->label_slots.data[slot] != COLUMN_IF_NO_TEXT)
			continue;
		r->label_slots.data[slot] = 0;
		if (!r->label_slots.data[slot - 1])
			add_column(r, slot, NULL, 0, 0);
	}
}

struct strobe_error *pprof_declare_labels(struct pprof_reader *r, struct cursor sample)
{
	struct proto_field f;
	r->samples_declared++;
	while (proto_next(&sample, &f))
		if (f.number == SAMPLE_LABEL)
			TRY(declare_label(r, f.bytes));
	return NULL; /* a damaged sample is reported when it is read */
}

/* ---- values ---- */

/* The first column of the key and unit that has no value yet; a 0 without a unit fits any column of numbers. */
static uint64_t *free_value(struct pprof_reader *r, const struct raw_label *l, uint64_t *values)
{
	str_id unit = unit_of(r, l);
	bool is_bare = !l->string && !l->number && !unit;
	uint32_t first = r->label_slots.data[slot_of(r, l)];
	for (const struct pprof_label_column *at = column_at(r, first); at; at = column_at(r, at->next))
		if ((at->unit == unit || is_bare) && !values[at->column])
			return &values[at->column];
	return NULL;
}

static struct strobe_error *read_label(struct pprof_reader *r, struct cursor c, uint64_t *values, bool *ret_any)
{
	struct raw_label l;
	TRY(read_raw_label(c, &l));
	uint64_t *value = free_value(r, &l, values);
	if (!value)
		return NULL;
	*value = l.string ? pprof_intern(r, l.string) : profile_label_of_number((int64_t)l.number);
	*ret_any = true;
	return NULL;
}

struct strobe_error *pprof_read_labels(struct pprof_reader *r, struct cursor sample, uint64_t *values, bool *ret_any)
{
	struct proto_field f;
	while (proto_next(&sample, &f))
		if (f.number == SAMPLE_LABEL)
			TRY(read_label(r, f.bytes, values, ret_any));
	return NULL;
}
