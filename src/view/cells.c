#include "view/cells.h"

#include <string.h>

#include "base/mem.h"

char cell_shorten(uint64_t *n)
{
	static const char units[] = " KMG";
	size_t unit = 0;
	while (*n > 1000 && unit < sizeof(units) - 2) {
		*n /= 1000;
		unit++;
	}
	return units[unit];
}

struct hist_key *cell_fields(const struct report *r, const struct report_part *p, uint32_t *ret_nr)
{
	struct hist_key *fields = xreallocarray(NULL, r->fields_nr + 1, sizeof(*fields));
	*ret_nr = 0;
	for (uint32_t i = 0; i < r->fields_nr; i++)
		if (report_part_has(p, &r->fields[i]))
			fields[(*ret_nr)++] = r->fields[i];
	return fields;
}

const char *cell_header(const struct report *r, const struct report_part *p, const struct hist_key *k)
{
	/* Next to a column of children, the function's own share is called "Self". */
	if (k->column->id == COLUMN_OVERHEAD && p->hist->options.children)
		for (uint32_t i = 0; i < r->fields_nr; i++)
			if (r->fields[i].column->id == COLUMN_OVERHEAD_CHILDREN)
				return "Self";
	return k->header;
}

unsigned cell_header_width(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width)
{
	if (!cell_is_value(k))
		return width;
	/* The requested width, but not less than its name or the events of a group need. */
	unsigned name = (unsigned)strlen(cell_header(r, p, k));
	if (p->is_group && width < k->column->width * p->hist->options.events_nr)
		width = k->column->width * p->hist->options.events_nr;
	return width < name ? name : width;
}

void cell_widths(const struct report *r, const struct report_part *p, unsigned *ret_widths)
{
	const struct hist *h = p->hist;
	for (uint32_t i = 0, shown = 0; i < r->fields_nr; i++) {
		const struct hist_key *k = &r->fields[i];
		unsigned fixed = !k->elided && shown < r->widths_nr ? r->widths[shown] : 0;
		shown += !k->elided;
		if (fixed) {
			ret_widths[i] = fixed;
			continue;
		}
		unsigned width = k->column->width;
		if (!cell_is_value(k) && width < strlen(k->header))
			width = (unsigned)strlen(k->header);
		for (uint32_t e = 0; !cell_is_value(k) && e < h->order_nr; e++) {
			unsigned n = column_measure(h, k, &h->entries.data[h->order[e]]);
			if (n > width)
				width = n;
		}
		ret_widths[i] = width;
	}
}

void cell_value(const struct report *r, const struct report_part *p, const struct hist_key *k, const struct hist_stat *s,
		uint32_t j, unsigned width, struct strbuf *out)
{
	uint64_t value = hist_value(s, k->column);
	if (cell_is_of_children(k) && !p->hist->options.children) {
		strbuf_addf(out, " %*s", !r->separator && width ? (int)width - 1 : 0, "N/A");
	} else if (k->column->sum->kind == COLUMN_INTERVAL) {
		struct report_interval ci = report_interval(s->period, report_total(r, p, j), p->hist->totals[j].samples);
		struct strbuf text = {};
		strbuf_addf(&text, "%.2f-%.2f%%", ci.low, ci.high);
		strbuf_addf(out, "%*s", r->separator ? 0 : (int)width, strbuf_str(&text));
		strbuf_deinit(&text);
	} else if (cell_is_percent(k)) {
		double percent = report_percent(value, report_column_total(r, p, j, k->column));
		strbuf_addch(out, ' ');
		strbuf_add_f64(out, percent, 2, !r->separator && width > 2 ? width - 2 : 0);
		strbuf_addch(out, '%');
	} else if (r->separator) {
		strbuf_addf(out, " %llu", (unsigned long long)value);
	} else {
		strbuf_addf(out, " %*llu", width ? (int)width - 1 : 0, (unsigned long long)value);
	}
}
