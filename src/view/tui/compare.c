/* Compares the report with a base, row by row: a column with the differences. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/tui/browser_priv.h"

/* The share in the report shown, in millionths. */
static int64_t share_of(const struct report *r, const struct report_part *part, uint32_t entry)
{
	const struct hist *h = part->hist;
	const struct hist_stat *s = hist_stats(h, &h->entries.data[entry]);
	uint64_t value = h->options.children ? s->children : s->period;
	return (int64_t)(report_percent(value, report_total(r, part, 0)) * 10000 + 0.5);
}

int64_t browser_delta(const struct browser *b, uint32_t entry)
{
	const struct row_missing *m = rows_missing(&b->rows, entry);
	if (m)
		return -(int64_t)m->share;
	uint32_t row = b->base.of_entry[entry];
	return share_of(&b->own, browser_part(b), entry) - (row ? (int64_t)b->base.rows.data[row - 1].share : 0);
}

/* ---- the base ---- */

static void forget_base(struct base *base)
{
	vec_deinit(&base->rows);
	hist_join_destroy(base->join);
	base->join = NULL;
	free(base->of_entry);
	base->of_entry = NULL;
	arena_deinit(&base->arena);
	arena_init(&base->arena);
}

static void take_row(struct base *base, const struct rows *names, uint32_t entry)
{
	const struct hist *h = names->part->hist;
	const struct profile *p = h->profile;
	const struct hist_entry *e = &h->entries.data[entry];
	const struct profile_mapping *m = hist_mapping(h, e);
	const struct profile_function *f = hist_function(h, e);
	uint32_t comm = profile_find_column(p, "comm");
	const char **cells = arena_alloc(&base->arena, sizeof(*cells) * (h->options.keys_nr + 1));
	struct strbuf cell = {};
	for (uint32_t i = 0; i < h->options.keys_nr; i++) {
		strbuf_reset(&cell);
		column_format(h, &h->options.keys[i], e, 0, &cell);
		cells[i] = arena_strdup(&base->arena, strbuf_str(&cell));
	}
	strbuf_deinit(&cell);
	struct row_missing row = {
		.id = rows_name_id(names, entry),
		.cells = cells,
		.dso = m ? arena_strdup(&base->arena, profile_str(p, m->name)) : NULL,
		.symbol = f ? arena_strdup(&base->arena, profile_str(p, f->name)) : NULL,
		.comm = comm == PROFILE_NONE ? NULL : arena_strdup(&base->arena, profile_str(p, (str_id)hist_label(h, e, comm, 0))),
		.level = e->level,
		.share = (uint64_t)share_of(names->report, names->part, entry),
	};
	vec_push(&base->rows, row);
}

/* Keeps only names, values and shares of the entries of another part. */
static void take(struct browser *b, const struct report *report, const struct report_part *part)
{
	const struct rows names = { .report = report, .part = part };
	forget_base(&b->base);
	for (uint32_t i = 0; i < part->hist->order_nr; i++)
		take_row(&b->base, &names, part->hist->order[i]);
	b->base.join = hist_join_create(part->hist);
	b->has_base = true;
}

