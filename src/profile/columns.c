/* The table of columns; order and text of cells, by kind. */
#include "profile/columns.h"

#include <stdio.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/cells_priv.h"

#define SUM(name, field, ...) \
	static const struct column_sum sum_##name = { .offset = offsetof(struct hist_stat, field), __VA_ARGS__ }

SUM(overhead, period, .kind = COLUMN_SHARE);
SUM(latency, latency, .kind = COLUMN_SHARE, .of_elapsed = true);
SUM(overhead_sys, sys, .kind = COLUMN_SHARE);
SUM(overhead_us, user, .kind = COLUMN_SHARE);
SUM(overhead_guest_sys, guest_sys, .kind = COLUMN_SHARE);
SUM(overhead_guest_us, guest_user, .kind = COLUMN_SHARE);
SUM(overhead_children, children, .kind = COLUMN_SHARE, .of_children = true);
SUM(latency_children, latency_children, .kind = COLUMN_SHARE, .of_children = true, .of_elapsed = true);
SUM(sample, samples, .kind = COLUMN_COUNT);
SUM(period, period, .kind = COLUMN_COUNT);
SUM(ci, period, .kind = COLUMN_INTERVAL);
SUM(op, period, .kind = COLUMN_DIVIDED, .division = ACCESS_OP);
SUM(cache, period, .kind = COLUMN_DIVIDED, .division = ACCESS_CACHE);
SUM(memory, period, .kind = COLUMN_DIVIDED, .division = ACCESS_MEMORY);
SUM(snoop, period, .kind = COLUMN_DIVIDED, .division = ACCESS_SNOOP);
SUM(dtlb, period, .kind = COLUMN_DIVIDED, .division = ACCESS_DTLB);

#define WHAT_FRAME(what)  .cells = &cells_##what
#define WHAT_LABELS(what) .cells = &cells_##what
#define WHAT_STACK(what)  .cells = &cells_##what
#define WHAT_VALUES(what) .sum = &sum_##what

const struct column columns[COLUMNS_NR] = {
#define COLUMN(id_, name_, header_, from_, set_, what_, needs_, width_, labels_)                                        \
	{ .id = COLUMN_##id_, .name = name_, .header = header_, .from = COLUMN_FROM_##from_, .set = COLUMN_SET_##set_,  \
	  WHAT_##from_(what_), .needs = COLUMN_NEEDS_##needs_, .width = width_, .labels = labels_ },
#include "profile/columns.def"
#undef COLUMN
};

const struct column *column_find(const char *word, size_t length)
{
	if (!length)
		return NULL;
	for (size_t i = 0; i < COLUMNS_NR; i++)
		if (strlen(columns[i].name) == length && !strncasecmp(columns[i].name, word, length))
			return &columns[i];
	for (size_t i = 0; i < COLUMNS_NR; i++)
		if (!strncasecmp(columns[i].name, word, length) && columns[i].set != COLUMN_SET_FIELDS)
			return &columns[i];
	return NULL;
}

const struct column *column_find_divided(const char *word, size_t length)
{
	for (size_t i = COLUMN_OP_SUMS; length && i <= COLUMN_DTLB_SUMS; i++)
		if (!strncasecmp(columns[i].name, word, length))
			return &columns[i];
	return NULL;
}

const char *column_nearest(const char *word, size_t length)
{
	const char *names[COLUMNS_NR];
	_cleanup_free_ char *name = xstrndup(word, length);
	for (size_t i = 0; i < COLUMNS_NR; i++)
		names[i] = columns[i].name;
	return text_nearest(name, names, COLUMNS_NR);
}

/* ---- order ---- */

int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return a == b ? 0 : strcmp(a, b);
}

int compare_label_words(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_u64(k->column->cells->word(h, hist_label(h, a, k->label, 0)),
			   k->column->cells->word(h, hist_label(h, b, k->label, 0)));
}

/* Equal strings of the profile have the same ID, and need no comparison. */
static int compare_strings(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	uint64_t x = hist_label(h, a, k->label, 0), y = hist_label(h, b, k->label, 0);
	return x == y ? 0 : strcmp(profile_str(h->profile, (str_id)x), profile_str(h->profile, (str_id)y));
}

static int compare_labels(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	if (label_is_string(h, k->label))
		return compare_strings(h, k, a, b);
	int64_t x = (int64_t)hist_label(h, a, k->label, 0), y = (int64_t)hist_label(h, b, k->label, 0);
	int order = x < y ? -1 : x > y;
	return order ? order : compare_u64(hist_label(h, a, k->label2, 0), hist_label(h, b, k->label2, 0));
}

int column_compare(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct column_cells *c = k->column->cells;
	if (c->name)
		return compare_names(c->name(h, k, a), c->name(h, k, b));
	return c->compare ? c->compare(h, k, a, b) : compare_labels(h, k, a, b);
}

int column_compare_identity(const struct hist *h, const struct hist_key *k, const struct hist_entry *a,
			    const struct hist_entry *b)
{
	if (k->column->from == COLUMN_FROM_VALUES)
		return 0;
	return k->column->cells->identity ? k->column->cells->identity(h, k, a, b) : column_compare(h, k, a, b);
}

/* ---- text ---- */

void add_left(struct strbuf *out, const char *s, unsigned width)
{
	size_t n = strlen(s);
	if (width && n > width)
		n = width;
	strbuf_add(out, s, n);
	for (; n < width; n++)
		strbuf_addch(out, ' ');
}

/* perf writes no 0x before an address of 0. */
void add_address(struct strbuf *out, uint64_t addr)
{
	strbuf_addf(out, "%-#.*llx", ADDRESS_DIGITS, (unsigned long long)addr);
}

void add_number(struct strbuf *out, const char *format, unsigned width, uint64_t v)
{
	char text[40];
	snprintf(text, sizeof(text), format, (unsigned long long)v);
	add_left(out, text, width);
}

void column_format(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
		   struct strbuf *out)
{
	const struct column_cells *c = k->column->cells;
	if (c->format)
		c->format(h, k, e, width, out);
	else
		add_left(out, c->text(h, k, e), width);
}

unsigned measure_header(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return k->column->width;
}

unsigned column_measure(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const struct column_cells *c = k->column->cells;
	if (c->measure)
		return c->measure(h, k, e);
	if (c->text)
		return (unsigned)strlen(c->text(h, k, e));
	_cleanup_strbuf_ struct strbuf b = {};
	c->format(h, k, e, 0, &b);
	return (unsigned)b.len;
}

bool column_is_number(const struct hist *h, const struct hist_key *k)
{
	return k->column->cells->is_number && k->label != PROFILE_NONE && !label_is_string(h, k->label);
}

void column_format_plain(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, struct strbuf *out)
{
	if (k->column->cells->plain) {
		k->column->cells->plain(h, k, e, out);
		return;
	}
	column_format(h, k, e, 0, out);
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}
