#include "view/text/listing_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define TAB 8
#define RAW_BYTES_A_LINE 7
#define LEAST_LINE_PERCENT 0.5 /* minimum share in the summary of lines */

struct lister {
	struct out *o;
	const struct listing *l;
	const struct listing_text_options *options;
	unsigned address_width;
	const struct listing_place *named; /* the last one written beside an instruction by -l */
};

/* ---- parts of lines ---- */

static unsigned hex_digits(uint64_t v)
{
	unsigned n = 1;
	for (; v >>= 4;)
		n++;
	return n;
}

/* Source text: tabs up to the next stop. */
static void put_source(struct out *o, const char *text, size_t n)
{
	size_t column = 0;
	for (size_t at = 0; at < n;) {
		const char *tab = memchr(text + at, '\t', n - at);
		size_t part = tab ? (size_t)(tab - text) - at : n - at;
		out_text(o, text + at, part);
		column += part;
		at += part;
		if (tab) {
			out_fill(o, ' ', TAB - column % TAB);
			column += TAB - column % TAB;
			at++;
		}
	}
}

static void put_name(struct out *o, const char *name)
{
	out_text(o, name, strlen(name));
}

static void put_symbol(struct out *o, const struct listing_symbol *s)
{
	out_hex(o, s->addr);
	if (!s->name)
		return;
	out_str(o, " <");
	put_name(o, s->name);
	if (s->offset) {
		out_str(o, "+0x");
		out_hex(o, s->offset);
	}
	out_ch(o, '>');
}

static void put_place(const struct lister *t, uint32_t file, uint32_t line, bool full)
{
	const char *path = t->l->files.data[file].path;
	put_name(t->o, full ? path : text_base_name(path));
	out_ch(t->o, ':');
	out_u64(t->o, line);
}

static const char *colour_of(const struct lister *t, double percent)
{
	return percent >= 5.0 ? t->options->colour_high : percent > 0.5 ? t->options->colour_medium : "";
}

/* The value of an instruction for one event, right-aligned. */
static void put_value(const struct lister *t, size_t insn, size_t event, unsigned width, bool blank_zero)
{
	const struct listing_value *v = listing_value(t->l, insn, event);
	double percent = listing_percent(t->l, event, v, t->options->share);
	const char *colour = colour_of(t, percent);
	char text[32];
	if (blank_zero && !v->samples) {
		out_fill(t->o, ' ', width);
		return;
	}
	switch (t->options->shown) {
	case LISTING_SHOW_PERCENT: snprintf(text, sizeof(text), "%.2f", percent); break;
	case LISTING_SHOW_SAMPLES: snprintf(text, sizeof(text), "%" PRIu64, v->samples); break;
	case LISTING_SHOW_PERIOD: snprintf(text, sizeof(text), "%" PRIu64, v->value); break;
	}
	out_str(t->o, colour);
	out_right(t->o, text, width);
	if (*colour)
		out_str(t->o, t->options->colour_off);
}

static const char *column_title(const struct listing_text_options *options)
{
	static const char *const titles[] = { "Percent", "Samples", "Period" };
	return titles[options->shown];
}

/* ---- the summary of lines ---- */

struct line_rank {
	double percent;
	uint32_t line;
};

static int compare_ranks(const void *a, const void *b, void *ctx)
{
	const struct line_rank *x = a, *y = b;
	const struct lister *t = ctx;
	if (x->percent != y->percent)
		return x->percent > y->percent ? -1 : 1;
	for (size_t e = 1; e < t->l->events.len; e++) {
		uint64_t vx = listing_line_value(t->l, x->line, e)->value, vy = listing_line_value(t->l, y->line, e)->value;
		if (vx != vy)
			return vx > vy ? -1 : 1;
	}
	return x->line < y->line ? -1 : 1;
}

static bool is_worth_naming(const struct lister *t, uint32_t line)
{
	for (size_t e = 0; e < t->l->events.len; e++)
		if (listing_percent(t->l, e, listing_line_value(t->l, line, e), t->options->share) > LEAST_LINE_PERCENT)
			return true;
	return false;
}

