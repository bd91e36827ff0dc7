#include "view/text/layout_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PLACE_COLUMN 10
#define INDENT 4
#define RULE 76
#define STATS_RULE 59
#define MNEMONIC_COLUMN 20

static const struct {
	const char *title;
	unsigned width;
} columns[] = {
	[LISTING_SHOW_PERCENT] = { "Percent", 8 },
	[LISTING_SHOW_SAMPLES] = { "Samples", 8 },
	[LISTING_SHOW_PERIOD] = { "Period", 12 },
};

static void put_value(struct out *o, const struct layout *l, size_t row, size_t event, enum listing_shown shown)
{
	const struct listing_value *v = layout_value(l, row, event);
	uint64_t all = l->events.data[event].value;
	char text[32];
	switch (shown) {
	case LISTING_SHOW_PERCENT: snprintf(text, sizeof(text), "%.2f", all ? 100.0 * (double)v->value / (double)all : 0); break;
	case LISTING_SHOW_SAMPLES: snprintf(text, sizeof(text), "%" PRIu64, v->samples); break;
	case LISTING_SHOW_PERIOD: snprintf(text, sizeof(text), "%" PRIu64, v->value); break;
	}
	out_right(o, text, columns[shown].width);
}

static void put_place(struct out *o, uint64_t v)
{
	char text[32];
	snprintf(text, sizeof(text), "%#" PRIx64, v);
	out_ch(o, ' ');
	out_right(o, text, PLACE_COLUMN);
}

static void put_row(struct out *o, const struct layout *l, size_t row, enum listing_shown shown)
{
	const struct layout_row *r = &l->rows.data[row];
	for (size_t e = 0; e < l->events.len; e++)
		put_value(o, l, row, e, shown);
	put_place(o, r->offset);
	put_place(o, r->bytes);
	out_fill(o, ' ', 2 + INDENT * r->depth);
	out_text_str(o, r->type);
	out_ch(o, '\t');
	out_text_str(o, r->name);
	if (r->bits)
		out_f(o, ":%u", r->bits);
	out_str(o, r->has_members ? " {\n" : ";\n");
}

/* Closes what contains more than the next row does. */
static void put_ends(struct out *o, const struct layout *l, size_t row, unsigned margin)
{
	unsigned next = row + 1 < l->rows.len ? l->rows.data[row + 1].depth : 0;
	for (unsigned depth = l->rows.data[row].depth; depth-- > next;) {
		out_fill(o, ' ', margin + INDENT * depth);
		out_str(o, "};\n");
	}
}

void text_layout(struct out *o, const struct layout *l, enum listing_shown shown, bool with_events)
{
	uint64_t samples = 0;
	unsigned width = columns[shown].width * (unsigned)l->events.len;
	for (size_t e = 0; e < l->events.len; e++)
		samples += l->events.data[e].samples;
	out_str(o, "Annotate type: '");
	out_text_str(o, l->type);
	out_str(o, "' in ");
	out_text_str(o, l->object);
	out_f(o, " (%" PRIu64 " samples):\n", samples);
	for (size_t e = 0; with_events && e < l->events.len; e++) {
		out_f(o, " event[%zu] = ", e);
		out_text_str(o, l->events.data[e].name);
		out_ch(o, '\n');
	}
	out_fill(o, '=', RULE);
	out_ch(o, '\n');
	out_right(o, columns[shown].title, width);
	out_str(o, "     offset       size  field\n");
	for (size_t i = 0; i < l->rows.len; i++) {
		put_row(o, l, i, shown);
		put_ends(o, l, i, width + 2 * (PLACE_COLUMN + 1) + 2);
	}
	out_ch(o, '\n');
}

/* ---- how many are known ---- */

static void put_sum(struct out *o, const char *title, const struct layout_stats *s)
{
	uint64_t n = s->all.known + s->all.unknown;
	double percent = n ? 100.0 / (double)n : 0;
	out_text_str(o, title);
	out_f(o, "\ntotal %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n", n, s->all.known,
	      (double)s->all.known * percent, s->all.unknown, (double)s->all.unknown * percent);
}

static void put_rule(struct out *o)
{
	out_fill(o, '-', STATS_RULE);
	out_ch(o, '\n');
}

static void put_reason(struct out *o, const struct layout_count *c)
{
	out_f(o, "%10" PRIu64 " : ", c->unknown);
	out_text_str(o, c->name);
	out_ch(o, '\n');
}

void text_layout_reasons(struct out *o, const struct layout_stats *s)
{
	put_sum(o, "Annotate data type stats:", s);
	put_rule(o);
	for (size_t i = 0; i < s->reasons.len; i++)
		if (s->reasons.data[i].unknown)
			put_reason(o, &s->reasons.data[i]);
	out_ch(o, '\n');
}

void text_layout_mnemonics(struct out *o, const struct layout_stats *s)
{
	put_sum(o, "Annotate Instruction stats", s);
	out_str(o, "\n  Name/opcode         :  Good   Bad\n");
	put_rule(o);
	for (size_t i = 0; i < s->mnemonics.len; i++) {
		const struct layout_count *c = &s->mnemonics.data[i];
		size_t length = strlen(c->name);
		out_str(o, "  ");
		out_text_str(o, c->name);
		out_fill(o, ' ', length < MNEMONIC_COLUMN ? MNEMONIC_COLUMN - length : 0);
		out_f(o, ": %5" PRIu64 " %5" PRIu64 "\n", c->known, c->unknown);
	}
	out_ch(o, '\n');
}
