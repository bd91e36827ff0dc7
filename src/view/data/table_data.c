#include "view/data/table_data.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* ---- JSON ---- */

/* Most series are integers, which need no search for the shortest decimal fraction. */
static void json_series(struct json *j, const struct table_cell *c)
{
	json_array(j);
	for (uint32_t i = 0; i < c->len; i++)
		if (fabs(c->series[i]) < 0x1p53 && c->series[i] == trunc(c->series[i]))
			json_i64(j, (int64_t)c->series[i]);
		else
			json_f64(j, c->series[i]);
	json_end(j);
}

static void json_item(struct json *j, const struct table_item *item)
{
	if (item->text)
		json_str(j, item->text);
	else
		json_u64(j, item->count);
}

static void json_items(struct json *j, const struct table_column *column, const struct table_cell *c)
{
	bool is_object = column->items == TABLE_ITEMS_OBJECT, has_pairs = column->items == TABLE_ITEMS_PAIRS;
	if (is_object)
		json_object(j);
	else
		json_array(j);
	for (uint32_t i = 0; i < c->len; i++) {
		const struct table_item *item = &c->items[i];
		if (has_pairs) {
			json_object(j);
			json_pair_str(j, column->item_keys[0], item->name);
		}
		if (is_object || has_pairs)
			json_key(j, is_object ? item->name : column->item_keys[1]);
		json_item(j, item);
		if (has_pairs)
			json_end(j);
	}
	json_end(j);
}

static void json_cell(struct json *j, const struct table_column *column, const struct table_cell *c)
{
	if (!c->set && column->is_optional)
		return;
	json_key(j, column->key);
	if (!c->set) {
		json_null(j);
		return;
	}
	switch (column->type) {
	case TABLE_TEXT: json_str(j, c->text); break;
	case TABLE_NUMBER: json_f64(j, c->number); break;
	case TABLE_COUNT: json_u64(j, c->count); break;
	case TABLE_BOOL: json_bool(j, c->truth); break;
	case TABLE_SERIES: json_series(j, c); break;
	case TABLE_ITEMS: json_items(j, column, c); break;
	}
}

/* A heading of the text as a name: lower case, underscores. */
static void fact_json(struct json *j, const struct table_fact *f)
{
	_cleanup_free_ char *name = xstrdup(f->key);
	for (char *c = name; *c; c++)
		*c = *c == ' ' ? '_' : (char)tolower((unsigned char)*c);
	json_key(j, name);
	if (f->is_number)
		json_f64(j, f->number);
	else
		json_str(j, f->value);
}

/* Writes a row with those below it; returns the first row after them. Only rows of the deepest level have no array of children. */
static size_t json_row(struct json *j, const struct table *t, size_t row)
{
	uint32_t depth = t->rows.data[row].depth;
	json_object(j);
	for (size_t i = 0; i < t->columns.len; i++)
		if (!t->columns.data[i].text_only)
			json_cell(j, &t->columns.data[i], table_cell(t, row, i));
	row++;
	if (depth < t->depth) {
		const char *key = depth && t->grandchildren_key ? t->grandchildren_key : t->children_key;
		json_key(j, key ? key : "children");
		json_array(j);
		while (row < t->rows.len && t->rows.data[row].depth > depth)
			row = json_row(j, t, row);
		json_end(j);
	}
	json_end(j);
	return row;
}

static void json_rows(struct json *j, const struct table *t)
{
	json_array(j);
	for (size_t row = 0; row < t->rows.len && !out_failed(j->out);)
		row = json_row(j, t, row);
	json_end(j);
}

void table_json_rows(struct out *out, const struct table *t)
{
	struct json j;
	json_init(&j, out, true);
	json_rows(&j, t);
}

void table_json_members(struct json *j, const struct table *t)
{
	for (size_t i = 0; i < t->facts.len; i++)
		fact_json(j, &t->facts.data[i]);
	json_key(j, t->rows_key ? t->rows_key : "rows");
	json_rows(j, t);
	if (t->has_no_notes)
		return;
	json_key(j, "notes");
	json_array(j);
	for (size_t i = 0; i < t->notes.len; i++)
		json_str(j, t->notes.data[i]);
	json_end(j);
}