static void put_summary_line(const struct lister *t, uint32_t line)
{
	for (size_t e = 0; e < t->l->events.len; e++) {
		double percent = listing_percent(t->l, e, listing_line_value(t->l, line, e), t->options->share);
		const char *colour = colour_of(t, percent);
		out_str(t->o, colour);
		out_f(t->o, " %7.2f", percent);
		if (*colour)
			out_str(t->o, t->options->colour_off);
	}
	out_ch(t->o, ' ');
	put_place(t, t->l->lines.data[line].file, t->l->lines.data[line].line, t->options->full_paths);
	out_ch(t->o, '\n');
}

static void put_summary(const struct lister *t)
{
	struct line_rank *ranks = xcalloc(t->l->lines.len + 1, sizeof(*ranks));
	size_t n = 0;
	for (uint32_t i = 0; i < t->l->lines.len; i++)
		if (is_worth_naming(t, i))
			ranks[n++] = (struct line_rank){
				listing_percent(t->l, 0, listing_line_value(t->l, i, 0), t->options->share), i };
	qsort_r(ranks, n, sizeof(*ranks), compare_ranks, (void *)t);
	out_str(t->o, "\nSorted summary for file ");
	put_name(t->o, t->l->object_path);
	out_str(t->o, "\n----------------------------------------------\n\n");
	if (!n)
		out_str(t->o, " Nothing higher than 0.5%\n");
	for (size_t i = 0; i < n; i++)
		put_summary_line(t, ranks[i].line);
	free(ranks);
}

/* ---- --stdio ---- */

static unsigned value_width(const struct listing_text_options *options)
{
	return options->shown == LISTING_SHOW_PERIOD ? 12 : 8;
}

static void put_head(const struct lister *t)
{
	const struct listing *l = t->l;
	const struct listing_text_options *options = t->options;
	struct out line;
	size_t n;
	out_init_mem(&line);
	out_ch(&line, ' ');
	out_left(&line, column_title(options), value_width(options) * l->events.len);
	out_str(&line, "|\tSource code & Disassembly of ");
	put_name(&line, options->full_paths ? l->object_path : l->object);
	out_str(&line, " for ");
	put_name(&line, options->title);
	out_f(&line, " (%" PRIu64 " samples, percent: %s)\n", l->events.data[0].samples, listing_share_name(options->share));
	const char *text = out_mem(&line, &n);
	out_write(t->o, text, n);
	out_fill(t->o, '-', n + 4);
	out_ch(t->o, '\n');
	error_destroy(out_close(&line));
}

/* The left margin of lines without an instruction, with a line number or 0. */
static void put_margin(const struct lister *t, uint32_t line)
{
	char number[16] = "";
	out_fill(t->o, ' ', value_width(t->options) * t->l->events.len);
	out_str(t->o, " : ");
	if (line)
		snprintf(number, sizeof(number), "%" PRIu32, line);
	out_left(t->o, number, t->address_width);
	out_ch(t->o, ' ');
}

static void put_blank(const struct lister *t)
{
	out_fill(t->o, ' ', value_width(t->options) * t->l->events.len);
	out_str(t->o, " :\n");
}

/* Mnemonic and operands, with names for numbers, as objdump writes them. */
static void put_insn_text(const struct lister *t, const struct listing_insn *insn)
{
	if (insn->target_bytes) {
		out_write(t->o, insn->text, insn->target_at);
		put_symbol(t->o, &insn->target);
		out_str(t->o, insn->text + insn->target_at + insn->target_bytes);
	} else {
		out_str(t->o, insn->text);
	}
	if (insn->has_reference) {
		out_str(t->o, "        # ");
		put_symbol(t->o, &insn->reference);
	}
	if (insn->data_type) {
		out_str(t->o, "\t\t# data-type: ");
		put_name(t->o, insn->data_type);
	}
}

static void put_address(const struct lister *t, uint64_t addr)
{
	unsigned digits = hex_digits(addr) + 1;
	out_str(t->o, t->options->colour_address);
	out_str(t->o, "  ");
	out_hex(t->o, addr);
	out_ch(t->o, ':');
	out_str(t->o, *t->options->colour_address ? t->options->colour_off : "");
	out_str(t->o, t->options->colour_code);
	out_fill(t->o, ' ', TAB - digits % TAB);
}

