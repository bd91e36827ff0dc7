/* Comparing what is shown with something else, by name: what it has more, as a column. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/tui/browser_priv.h"

/* Of what is shown, in millionths. */
static int64_t share_of(const struct report *r, const struct report_part *part, uint32_t entry)
{
	const struct hist *h = part->hist;
	const struct hist_stat *s = hist_stats(h, &h->entries.data[entry]);
	uint64_t value = h->options.children ? s->children : s->period;
	return (int64_t)(report_percent(value, report_total(r, part, 0)) * 10000 + 0.5);
}

int64_t browser_delta(const struct browser *b, uint32_t entry)
{
	const uint64_t *base = u64map_get(&b->base, rows_name_id(&b->rows, entry));
	return share_of(&b->own, browser_part(b), entry) - (base ? (int64_t)*base : 0);
}

/* ---- the base ---- */

/* Of another part's entries nothing but their names and shares is kept. */
static void take(struct browser *b, const struct report *report, const struct report_part *part)
{
	const struct rows names = { .report = report, .part = part };
	u64map_deinit(&b->base);
	for (uint32_t i = 0; i < part->hist->order_nr; i++) {
		uint32_t entry = part->hist->order[i];
		*u64map_put(&b->base, rows_name_id(&names, entry), NULL) = (uint64_t)share_of(report, part, entry);
	}
	b->has_base = true;
}

static void end(struct browser *b)
{
	bool by_delta = browser_sorts_by_delta(b);
	b->has_base = false;
	u64map_deinit(&b->base);
	strbuf_reset(&b->base_name);
	free(b->base_path);
	b->base_path = NULL;
	if (by_delta)
		browser_sort(b, 0);
}

static void take_shown(struct browser *b)
{
	take(b, &b->own, browser_part(b));
	strbuf_addstr(&b->base_name, "what was shown");
}

/* The base's own report; false: there is none, and b->message says why. */
static bool ask(struct browser *b, const char *path)
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
	/* The first minute stood in the place of what is shown. */
	err = path ? NULL : browser_renew(b);
	if (err)
		b->ui.state = BROWSE_END;
	error_destroy(err);
	return report != NULL;
}

void browser_compare_with(struct browser *b, const char *path, const char *name)
{
	if (!ask(b, path))
		return;
	strbuf_addstr(&b->base_name, name);
	b->base_path = path ? xstrdup(path) : NULL;
	browser_filter(b);
}

void browser_compare_again(struct browser *b)
{
	if (b->base_path)
		(void)ask(b, b->base_path);
}

/* ---- the order ---- */

bool browser_sorts_by_delta(const struct browser *b)
{
	return b->has_base && b->sort_field == (int)b->own.fields_nr;
}

struct place {
	int64_t size;
	uint32_t entry, nth;
};

static int compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* What has changed most comes first, whichever way. */
void browser_order_by_delta(struct browser *b)
{
	struct hist *h = browser_part(b)->hist;
	struct place *places = xcalloc(h->order_nr + 1, sizeof(*places));
	for (uint32_t i = 0; i < h->order_nr; i++)
		places[i] = (struct place){ llabs(browser_delta(b, h->order[i])), h->order[i], i };
	qsort(places, h->order_nr, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < h->order_nr; i++)
		h->order[i] = places[i].entry;
	free(places);
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
	const char *const items[] = { "What is shown now", h->base_is_first_minute ? "The first minute" : "Another recording" };
	int chosen = h->base ? ui_menu(&b->ui, "Compare with", items, 2) : 0;
	if (chosen == 0)
		take_shown(b);
	else if (chosen == 1 && h->base_is_first_minute)
		browser_compare_with(b, NULL, "the first minute");
	else if (chosen == 1)
		compare_with_file(b);
	if (b->has_base)
		strbuf_addstr(&b->message, "Delta is what shares have more than there; < and > sort by it as well; D ends it");
}