void table_json(struct out *out, const struct table *t)
{
	struct json j;
	json_init(&j, out, true);
	json_object(&j);
	json_format(&j, t->format, t->version);
	table_json_members(&j, t);
	json_end(&j);
}

/* ---- CSV ---- */

static void csv_item(struct strbuf *b, const char *gap, const struct table_item *item)
{
	strbuf_addf(b, "%s%s%s", gap, item->name ? item->name : "", item->name ? " " : "");
	if (item->text)
		strbuf_addstr(b, item->text);
	else
		strbuf_addf(b, "%" PRIu64, item->count);
}

/* Lines of values: CSV, with quotes where necessary, or plain text. */
struct lines {
	struct out *out;
	const struct table *t;
	const char *separator;
	bool is_plain;
};

/* Before a value: the separator, or nothing. */
static void put_gap(const struct lines *l, const char *separator)
{
	out_text_str(l->out, separator);
	if (l->is_plain && *separator)
		out_ch(l->out, ' ');
}

static void put_text(const struct lines *l, const char *text)
{
	if (l->is_plain)
		out_text_str(l->out, text);
	else
		out_csv(l->out, text);
}

static void put_list(const struct lines *l, const struct table_column *column, const struct table_cell *c)
{
	_cleanup_strbuf_ struct strbuf b = {};
	for (uint32_t i = 0; i < c->len; i++)
		if (column->type == TABLE_SERIES)
			strbuf_addf(&b, "%s%.10g", i ? " " : "", c->series[i]);
		else
			csv_item(&b, i ? " " : "", &c->items[i]);
	put_text(l, strbuf_str(&b));
}

static void put_value(const struct lines *l, const struct table_column *column, const struct table_cell *c)
{
	switch (column->type) {
	case TABLE_TEXT: put_text(l, c->text); break;
	case TABLE_NUMBER:
		if (!isnan(c->number))
			out_f(l->out, "%.10g", c->number);
		break;
	case TABLE_COUNT: out_u64(l->out, c->count); break;
	case TABLE_BOOL: out_str(l->out, c->truth ? "true" : "false"); break;
	case TABLE_SERIES:
	case TABLE_ITEMS: put_list(l, column, c); break;
	}
}

static void put_name(const struct lines *l, size_t column)
{
	const struct table_column *c = &l->t->columns.data[column];
	put_text(l, l->is_plain && c->title ? c->title : c->key);
}

static void put_cell(const struct lines *l, size_t row, size_t column)
{
	const struct table_cell *c = table_cell(l->t, row, column);
	if (c->set)
		put_value(l, &l->t->columns.data[column], c);
	else if (l->is_plain && c->shown)
		out_text_str(l->out, c->shown);
}

static void put_names(const struct lines *l)
{
	const char *before = l->t->depth ? l->separator : "";
	out_str(l->out, l->t->depth ? "depth" : "");
	for (size_t i = 0; i < l->t->columns.len; i++) {
		if (l->t->columns.data[i].text_only)
			continue;
		put_gap(l, before);
		put_name(l, i);
		before = l->separator;
	}
	out_ch(l->out, '\n');
}

static void put_row(const struct lines *l, size_t row)
{
	const char *before = l->t->depth ? l->separator : "";
	if (l->t->depth)
		out_u64(l->out, l->t->rows.data[row].depth);
	for (size_t i = 0; i < l->t->columns.len; i++) {
		if (l->t->columns.data[i].text_only)
			continue;
		put_gap(l, before);
		put_cell(l, row, i);
		before = l->separator;
	}
	out_ch(l->out, '\n');
}

void table_csv(struct out *out, const struct table *t, const char *separator)
{
	const struct lines l = { out, t, separator, false };
	put_names(&l);
	for (size_t row = 0; row < t->rows.len && !out_failed(out); row++)
		put_row(&l, row);
}

void table_values(struct out *out, const struct table *t, const char *head, const char *separator)
{
	const struct lines l = { out, t, separator, true };
	if (!t->layout.has_no_titles) {
		out_text_str(out, head);
		put_names(&l);
	}
	for (size_t row = 0; row < t->rows.len && !out_failed(out); row++)
		put_row(&l, row);
}
