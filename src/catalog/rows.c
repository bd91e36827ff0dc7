/* Rows of a catalog: the text of an entry and lines below it, and data. */
#include "catalog/priv.h"

#include <string.h>

#include "base/out.h"
#include "base/strbuf.h"
#include "base/vector.h"

#define NAME_COLUMNS  50
#define FIELD_COLUMNS 28
#define INDENT        8
#define WIDTH_MIN     40 /* narrower terminals get lines of WIDTH */
#define WIDTH         80

enum column {
	NAME, PMU, GROUPS, METRIC, EVENT, ALIAS, UNIT, SCALE, TYPE, DEPRECATED, DESC, LONG_DESC, EXPRESSION, ENCODING, FIELDS, COLUMNS_NR,
};

/* Keys as in doc/JSON.md, and perf's keys. */
static const char *const keys[COLUMNS_NR][2] = {
	[NAME] = { "name", "name" },
	[PMU] = { "pmu", "Unit" },
	[GROUPS] = { "groups", "MetricGroup" },
	[METRIC] = { "metric", "MetricName" },
	[EVENT] = { "event", "EventName" },
	[ALIAS] = { "alias", "EventAlias" },
	[UNIT] = { "unit", "ScaleUnit" },
	[SCALE] = { "scale", "Scale" },
	[TYPE] = { "type", "EventType" },
	[DEPRECATED] = { "deprecated", "Deprecated" },
	[DESC] = { "description", "BriefDescription" },
	[LONG_DESC] = { "long_description", "PublicDescription" },
	[EXPRESSION] = { "expression", "MetricExpr" },
	[ENCODING] = { "encoding", "Encoding" },
	[FIELDS] = { "fields", "Fields" },
};

void catalog_columns(struct catalog *c)
{
	bool perf = c->settings.has_perf_keys;
	for (int i = 0; i < COLUMNS_NR; i++) {
		struct table_column column = { .key = keys[i][perf], .is_optional = true, .data_only = i != TYPE };
		if (i == NAME)
			column = (struct table_column){ .key = keys[i][perf], .text_only = true, .width = NAME_COLUMNS, .is_fixed = true };
		else if (i == DEPRECATED && !perf)
			column.type = TABLE_BOOL;
		else if (i == FIELDS) {
			column.type = TABLE_ITEMS;
			column.items = TABLE_ITEMS_PAIRS;
			column.item_keys[0] = perf ? "Name" : "name";
			column.item_keys[1] = perf ? "Type" : "type";
		}
		table_column(&c->table, column);
	}
}

void catalog_heading(struct catalog *c, const char *text)
{
	struct table *t = &c->table;
	if (c->settings.form != CATALOG_TEXT)
		return;
	/* Below the previous row. */
	void (*line)(struct table *t, const char *fmt, ...) = t->rows.len ? table_line : table_head;
	line(t, "%s", "");
	line(t, "%s:", text);
	line(t, "%s", "");
}

/* Adds words in brackets, wrapped to the width of the terminal. */
static void desc_lines(struct catalog *c, const char *text)
{
	size_t width = c->settings.columns > WIDTH_MIN ? c->settings.columns : WIDTH;
	struct strbuf line = {};
	strbuf_addf(&line, "%*s[", INDENT - 1, "");
	for (const char *word = text; *word;) {
		size_t n = strcspn(word, " \n");
		if (line.len > INDENT && line.len + 1 + n + 1 >= width) {
			table_line(&c->table, "%s", strbuf_str(&line));
			strbuf_reset(&line);
			strbuf_addf(&line, "%*s", INDENT, "");
		} else if (line.len > INDENT) {
			strbuf_addch(&line, ' ');
		}
		strbuf_add(&line, word, n);
		word += n + strspn(word + n, " \n");
	}
	table_line(&c->table, "%s]", strbuf_str(&line));
	strbuf_deinit(&line);
}

static void set_fields(struct table *t, const struct tracepoint *tp)
{
	VEC(struct table_item) items = {};
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++) {
		const struct tracepoint_field *f = &tp->fields[i];
		vec_push(&items, ((struct table_item){ .name = f->name, .text = f->type }));
		table_line(t, "%*s%-*s %s", INDENT, "", FIELD_COLUMNS, f->name, f->type);
	}
	table_set_items(t, FIELDS, items.data, (uint32_t)items.len);
	vec_deinit(&items);
}

static void set(struct table *t, enum column column, const char *text)
{
	if (text)
		table_set_text(t, column, text);
}

static void set_names(struct table *t, const struct catalog_row *row)
{
	bool is_metric = row->kind == CATALOG_METRIC;
	set(t, NAME, row->name);
	if (row->alias)
		table_show(t, NAME, "%s OR %s", row->name, row->alias);
	set(t, TYPE, row->type);
	if (row->type)
		table_show(t, TYPE, "[%s]", row->type);
	set(t, is_metric ? METRIC : EVENT, row->name);
	set(t, is_metric ? EXPRESSION : ENCODING, row->encoding);
	set(t, ALIAS, row->alias);
}

static bool has_place(const struct catalog *c, const struct catalog_row *row)
{
	switch (c->settings.form) {
	case CATALOG_TEXT: return true;
	case CATALOG_DATA: return row->kind != CATALOG_OTHER;
	case CATALOG_NAMES: return row->kind == CATALOG_EVENT;
	}
	return false;
}

void catalog_row(struct catalog *c, const struct catalog_row *row)
{
	const struct catalog_settings *s = &c->settings;
	struct table *t = &c->table;
	if (row->is_deprecated && !s->deprecated)
		return;
	c->rows_nr++;
	if (!has_place(c, row))
		return;
	table_row(t);
	set_names(t, row);
	set(t, PMU, row->pmu);
	set(t, GROUPS, row->groups);
	set(t, UNIT, row->unit);
	set(t, SCALE, row->scale);
	set(t, DESC, row->desc);
	set(t, LONG_DESC, row->long_desc);
	if (row->is_deprecated && s->has_perf_keys)
		table_set_text(t, DEPRECATED, "1");
	else if (row->is_deprecated)
		table_set_bool(t, DEPRECATED, true);
	const char *desc = s->long_descriptions && row->long_desc ? row->long_desc : row->desc;
	if (desc && (s->descriptions || s->long_descriptions))
		desc_lines(c, desc);
	if (s->details && row->encoding)
		table_line(t, "%*s%s", INDENT, "", row->encoding);
	if (row->tracepoint)
		set_fields(t, row->tracepoint);
}

void catalog_names(const struct catalog *c, struct out *out)
{
	for (size_t i = 0; i < c->table.rows.len; i++) {
		out_text_str(out, table_cell(&c->table, i, NAME)->text);
		out_ch(out, ' ');
	}
	out_ch(out, '\n');
}