static int compare_shares(const void *pa, const void *pb)
{
	const struct row_missing *a = pa, *b = pb;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Cells of the base may be longer than those of the report. */
static void widen(struct browser *b, const struct row_missing *m)
{
	for (uint32_t i = 0; i < b->own.fields_nr; i++) {
		const char *cell = browser_missing_cell(b, m, &b->fields[i]);
		unsigned width = cell ? screen_width(cell, strlen(cell)) : 0;
		b->widths[i] = width > b->widths[i] ? width : b->widths[i];
	}
}

void browser_match(struct browser *b)
{
	const struct hist *h = browser_part(b)->hist;
	struct base *base = &b->base;
	vec_clear(&b->rows.missing);
	if (!b->has_base)
		return;
	bool *met = xcalloc(base->rows.len + 1, sizeof(*met));
	free(base->of_entry);
	base->of_entry = xcalloc(h->entries.len + 1, sizeof(*base->of_entry));
	hist_join_match(base->join, h, base->of_entry);
	for (uint32_t i = 0; i < h->order_nr; i++)
		if (base->of_entry[h->order[i]])
			met[base->of_entry[h->order[i]] - 1] = true;
	for (uint32_t i = 0; !b->own.hierarchy && i < base->rows.len; i++)
		if (!met[i]) {
			vec_push(&b->rows.missing, base->rows.data[i]);
			widen(b, &base->rows.data[i]);
		}
	free(met);
}

const char *browser_missing_cell(const struct browser *b, const struct row_missing *m, const struct hist_key *field)
{
	const struct hist_options *o = &browser_part(b)->hist->options;
	for (uint32_t i = 0; i < o->keys_nr; i++)
		if (o->keys[i].column == field->column && !strcmp(o->keys[i].header, field->header))
			return m->cells[i];
	return NULL;
}

void browser_base_deinit(struct browser *b)
{
	forget_base(&b->base);
	arena_deinit(&b->base.arena);
	strbuf_deinit(&b->base_name);
	free(b->base_path);
}

/* Call it after a change of the base. */
static void rematch(struct browser *b)
{
	struct browser_place place = browser_place(b);
	browser_match(b);
	browser_put_in_order(b);
	rows_filter(&b->rows, browser_zoom(b));
	browser_go_to(b, place);
}

static void end(struct browser *b)
{
	bool by_delta = browser_sorts_by_delta(b);
	b->has_base = false;
	forget_base(&b->base);
	strbuf_reset(&b->base_name);
	free(b->base_path);
	b->base_path = NULL;
	b->sort_field = by_delta ? 0 : b->sort_field;
	rematch(b);
}

static void take_shown(struct browser *b)
{
	take(b, &b->own, browser_part(b));
	rematch(b);
	strbuf_addstr(&b->base_name, "what was shown");
}

/* Gets the report of the base; false: b->message says why there is none. */
static bool read_base(struct browser *b, const char *path)
{
	const struct browse_hooks *h = b->ui.hooks;
	const struct report *report = NULL;
	if (!path)
		rows_forget(&b->rows);
	struct strobe_error *err = h->base(h->ctx, path, &report);
	if (err)
		strbuf_addstr(&b->message, err->message);
	else
		take(b, report, &report->parts[browser_part_named(report, strbuf_str(&b->event))]);
	error_destroy(err);
	if (path && report)
		rematch(b);
	/* The first minute has replaced the report shown. */
	if (!path)
		browser_renew(b);
	return report != NULL;
}

void browser_compare_with(struct browser *b, const char *path, const char *name)
{
	if (b->own.hierarchy)
		strbuf_addstr(&b->message, "levels are not compared");
	if (b->own.hierarchy || !read_base(b, path))
		return;
	strbuf_addstr(&b->base_name, name);
	b->base_path = path ? xstrdup(path) : NULL;
}

void browser_recompare(struct browser *b)
{
	if (b->base_path)
		(void)read_base(b, b->base_path);
}

/* ---- the order ---- */

bool browser_sorts_by_delta(const struct browser *b)
{
	return b->has_base && b->sort_field == (int)b->own.fields_nr;
}

struct place {
	int64_t size;
	uint32_t row, nth; /* as in struct row_line */
};

static int compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* Sorts by the absolute difference. */
void browser_order_by_delta(struct browser *b)
{
	struct hist *h = browser_part(b)->hist;
	size_t missing_nr = b->rows.missing.len, n = 0;
	struct place *places = xcalloc(h->order_nr + missing_nr + 1, sizeof(*places));
	browser_put_missing_last(b);
	for (; n < h->order_nr + missing_nr; n++) {
		uint32_t row = n < h->order_nr ? h->order[n] : (uint32_t)(h->entries.len + n - h->order_nr);
		places[n] = (struct place){ llabs(browser_delta(b, row)), row, (uint32_t)n };
	}
	qsort(places, n, sizeof(*places), compare_places);
	/* Rows that only the base has are in its order, since their shares are the differences. */
	uint32_t order_nr = 0, missing = 0;
	for (size_t i = 0; i < n; i++) {
		if (places[i].row < h->entries.len)
			h->order[order_nr++] = places[i].row;
		else
			b->rows.missing.data[missing++].at = order_nr;
	}
	free(places);
}

void browser_put_missing_last(struct browser *b)
{
	if (!b->rows.missing.len)
		return;
	qsort(b->rows.missing.data, b->rows.missing.len, sizeof(*b->rows.missing.data), compare_shares);
	for (size_t i = 0; i < b->rows.missing.len; i++)
		b->rows.missing.data[i].at = UINT32_MAX;
}

/* ---- the key ---- */

static void compare_with_file(struct browser *b)
{
	char *path = browser_choose_file(b);
	if (path)
		browser_compare_with(b, path, path);
	free(path);
}

void browser_compare(struct browser *b)
{
	const struct browse_hooks *h = b->ui.hooks;
	if (b->own.hierarchy || b->has_base) {
		strbuf_addstr(&b->message, b->has_base ? "no longer compared" : "levels are not compared");
		end(b);
		return;
	}
	const char *const items[] = { "The current profile", h->base_is_first_minute ? "The first minute" : "Another recording" };
	int chosen = h->base ? ui_menu(&b->ui, "Compare with", items, 2) : 0;
	if (chosen == 0)
		take_shown(b);
	else if (chosen == 1 && h->base_is_first_minute)
		browser_compare_with(b, NULL, "the first minute");
	else if (chosen == 1)
		compare_with_file(b);
	if (b->has_base)
		strbuf_addstr(&b->message,
			      "Delta: difference of percentages; '<' marks rows only in the other profile; < and > sort by it; "
			      "D ends the comparison");
}
