#include "diff/streams.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

/* ---- one event ---- */

/* The hottest streams of an event on both sides. */
struct hottest {
	struct report_stream streams[2][DIFF_STREAMS];
	uint32_t nr[2];
	uint64_t periods[2];                 /* of all streams */
	uint32_t partners[2][DIFF_STREAMS];  /* 1 + the matching stream of the other side; 0: none */
};

static bool same_paths(const struct diff_streams *s, const struct report_stream *a, const struct report_stream *b)
{
	if (a->path_nr != b->path_nr)
		return false;
	for (uint32_t i = 0; i < a->path_nr; i++) {
		struct stream_place x = report_stream_place(s->sides[0], a->path[i]), y = report_stream_place(s->sides[1], b->path[i]);
		if (strcmp(x.function, y.function) || strcmp(x.line, y.line))
			return false;
	}
	return true;
}

static void match(const struct diff_streams *s, struct hottest *h)
{
	for (uint32_t i = 0; i < h->nr[0]; i++)
		for (uint32_t j = 0; j < h->nr[1] && !h->partners[0][i]; j++) {
			if (h->partners[1][j] || !same_paths(s, &h->streams[0][i], &h->streams[1][j]))
				continue;
			h->partners[0][i] = j + 1;
			h->partners[1][j] = i + 1;
		}
}

static struct hottest hottest_of(const struct diff_streams *s, uint32_t event)
{
	struct hottest h = {};
	for (uint32_t side = 0; side < 2; side++) {
		const struct report_part *part = s->diff->events[event].parts[side];
		h.nr[side] = part ? report_streams_hottest(s->sides[side], part, DIFF_STREAMS, h.streams[side]) : 0;
		h.periods[side] = part ? report_streams_period(s->sides[side], part) : 0;
	}
	match(s, &h);
	return h;
}

static double percent_of(const struct hottest *h, uint32_t side, const struct report_stream *x)
{
	return h->periods[side] ? 100.0 * (double)x->period / (double)h->periods[side] : 0;
}

struct strobe_error *diff_streams_read(struct diff_streams *s, const struct diff *d)
{
	*s = (struct diff_streams){ .diff = d };
	for (uint32_t side = 0; side < 2; side++) {
		struct strobe_error *err = report_read_streams(&d->inputs[side].report, &s->sides[side]);
		if (err)
			return error_prefix(err, "%s", d->inputs[side].path);
	}
	return NULL;
}

void diff_streams_deinit(struct diff_streams *s)
{
	report_streams_destroy(s->sides[0]);
	report_streams_destroy(s->sides[1]);
}

/* ---- text ---- */

#define STREAM_WIDTH 35 /* of a side: perf's */

static void head_text(const struct hottest *h, uint32_t side, const struct report_stream *x, struct strbuf *ret)
{
	strbuf_reset(ret);
	strbuf_addf(ret, "cycles: %" PRIu64 ", hits: %.2f%%", x->cycles, percent_of(h, side, x));
}

static void place_text(const struct diff_streams *s, uint32_t side, const struct report_stream *x, uint32_t i, struct strbuf *ret)
{
	struct stream_place p = report_stream_place(s->sides[side], x->path[i]);
	strbuf_reset(ret);
	strbuf_addf(ret, "%s %s", p.function, p.line);
}

/* Texts of both sides; NULL: nothing of that side. */
static void put_line(struct out *out, const char *before, const char *after)
{
	out_text_right(out, before ? before : "", STREAM_WIDTH);
	if (after) {
		out_ch(out, '\t');
		out_text_right(out, after, STREAM_WIDTH);
	}
	out_ch(out, '\n');
}

static void put_pair(const struct diff_streams *s, const struct hottest *h, uint32_t i, struct out *out)
{
	const struct report_stream *a = &h->streams[0][i], *b = &h->streams[1][h->partners[0][i] - 1];
	_cleanup_strbuf_ struct strbuf x = {};
	_cleanup_strbuf_ struct strbuf y = {};
	head_text(h, 0, a, &x);
	head_text(h, 1, b, &y);
	put_line(out, strbuf_str(&x), strbuf_str(&y));
	put_line(out, "---------------------------", "--------------------------");
	for (uint32_t p = 0; p < a->path_nr; p++) {
		place_text(s, 0, a, p, &x);
		place_text(s, 1, b, p, &y);
		put_line(out, strbuf_str(&x), strbuf_str(&y));
	}
}

