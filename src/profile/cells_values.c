/* Values of cells, comparable with those of another profile. */
#include "base/cleanup.h"
#include "profile/values_priv.h"

enum value_kind { VALUE_IS_NUMBER, VALUE_IS_TEXT, VALUE_IS_FIELD, VALUE_IS_FUNCTION, VALUE_IS_ADDRESS };

static mapping_id frame_file(const struct hist *h, frame_id f)
{
	return f == PROFILE_NONE ? PROFILE_NONE : h->profile->frames.data[f].mapping;
}

/* ---- from a frame ---- */

static char frame_level(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, frame_id f)
{
	if (k->column->from == COLUMN_FROM_FRAME || f == PROFILE_NONE)
		return e->level;
	return hist_level(h->profile->frames.data[f].space);
}

void value_of_function(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		       struct cell_value *v)
{
	frame_id f = cell_frame(h, k, e);
	const struct profile_function *fn = frame_function(h->profile, f);
	v->words[0] = (uint64_t)(fn ? VALUE_IS_FUNCTION : VALUE_IS_ADDRESS) << 8 | (unsigned char)frame_level(h, k, e, f);
	if (fn) {
		v->words[1] = value_string(r, fn->name);
		v->words[2] = value_file(r, frame_file(h, f));
		v->start = fn->start;
		v->size = fn->size;
		v->build = value_build(r, frame_file(h, f));
	} else if (k->column->from == COLUMN_FROM_FRAME) {
		v->words[1] = e->addr;
	} else if (f != PROFILE_NONE) {
		v->words[1] = frame_address(h->profile, &h->profile->frames.data[f]);
		v->words[2] = value_file(r, frame_file(h, f));
		v->start = h->profile->frames.data[f].ip;
	}
}

void value_of_symbol_offset(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
			    struct cell_value *v)
{
	frame_id f = cell_frame(h, k, e);
	const struct profile_function *fn = frame_function(h->profile, f);
	value_of_function(r, h, k, e, v);
	if (fn && !(h->profile->frames.data[f].flags & FRAME_INLINED))
		v->words[3] = h->profile->frames.data[f].addr - fn->start;
}

/* Files are mapped at different addresses: uses the address in the file. */
void value_of_address(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		      struct cell_value *v)
{
	frame_id f = cell_frame(h, k, e);
	v->words[0] = value_file(r, frame_file(h, f));
	v->words[1] = f == PROFILE_NONE ? 0 : h->profile->frames.data[f].addr;
	v->start = f == PROFILE_NONE ? 0 : h->profile->frames.data[f].ip;
}

void value_of_cache_line(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
			 struct cell_value *v)
{
	value_of_address(r, h, k, e, v);
	v->words[1] &= ~(uint64_t)(CACHE_LINE_BYTES - 1);
	v->start &= ~(uint64_t)(CACHE_LINE_BYTES - 1);
	v->words[2] = e->level == 'k';
}

void value_of_dso(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		  struct cell_value *v)
{
	v->words[0] = value_dso(r, frame_file(h, cell_frame(h, k, e)));
}

void value_of_dso_size(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		       struct cell_value *v)
{
	const struct profile_mapping *m = hist_mapping(h, e);
	v->words[0] = value_file(r, frame_file(h, e->frame));
	v->words[1] = m && m->end > m->start ? m->end - m->start : VALUE_NONE;
}

void value_of_symbol_size(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
			  struct cell_value *v)
{
	const struct profile_function *fn = hist_function(h, e);
	v->words[0] = fn ? fn->size : VALUE_NONE;
}

/* The file name in "file:line". */
void value_of_source_file(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
			  struct cell_value *v)
{
	_cleanup_strbuf_ struct strbuf file = {};
	column_format(h, k, e, 0, &file);
	v->words[0] = value_text(r, strbuf_str(&file));
}

/* ---- from labels ---- */

/* In another recording an ID may belong to another process. */
void value_of_thread(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		     struct cell_value *v)
{
	v->words[0] = hist_label(h, e, k->label, 0);
	v->words[1] = value_text(r, thread_comm(h, e, v->words[0]));
}

void value_of_place(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		    struct cell_value *v)
{
	v->words[0] = (uint64_t)(int)hist_label(h, e, k->label, UINT64_MAX);
}

void value_of_cgroup_id(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
			struct cell_value *v)
{
	v->words[0] = hist_label(h, e, k->label, 0);
	v->words[1] = hist_label(h, e, k->label2, 0);
}

static void set_text(struct cell_value *v, uint64_t text)
{
	v->words[0] = text ? VALUE_IS_TEXT : VALUE_IS_NUMBER; /* no label is as "" */
	v->words[1] = text;
}

void value_of_cell(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		   struct cell_value *v)
{
	const struct column_cells *c = k->column->cells;
	uint64_t label = hist_label(h, e, k->label, 0);
	if (k->only_event && k->only_event != h->profile->rows.data[e->row].event + 1)
		label = 0;
	if (c->value) {
		c->value(r, h, k, e, v);
	} else if (label_is_string(h, k->label)) {
		set_text(v, value_string(r, (str_id)label));
	} else if (c->name) {
		const char *name = c->name(h, k, e);
		set_text(v, name ? value_text(r, name) : VALUE_NONE);
	} else {
		/* An event without the field differs from one with 0. */
		v->words[0] = k->column->id == COLUMN_FIELD && k->label != PROFILE_NONE ? VALUE_IS_FIELD : VALUE_IS_NUMBER;
		v->words[1] = c->word ? c->word(h, label) : label;
	}
}
