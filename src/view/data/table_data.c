#include "view/data/table_data.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/strbuf.h"

static void json_cell(struct json *j, const struct table_column *column, const struct table_cell *c)
{
	json_key(j, column->key);
	if (!c->set) {
		json_null(j);
		return;
	}
	switch (column->type) {
	case TABLE_TEXT:
		json_str(j, c->text);
		break;
	case TABLE_NUMBER:
		json_f64(j, c->number);
		break;
	case TABLE_BOOL:
		json_bool(j, c->truth);
		break;
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

void table_json(struct out *out, const struct table *t)
{
	struct json j;
	json_init(&j, out, true);
	json_object(&j);
	json_format(&j, t->format, t->version);
	for (size_t i = 0; i < t->facts.len; i++)
		fact_json(&j, &t->facts.data[i]);
	json_key(&j, "rows");
	json_array(&j);
	for (size_t row = 0; row < t->rows; row++) {
		json_object(&j);
		for (size_t i = 0; i < t->columns.len; i++)
			if (!t->columns.data[i].text_only)
				json_cell(&j, &t->columns.data[i], table_cell(t, row, i));
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "notes");
	json_array(&j);
	for (size_t i = 0; i < t->notes.len; i++)
		json_str(&j, t->notes.data[i]);
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
}

static void csv_cell(struct out *out, const struct table_column *column, const struct table_cell *c)
{
	if (!c->set)
		return;
	switch (column->type) {
	case TABLE_TEXT:
		out_csv(out, c->text);
		break;
	case TABLE_NUMBER:
		if (!isnan(c->number))
			out_f(out, "%.10g", c->number);
		break;
	case TABLE_BOOL:
		out_str(out, c->truth ? "true" : "false");
		break;
	}
}

void table_csv(struct out *out, const struct table *t, const char *separator)
{
	const char *before = "";
	for (size_t i = 0; i < t->columns.len; i++) {
		if (t->columns.data[i].text_only)
			continue;
		out_str(out, before);
		out_csv(out, t->columns.data[i].key);
		before = separator;
	}
	out_ch(out, '\n');
	for (size_t row = 0; row < t->rows; row++) {
		before = "";
		for (size_t i = 0; i < t->columns.len; i++) {
			if (t->columns.data[i].text_only)
				continue;
			out_str(out, before);
			csv_cell(out, &t->columns.data[i], table_cell(t, row, i));
			before = separator;
		}
		out_ch(out, '\n');
	}
}
