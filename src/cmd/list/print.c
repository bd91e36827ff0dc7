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
		json_array(&p->json);
	} else if (title && !p->options->raw_dump) {
		out_str(p->out, "\nList of pre-defined events (to be used in -e or -M):\n\n");
	}
}

void list_end(struct list_printer *p)
{
	if (p->options->json)
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

static void json_field(struct json *j, const char *key, const char *value)
{
	if (value) {
		json_key(j, key);
		json_str(j, value);
	}
}

static void json_row(struct list_printer *p, const struct list_row *row, bool metric)
{
	struct json *j = &p->json;
	json_object(j);
	json_field(j, "Unit", row->pmu);
	json_field(j, metric ? "MetricGroup" : "Topic", row->topic);
	json_field(j, metric ? "MetricName" : "EventName", row->name);
	json_field(j, "EventAlias", row->alias);
	json_field(j, "ScaleUnit", row->unit);
	json_field(j, "Scale", row->scale);
	json_field(j, "EventType", row->type);
	if (row->deprecated) {
		json_key(j, "Deprecated");
		json_str(j, "1");
	}
	json_field(j, "BriefDescription", row->desc);
	json_field(j, "PublicDescription", row->long_desc);
	json_field(j, metric ? "MetricExpr" : "Encoding", row->encoding);
	if (row->tracepoint) {
		json_key(j, "Fields");
		json_array(j);
		for (uint32_t i = row->tracepoint->common_nr; i < row->tracepoint->fields_nr; i++) {
			json_object(j);
			json_field(j, "Name", row->tracepoint->fields[i].name);
			json_field(j, "Type", row->tracepoint->fields[i].type);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
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