static void put_raw(struct out *o, const uint8_t *code, size_t n, bool pad)
{
	for (size_t i = 0; i < n; i++) {
		out_hex_width(o, code[i], 2, '0');
		out_ch(o, ' ');
	}
	if (pad)
		out_fill(o, ' ', 3 * (RAW_BYTES_A_LINE - n) + 3);
}

static bool cost_something(const struct lister *t, size_t insn)
{
	for (size_t e = 0; e < t->l->events.len; e++)
		if (listing_percent(t->l, e, listing_value(t->l, insn, e), t->options->share) > LEAST_LINE_PERCENT)
			return true;
	return false;
}

static void put_line_beside(struct lister *t, size_t i)
{
	uint32_t id = t->l->insns.data[i].place;
	const struct listing_place *p = id == LISTING_NONE ? NULL : &t->l->places.data[id];
	if (!p || p->file == LISTING_NONE || !cost_something(t, i))
		return;
	if (t->named && t->named->file == p->file && t->named->line == p->line)
		return;
	t->named = p;
	out_str(t->o, " // ");
	put_place(t, p->file, p->line, t->options->full_paths);
}

static void put_insn(struct lister *t, uint32_t i)
{
	const struct listing_insn *insn = &t->l->insns.data[i];
	const char *off = *t->options->colour_code ? t->options->colour_off : "";
	size_t raw = t->options->raw_bytes ? insn->bytes : 0, first = raw < RAW_BYTES_A_LINE ? raw : RAW_BYTES_A_LINE;
	for (size_t e = 0; e < t->l->events.len; e++)
		put_value(t, i, e, value_width(t->options), false);
	out_str(t->o, " : ");
	put_address(t, insn->addr);
	if (raw)
		put_raw(t->o, insn->code, first, true);
	put_insn_text(t, insn);
	out_str(t->o, off);
	if (t->options->lines)
		put_line_beside(t, i);
	out_ch(t->o, '\n');
	for (size_t at = first; at < raw; at += RAW_BYTES_A_LINE) {
		out_fill(t->o, ' ', value_width(t->options) * t->l->events.len);
		out_str(t->o, " : ");
		put_address(t, insn->addr + at);
		put_raw(t->o, insn->code + at, raw - at < RAW_BYTES_A_LINE ? raw - at : RAW_BYTES_A_LINE, false);
		out_str(t->o, off);
		out_ch(t->o, '\n');
	}
}

static void put_function(const struct lister *t, uint32_t insn)
{
	put_name(t->o, t->l->places.data[t->l->insns.data[insn].place].function);
	out_str(t->o, "():");
}

static void put_source_row(const struct lister *t, const struct listing_row *row)
{
	size_t n;
	const char *text = lines_get(&t->l->files.data[row->file].text, row->line, &n);
	if (text)
		put_source(t->o, text, n);
}

static void put_row(struct lister *t, const struct listing_row *row)
{
	switch (row->kind) {
	case LISTING_ROW_SECTION:
		put_blank(t);
		put_margin(t, 0);
		out_str(t->o, "Disassembly of section ");
		put_name(t->o, t->l->section);
		out_str(t->o, ":\n");
		return;
	case LISTING_ROW_SYMBOL:
		put_blank(t);
		put_margin(t, 0);
		out_hex_width(t->o, t->l->start, 16, '0');
		out_str(t->o, " <");
		put_name(t->o, t->l->symbol);
		out_str(t->o, ">:\n");
		return;
	case LISTING_ROW_FUNCTION:
		put_margin(t, 0);
		put_function(t, row->insn);
		break;
	case LISTING_ROW_SOURCE:
		put_margin(t, row->line);
		put_source_row(t, row);
		break;
	case LISTING_ROW_PLACE:
		put_margin(t, 0);
		put_place(t, row->file, row->line, true);
		break;
	case LISTING_ROW_INSN:
		put_insn(t, row->insn);
		return;
	}
	out_ch(t->o, '\n');
}

/* -v: each address that was hit. */
static void put_counts(const struct lister *t)
{
	for (size_t i = 0; i < t->l->insns.len; i++) {
		uint64_t samples = 0;
		for (size_t e = 0; e < t->l->events.len; e++)
			samples += listing_value(t->l, i, e)->samples;
		if (samples)
			out_f(t->o, "%32" PRIx64 ": %" PRIu64 "\n", t->l->insns.data[i].addr, samples);
	}
}

