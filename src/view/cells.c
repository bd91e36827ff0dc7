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

/* The kinds of a divided column that occur, as bits. */
static uint32_t kinds_of(const struct hist *h, const struct hist_key *k)
{
	const struct access_kinds *d = &access_kinds[k->column->sum->division];
	return h->kinds & ((1u << d->nr) - 1) << d->first;
}

static unsigned divided_width(const struct hist *h, const struct hist_key *k)
{
	unsigned n = (unsigned)__builtin_popcount(kinds_of(h, k));
	return k->column->width * (n ? n : 1);
}

bool cell_any_divided(const struct report *r)
{
	for (uint32_t i = 0; i < r->fields_nr; i++)
		if (cell_is_divided(&r->fields[i]))
			return true;
	return false;
}

static void add_kind_names(const struct hist *h, const struct hist_key *k, struct strbuf *out)
{
	const struct access_kinds *d = &access_kinds[k->column->sum->division];
	uint32_t kinds = kinds_of(h, k);
	if (!kinds)
		strbuf_addf(out, "%*s", (int)k->column->width, "");
	for (unsigned i = 0; i < d->nr; i++)
		if (kinds >> (d->first + i) & 1)
			strbuf_addf(out, "%*s", (int)k->column->width, d->names[i]);
}

void cell_add_header(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width, struct strbuf *out)
{
	unsigned events = p->is_group ? p->hist->options.events_nr : 1;
	for (unsigned j = 0; cell_is_divided(k) && j < events; j++)
		add_kind_names(p->hist, k, out);
	if (!cell_is_divided(k))
		strbuf_addf(out, cell_is_right(k) ? "%*s" : "%-*s", (int)cell_header_width(r, p, k, width), cell_header(r, p, k));
}

static void add_repeated(struct strbuf *out, char c, unsigned n)
{
	while (n--)
		strbuf_addch(out, c);
}

void cell_add_title(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width, struct strbuf *out)
{
	unsigned room = cell_header_width(r, p, k, width), n = (unsigned)strlen(k->header);
	if (!cell_is_divided(k)) {
		add_repeated(out, ' ', room);
	} else if (room < n + 4) {
		strbuf_addf(out, "%*s", (int)room, k->header);
	} else {
		unsigned before = (room - n - 2) / 2;
		add_repeated(out, '-', before);
		strbuf_addf(out, " %s ", k->header);
		add_repeated(out, '-', room - n - 2 - before);
	}
}

unsigned cell_header_width(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width)
{
	if (!cell_is_value(k))
		return width;
	if (cell_is_divided(k))
		return divided_width(p->hist, k) * (p->is_group ? p->hist->options.events_nr : 1);
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

static void add_kinds(const struct report *r, const struct report_part *p, const struct hist_key *k, const struct hist_stat *s,
		      uint32_t j, struct strbuf *out)
{
	const struct access_kinds *d = &access_kinds[k->column->sum->division];
	uint32_t kinds = kinds_of(p->hist, k);
	for (unsigned i = d->first; i < d->first + d->nr; i++)
		if (kinds >> i & 1)
			strbuf_addf(out, "%*.1f%%", (int)k->column->width - 1, report_percent(s->kinds[i], report_total(r, p, j)));
}

void cell_value(const struct report *r, const struct report_part *p, const struct hist_key *k, const struct hist_stat *s,
		uint32_t j, unsigned width, struct strbuf *out)
{
	uint64_t value = hist_value(s, k->column);
	if (cell_is_of_children(k) && !p->hist->options.children) {
		strbuf_addf(out, " %*s", !r->separator && width ? (int)width - 1 : 0, "N/A");
	} else if (cell_is_divided(k)) {
		add_kinds(r, p, k, s, j, out);
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
