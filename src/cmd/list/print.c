/* How the rows of `strobe list` look: as text like the reference's, as JSON, or as bare names for completion. */
#include <string.h>

#include "base/text.h"
#include "cmd/list/list.h"

#define NAME_COLUMNS 50
#define DESC_INDENT  7

void list_begin(struct list_printer *p, bool title)
{
	if (p->options->json) {
		json_init(&p->json, p->out, true);
		if (p->options->document) {
			json_object(&p->json);
			json_format(&p->json, "strobe-list", 1);
			json_key(&p->json, "events");
		}
		json_array(&p->json);
	} else if (title && !p->options->raw_dump) {
		out_str(p->out, "\nList of pre-defined events (to be used in -e or -M):\n\n");
	}
}

void list_end(struct list_printer *p)
{
	if (p->options->json)
		json_end(&p->json);
	if (p->options->document)
		json_end(&p->json);
	if (p->options->json || p->options->raw_dump)
		out_ch(p->out, '\n');
}

void list_heading(struct list_printer *p, const char *text)
{
	if (!p->options->json && !p->options->raw_dump)
		out_f(p->out, "\n%s:\n\n", text);
}

/* Words between brackets, filled up to the width of the terminal. */
static void print_desc(struct list_printer *p, const char *text)
{
	size_t column = DESC_INDENT + 1, width = p->columns > 40 ? p->columns : 80;
	out_fill(p->out, ' ', DESC_INDENT);
	out_ch(p->out, '[');
	for (const char *word = text; *word;) {
		size_t n = strcspn(word, " \n");
		if (column > DESC_INDENT + 1) {
			bool fits = column + 1 + n + 1 < width;
			out_ch(p->out, fits ? ' ' : '\n');
			if (!fits)
				out_fill(p->out, ' ', DESC_INDENT + 1);
			column = fits ? column + 1 : DESC_INDENT + 1;
		}
		out_text(p->out, word, n);
		column += n;
		word += n + strspn(word + n, " \n");
	}
	out_str(p->out, "]\n");
}

static void print_fields(struct list_printer *p, const struct tracepoint *tp)
{
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++) {
		const struct tracepoint_field *f = &tp->fields[i];
		out_fill(p->out, ' ', DESC_INDENT + 1);
		out_text_left(p->out, f->name, 28);
		out_ch(p->out, ' ');
		out_text(p->out, f->type, strlen(f->type));
		out_ch(p->out, '\n');
	}
}

static void text_row(struct list_printer *p, const struct list_row *row)
{
	struct strbuf name = {};
	strbuf_addstr(&name, row->name);
	if (row->alias)
		strbuf_addf(&name, " OR %s", row->alias);
	out_str(p->out, "  ");
	out_text_left(p->out, strbuf_str(&name), row->type ? NAME_COLUMNS : 0); /* groups of metrics have no type */
	strbuf_deinit(&name);
	if (row->type)
		out_f(p->out, " [%s]", row->type);
	out_ch(p->out, '\n');
	const char *desc = p->options->long_desc && row->long_desc ? row->long_desc : row->desc;
	if (desc && (p->options->desc || p->options->long_desc))
		print_desc(p, desc);
	if (p->options->details && row->encoding) {
		out_fill(p->out, ' ', DESC_INDENT + 1);
		out_text_str(p->out, row->encoding);
		out_ch(p->out, '\n');
	}
	if (row->tracepoint)
		print_fields(p, row->tracepoint);
}

/* key: ours, as in doc/JSON.md; theirs: perf's. */
static void json_field(struct list_printer *p, const char *key, const char *theirs, const char *value)
{
	if (value)
		json_pair_str(&p->json, p->options->document ? key : theirs, value);
}

static void json_tracepoint_fields(struct list_printer *p, const struct tracepoint *tp)
{
	struct json *j = &p->json;
	json_key(j, p->options->document ? "fields" : "Fields");
	json_array(j);
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++) {
		json_object(j);
		json_field(p, "name", "Name", tp->fields[i].name);
		json_field(p, "type", "Type", tp->fields[i].type);
		json_end(j);
	}
	json_end(j);
}

static void json_deprecated(struct list_printer *p)
{
	json_key(&p->json, p->options->document ? "deprecated" : "Deprecated");
	if (p->options->document)
		json_bool(&p->json, true);
	else
		json_str(&p->json, "1");
}

static void json_row(struct list_printer *p, const struct list_row *row, bool metric)
{
	json_object(&p->json);
	json_field(p, "pmu", "Unit", row->pmu);
	json_field(p, metric ? "groups" : "topic", metric ? "MetricGroup" : "Topic", row->topic);
	json_field(p, metric ? "metric" : "event", metric ? "MetricName" : "EventName", row->name);
	json_field(p, "alias", "EventAlias", row->alias);
	json_field(p, "unit", "ScaleUnit", row->unit);
	json_field(p, "scale", "Scale", row->scale);
	json_field(p, "type", "EventType", row->type);
	if (row->deprecated)
		json_deprecated(p);
	json_field(p, "description", "BriefDescription", row->desc);
	json_field(p, "long_description", "PublicDescription", row->long_desc);
	json_field(p, metric ? "expression" : "encoding", metric ? "MetricExpr" : "Encoding", row->encoding);
	if (row->tracepoint)
		json_tracepoint_fields(p, row->tracepoint);
	json_end(&p->json);
}

void list_row(struct list_printer *p, const struct list_row *row)
{
	if (row->deprecated && !p->options->deprecated)
		return;
	p->rows++;
	if (p->options->raw_dump) {
		if (!row->no_event) {
			out_text_str(p->out, row->name);
			out_ch(p->out, ' ');
		}
	} else if (p->options->json) {
		bool metric = row->type && !strcmp(row->type, "Metric");
		if (!row->no_event || metric)
			json_row(p, row, metric);
	} else {
		text_row(p, row);
	}
}