/* Headings and source lines belong to the instruction after them. */
static bool is_shown(const struct lister *t, const struct listing_rows *rows, size_t i)
{
	while (i < rows->len && rows->data[i].kind != LISTING_ROW_INSN)
		i++;
	for (size_t e = 0; i < rows->len && e < t->l->events.len; e++) {
		const struct listing_value *v = listing_value(t->l, rows->data[i].insn, e);
		if (listing_percent(t->l, e, v, t->options->share) >= t->options->least_percent)
			return true;
	}
	return false;
}

void text_listing(struct out *o, const struct listing *l, const struct listing_text_options *options)
{
	struct lister t = { .o = o, .l = l, .options = options, .address_width = hex_digits(l->end) };
	struct listing_rows rows = {};
	if (options->lines)
		put_summary(&t);
	put_head(&t);
	if (options->counts)
		put_counts(&t);
	listing_rows(l, (struct listing_rows_options){ .with_source = options->with_source }, &rows);
	for (size_t i = 0; i < rows.len; i++)
		if (options->least_percent <= 0 || is_shown(&t, &rows, i))
			put_row(&t, &rows.data[i]);
	out_ch(o, '\n');
	vec_deinit(&rows);
}

/* ---- --stdio2 ---- */

struct compact {
	struct lister t;
	unsigned value_width, offset_width, mnemonic_width;
};

static size_t mnemonic_bytes(const char *text)
{
	return strcspn(text, " ");
}

static void measure(struct compact *c)
{
	const struct listing *l = c->t.l;
	uint64_t most = 0;
	for (size_t i = 0; i < l->insns.len; i++) {
		const struct listing_insn *insn = &l->insns.data[i];
		size_t n = mnemonic_bytes(insn->text);
		if (insn->jumps_here)
			most = insn->addr - l->start;
		if (n > c->mnemonic_width)
			c->mnemonic_width = (unsigned)n;
	}
	c->offset_width = hex_digits(most);
	c->value_width = c->t.options->shown == LISTING_SHOW_PERIOD ? 12 : 7;
}

static const char *arrow_of(const struct listing *l, const struct listing_insn *insn)
{
	switch ((enum listing_flow)insn->flow) {
	case LISTING_JUMP:
	case LISTING_BRANCH:
		if (insn->target_insn == LISTING_NONE)
			return "→ ";
		return l->insns.data[insn->target_insn].addr > insn->addr ? "↓ " : "↑ ";
	case LISTING_CALL:
		return "→ ";
	case LISTING_RETURN:
		return "← ";
	case LISTING_NEXT:
	case LISTING_TRAP:
	case LISTING_BAD:
		break;
	}
	return "  ";
}

/* Within the function targets are offsets; elsewhere names. */
static void put_compact_target(const struct compact *c, const struct listing_insn *insn)
{
	struct out *o = c->t.o;
	if (insn->target_insn != LISTING_NONE) {
		out_hex(o, insn->target.addr - c->t.l->start);
		return;
	}
	if (!insn->target.name) {
		out_str(o, "0x");
		out_hex(o, insn->target.addr);
		return;
	}
	put_name(o, insn->target.name);
	if (insn->target.offset) {
		out_str(o, "+0x");
		out_hex(o, insn->target.offset);
	}
}

static void put_compact_text(const struct compact *c, const struct listing_insn *insn)
{
	struct out *o = c->t.o;
	const char *text = insn->text;
	size_t n = mnemonic_bytes(text), operands = n + strspn(text + n, " ");
	out_write(o, text, n);
	if (!text[operands])
		return;
	out_fill(o, ' ', c->mnemonic_width - n + 1);
	if (insn->target_bytes && insn->target_at >= operands) {
		out_write(o, text + operands, insn->target_at - operands);
		put_compact_target(c, insn);
		out_str(o, text + insn->target_at + insn->target_bytes);
	} else {
		out_str(o, text + operands);
	}
	if (insn->has_reference) {
		out_str(o, "        # ");
		put_symbol(o, &insn->reference);
	}
}

