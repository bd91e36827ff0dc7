#include "view/text/table_text.h"

#include <inttypes.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

static void cell_text(struct strbuf *b, const struct table_column *column, const struct table_cell *c)
{
	strbuf_reset(b);
	if (!c->set)
		return;
	switch (column->type) {
	case TABLE_TEXT:
		strbuf_addstr(b, c->text);
		break;
	case TABLE_NUMBER:
		if (!isnan(c->number))
			strbuf_addf(b, "%.*f", (int)column->decimals, c->number);
		break;
	case TABLE_BOOL:
		strbuf_addstr(b, c->truth ? "yes" : "no");
		break;
	}
}

/* Text to the left, numbers to the right; the last column is not filled up. */
static void put(struct out *out, const struct table *t, size_t column, const char *text, const size_t *widths, bool last)
{
	size_t columns = text_columns(text), blanks = widths[column] > columns ? widths[column] - columns : 0;
	out_str(out, "  ");
	if (t->columns.data[column].type != TABLE_TEXT)
		out_fill(out, ' ', blanks);
	out_text_str(out, text);
	if (t->columns.data[column].type == TABLE_TEXT && !last)
		out_fill(out, ' ', blanks);
}

static size_t last_shown(const struct table *t)
{
	size_t last = 0;
	for (size_t i = 0; i < t->columns.len; i++)
		if (!t->columns.data[i].data_only)
			last = i;
	return last;
}

void table_text(struct out *out, const struct table *t)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_free_ size_t *widths = xcalloc(t->columns.len + 1, sizeof(*widths));
	size_t last = last_shown(t);
	for (size_t i = 0; i < t->columns.len; i++) {
		widths[i] = text_columns(t->columns.data[i].title);
		for (size_t row = 0; row < t->rows; row++) {
			cell_text(&b, &t->columns.data[i], table_cell(t, row, i));
			if (text_columns(strbuf_str(&b)) > widths[i])
				widths[i] = text_columns(strbuf_str(&b));
		}
	}
	for (size_t i = 0; i < t->facts.len; i++) {
		out_f(out, " %s: ", t->facts.data[i].key);
		out_text_str(out, t->facts.data[i].value);
		out_ch(out, '\n');
	}
	if (t->facts.len)
		out_ch(out, '\n');
	for (size_t i = 0; i < t->columns.len; i++)
		if (!t->columns.data[i].data_only)
			put(out, t, i, t->columns.data[i].title, widths, i == last);
	out_ch(out, '\n');
	for (size_t row = 0; row < t->rows; row++) {
		for (size_t i = 0; i < t->columns.len; i++) {
			if (t->columns.data[i].data_only)
				continue;
			cell_text(&b, &t->columns.data[i], table_cell(t, row, i));
			put(out, t, i, strbuf_str(&b), widths, i == last);
		}
		out_ch(out, '\n');
	}
	if (t->notes.len)
		out_ch(out, '\n');
	for (size_t i = 0; i < t->notes.len; i++) {
		out_ch(out, ' ');
		out_text_str(out, t->notes.data[i]);
		out_ch(out, '\n');
	}
}