static void put_single(const struct diff_streams *s, const struct hottest *h, uint32_t side, uint32_t i, struct out *out)
{
	const struct report_stream *a = &h->streams[side][i];
	_cleanup_strbuf_ struct strbuf x = {};
	const char *rule = "--------------------------";
	head_text(h, side, a, &x);
	put_line(out, side ? NULL : strbuf_str(&x), side ? strbuf_str(&x) : NULL);
	put_line(out, side ? NULL : rule, side ? rule : NULL);
	for (uint32_t p = 0; p < a->path_nr; p++) {
		place_text(s, side, a, p, &x);
		put_line(out, side ? NULL : strbuf_str(&x), side ? strbuf_str(&x) : NULL);
	}
}

static void put_number(struct out *out, const char *name, uint32_t *number)
{
	out_ch(out, '\n');
	out_str(out, name);
	out_u64(out, ++*number);
	out_str(out, ":\n");
}

static void event_text(const struct diff_streams *s, uint32_t event, struct out *out)
{
	static const char *const only[] = { "\n[ Hot streams in old perf data only ]\n", "\n[ Hot streams in new perf data only ]\n" };
	const struct hottest h = hottest_of(s, event);
	uint32_t pairs = 0;
	out_str(out, "[ Matched hot streams ]\n");
	for (uint32_t i = 0; i < h.nr[0]; i++)
		if (h.partners[0][i]) {
			put_number(out, "hot chain pair ", &pairs);
			put_pair(s, &h, i, out);
		}
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t singles = 0;
		out_str(out, only[side]);
		for (uint32_t i = 0; i < h.nr[side]; i++)
			if (!h.partners[side][i]) {
				put_number(out, "hot chain ", &singles);
				put_single(s, &h, side, i, out);
			}
	}
}

void diff_streams_text(const struct diff_streams *s, struct out *out)
{
	for (uint32_t i = 0; i < s->diff->events_nr; i++) {
		if (s->diff->events_nr > 1) {
			out_str(out, i ? "\n# Event '" : "# Event '");
			out_str(out, diff_event_at(s->diff, i).name);
			out_str(out, "'\n");
		}
		event_text(s, i, out);
	}
}

/* ---- table ---- */

enum { EVENT, SAMPLES, CYCLES = SAMPLES + 2, SHARE = CYCLES + 2, PATH = SHARE + 2 }; /* of the first side, and the other one */

static void put_values(struct table *t, const struct hottest *h, uint32_t side, const struct report_stream *x)
{
	table_set_count(t, SAMPLES + side, x->samples);
	table_set_count(t, CYCLES + side, x->cycles);
	table_set_number(t, SHARE + side, percent_of(h, side, x));
}

static void put_path(struct table *t, const struct diff_streams *s, uint32_t side, const struct report_stream *x)
{
	struct table_item *items = arena_new_array(&t->arena, struct table_item, x->path_nr);
	for (uint32_t i = 0; i < x->path_nr; i++) {
		struct stream_place p = report_stream_place(s->sides[side], x->path[i]);
		items[i] = (struct table_item){ .text = arena_printf(&t->arena, "%s %s", p.function, p.line) };
	}
	table_set_items(t, PATH, items, x->path_nr);
}

static void put_event(struct table *t, const struct diff_streams *s, uint32_t event)
{
	const struct hottest h = hottest_of(s, event);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < h.nr[side]; i++) {
			uint32_t partner = h.partners[side][i];
			if (side && partner)
				continue;
			table_row(t);
			table_set_text(t, EVENT, diff_event_at(s->diff, event).name);
			put_values(t, &h, side, &h.streams[side][i]);
			if (partner)
				put_values(t, &h, 1, &h.streams[1][partner - 1]);
			put_path(t, s, side, &h.streams[side][i]);
		}
}

void diff_streams_table(const struct diff_streams *s, struct table *ret)
{
	static const struct table_column columns[] = {
		[EVENT] = { .key = "event", .type = TABLE_TEXT },
		[SAMPLES] = { .key = "baseline_samples", .type = TABLE_COUNT },
		[SAMPLES + 1] = { .key = "samples", .type = TABLE_COUNT },
		[CYCLES] = { .key = "baseline_cycles", .type = TABLE_COUNT },
		[CYCLES + 1] = { .key = "cycles", .type = TABLE_COUNT },
		[SHARE] = { .key = "baseline_percent", .type = TABLE_NUMBER },
		[SHARE + 1] = { .key = "percent", .type = TABLE_NUMBER },
		[PATH] = { .key = "path", .type = TABLE_ITEMS, .items = TABLE_ITEMS_LIST },
	};
	table_init(ret, "strobe-diff-streams", 1);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(ret, columns[i]);
	for (uint32_t i = 0; i < s->diff->events_nr; i++)
		put_event(ret, s, i);
}