static void put_compact_margin(const struct compact *c)
{
	out_fill(c->t.o, ' ', c->value_width * c->t.l->events.len + c->offset_width + 3);
}

static void put_compact_insn(const struct compact *c, uint32_t i)
{
	struct out *o = c->t.o;
	const struct listing_insn *insn = &c->t.l->insns.data[i];
	for (size_t e = 0; e < c->t.l->events.len; e++) {
		put_value(&c->t, i, e, c->value_width - 1, true);
		out_ch(o, ' ');
	}
	out_ch(o, ' ');
	out_str(o, c->t.options->colour_address);
	if (insn->jumps_here) {
		out_hex_width(o, insn->addr - c->t.l->start, c->offset_width, ' ');
		out_ch(o, ':');
	} else {
		out_fill(o, ' ', c->offset_width + 1);
	}
	out_str(o, *c->t.options->colour_address ? c->t.options->colour_off : "");
	out_ch(o, ' ');
	out_str(o, arrow_of(c->t.l, insn));
	out_str(o, c->t.options->colour_code);
	if (c->t.options->raw_bytes) {
		put_raw(o, insn->code, insn->bytes, insn->bytes <= RAW_BYTES_A_LINE);
		put_insn_text(&c->t, insn);
	} else {
		put_compact_text(c, insn);
	}
	out_str(o, *c->t.options->colour_code ? c->t.options->colour_off : "");
}

static void put_compact_row(const struct compact *c, const struct listing_row *row)
{
	struct out *o = c->t.o;
	if (row->kind == LISTING_ROW_INSN) {
		put_compact_insn(c, row->insn);
		out_ch(o, '\n');
		return;
	}
	if (row->kind == LISTING_ROW_SECTION || row->kind == LISTING_ROW_SYMBOL)
		out_ch(o, '\n');
	put_compact_margin(c);
	switch (row->kind) {
	case LISTING_ROW_SECTION:
		out_str(o, "Disassembly of section ");
		put_name(o, c->t.l->section);
		out_ch(o, ':');
		break;
	case LISTING_ROW_SYMBOL:
		out_hex_width(o, c->t.l->start, 16, '0');
		out_str(o, " <");
		put_name(o, c->t.l->symbol);
		out_str(o, ">:");
		break;
	case LISTING_ROW_FUNCTION: put_function(&c->t, row->insn); break;
	case LISTING_ROW_SOURCE: put_source_row(&c->t, row); break;
	case LISTING_ROW_PLACE: put_place(&c->t, row->file, row->line, true); break;
	case LISTING_ROW_INSN: break;
	}
	out_ch(o, '\n');
}

static void put_compact_head(const struct compact *c)
{
	struct out *o = c->t.o;
	const struct listing *l = c->t.l;
	uint64_t samples = 0, value = 0, hz = l->events.data[0].frequency_hz;
	for (size_t e = 0; e < l->events.len; e++) {
		samples += l->events.data[e].samples;
		value += l->events.data[e].value;
	}
	out_f(o, "Samples: %" PRIu64 "  of event%s '", samples, l->events.len > 1 ? "s" : "");
	put_name(o, c->t.options->title);
	out_str(o, "', ");
	if (hz)
		out_f(o, "%" PRIu64 " Hz, ", hz);
	out_f(o, "Event count (approx.): %" PRIu64 ", [percent: %s]\n", value, listing_share_name(c->t.options->share));
	put_name(o, l->symbol);
	out_str(o, "() ");
	put_name(o, l->object_path);
	out_ch(o, '\n');
	out_str(o, column_title(c->t.options));
	out_ch(o, '\n');
}

void text_listing_compact(struct out *o, const struct listing *l, const struct listing_text_options *options)
{
	struct compact c = { .t = { .o = o, .l = l, .options = options } };
	struct listing_rows rows = {};
	measure(&c);
	if (options->lines)
		put_summary(&c.t);
	put_compact_head(&c);
	listing_rows(l, (struct listing_rows_options){ .with_source = options->with_source }, &rows);
	for (size_t i = 0; i < rows.len; i++)
		put_compact_row(&c, &rows.data[i]);
	vec_deinit(&rows);
}
