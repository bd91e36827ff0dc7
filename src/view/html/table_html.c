#include "view/html/table_html.h"

#include <inttypes.h>
#include <math.h>

#define SERIES_WIDTH  100 /* pixels */
#define SERIES_HEIGHT 16

/* Bars of equal width, with heights relative to the greatest. */
static void put_series(struct out *out, const struct table_cell *c)
{
	double highest = 0;
	for (uint32_t i = 0; i < c->len; i++)
		highest = c->series[i] > highest ? c->series[i] : highest;
	out_f(out, "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %" PRIu32 " %d\" preserveAspectRatio=\"none\"><title>", SERIES_WIDTH,
	      SERIES_HEIGHT, c->len ? c->len : 1, SERIES_HEIGHT);
	for (uint32_t i = 0; i < c->len; i++)
		out_f(out, "%s%.10g", i ? " " : "", c->series[i]);
	out_str(out, "</title>");
	for (uint32_t i = 0; i < c->len; i++) {
		double height = highest > 0 && c->series[i] > 0 ? c->series[i] / highest * SERIES_HEIGHT : 0;
		if (height > 0)
			out_f(out, "<rect x=\"%" PRIu32 "\" y=\"%.2f\" width=\"1\" height=\"%.2f\"/>", i, SERIES_HEIGHT - height, height);
	}
	out_str(out, "</svg>");
}

static void put_value(struct out *out, const struct table_column *column, const struct table_cell *c)
{
	switch (column->type) {
	case TABLE_TEXT: out_xml_str(out, c->text); break;
	case TABLE_NUMBER:
		if (!isnan(c->number))
			out_f64(out, table_cell_number(column, c), (int)column->decimals);
		break;
	case TABLE_COUNT:
		if (column->scale != 0)
			out_f64(out, table_cell_number(column, c), (int)column->decimals);
		else
			out_u64(out, c->count);
		break;
	case TABLE_BOOL: out_str(out, c->truth ? "yes" : "no"); break;
	case TABLE_SERIES: put_series(out, c); break;
	case TABLE_ITEMS:
		for (uint32_t i = 0; i < c->len; i++) {
			out_str(out, i ? ", " : "");
			const struct table_item *item = &c->items[i];
			out_xml_str(out, item->name ? item->name : "");
			out_str(out, item->name ? " " : "");
			if (item->text)
				out_xml_str(out, item->text);
			else
				out_u64(out, item->count);
		}
		break;
	}
}

static bool is_number(const struct table_column *c)
{
	return c->type == TABLE_NUMBER || c->type == TABLE_COUNT;
}

static void put_cell(struct out *out, const struct table *t, size_t row, size_t column)
{
	static const char *const marks[] = { [TABLE_PLAIN] = "",      [TABLE_LOW] = " low",   [TABLE_MEDIUM] = " medium",
					     [TABLE_HIGH] = " high", [TABLE_GOOD] = " good", [TABLE_BAD] = " bad", [TABLE_DIM] = " dim" };
	const struct table_column *k = &t->columns.data[column];
	const struct table_cell *c = table_cell(t, row, column);
	const char *kind = is_number(k) ? "n" : k->is_tree ? "t" : "";
	out_f(out, "<td class=\"%s%s\"", kind, marks[c->mark]);
	if (k->is_tree)
		out_f(out, " style=\"--depth:%" PRIu32 "\"", t->rows.data[row].depth);
	out_ch(out, '>');
	if (c->shown)
		out_xml_str(out, c->shown);
	else if (c->set)
		put_value(out, k, c);
	out_str(out, "</td>");
}

static void put_titles(struct out *out, const struct table *t)
{
	out_str(out, "<thead><tr>");
	for (size_t i = 0; i < t->columns.len; i++) {
		const struct table_column *c = &t->columns.data[i];
		if (c->data_only)
			continue;
		out_f(out, "<th class=\"%s\">", is_number(c) ? "n" : "");
		out_xml_str(out, c->title);
		if (c->unit) {
			out_str(out, " <small>");
			out_xml_str(out, c->unit);
			out_str(out, "</small>");
		}
		out_str(out, "</th>");
	}
	out_str(out, "</tr></thead>\n");
}

void table_html(struct out *out, const struct table *t)
{
	for (size_t i = 0; i < t->facts.len; i++) {
		out_str(out, "<p>");
		out_xml_str(out, t->facts.data[i].key);
		out_str(out, ": ");
		out_xml_str(out, t->facts.data[i].value);
		out_str(out, "</p>\n");
	}
	out_str(out, "<table>");
	put_titles(out, t);
	out_str(out, "<tbody>\n");
	for (size_t row = 0; row < t->rows.len && !out_failed(out); row++) {
		out_str(out, "<tr>");
		for (size_t i = 0; i < t->columns.len; i++)
			if (!t->columns.data[i].data_only)
				put_cell(out, t, row, i);
		out_str(out, "</tr>\n");
	}
	out_str(out, "</tbody></table>\n");
	for (size_t i = 0; i < t->notes.len; i++) {
		out_str(out, "<p>");
		out_xml_str(out, t->notes.data[i]);
		out_str(out, "</p>\n");
	}
}

void table_html_document(struct out *out, const struct table *t, const char *title)
{
	out_str(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
	out_xml_str(out, title);
	out_str(out, "</title>\n<style>\n"
		     ":root { color-scheme: light dark; font: 14px system-ui, sans-serif; }\n"
		     "table { border-collapse: collapse; }\n"
		     "th, td { padding: 2px 10px; text-align: left; white-space: nowrap; }\n"
		     "thead th { border-bottom: 1px solid; }\n"
		     ".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
		     ".t { padding-left: calc(10px + 1.5em * var(--depth)); }\n"
		     ".bad, .high { color: #c62828; } .medium { color: #9a6700; } .good, .low { color: #2e7d32; } .dim { opacity: .55; }\n"
		     "svg rect { fill: currentColor; }\n"
		     "</style></head><body>\n<h1>");
	out_xml_str(out, title);
	out_str(out, "</h1>\n");
	table_html(out, t);
	out_str(out, "</body></html>\n");
}
