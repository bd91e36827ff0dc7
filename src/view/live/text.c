#include "view/live/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "session/live/describe.h"
#include "session/report/code.h"
#include "view/data/data.h"
#include "view/text/lines.h"
#include "view/text/text.h"

/* Lines around the rows of a report. */
#define HEAD_LINES 11

/* ---- the code of a function ---- */

/* The row of the function, in the first event that has one. */
static const struct hist_entry *find_row(const struct report *r, const char *name, const struct report_part **ret_part)
{
	for (uint32_t i = 0; i < r->parts_nr; i++) {
		const struct hist *h = r->parts[i].hist;
		for (uint32_t j = 0; j < h->order_nr; j++) {
			const struct hist_entry *e = &h->entries.data[h->order[j]];
			const struct profile_function *f = hist_function(h, e);
			*ret_part = &r->parts[i];
			if (f && f->mapping != PROFILE_NONE && !strcmp(profile_str(h->profile, f->name), name))
				return e;
		}
	}
	return NULL;
}

static struct strobe_error *print_code(struct out *o, struct live_report *r, const struct report *report,
				       const struct live_display *display, const struct live_text *options)
{
	const struct report_request *request = &r->report.request;
	const struct report_part *part;
	const struct hist_entry *row = find_row(report, display->function, &part);
	struct listing *l;
	if (!row) {
		out_str(o, "no samples in ");
		out_text_str(o, display->function);
		out_ch(o, '\n');
		return NULL;
	}
	const struct profile_function *f = hist_function(part->hist, row);
	TRY(report_listing(&r->report, r->report.profile, part, f->mapping, f->start, &l));
	struct listing_text_options text = options->style;
	text.shown = request->grouping.show_samples ? LISTING_SHOW_SAMPLES :
		     request->grouping.show_period  ? LISTING_SHOW_PERIOD : LISTING_SHOW_PERCENT;
	text.with_source = !request->code.look.no_source;
	text.raw_bytes = request->code.look.raw;
	text.title = part->event_name;
	text.least_percent = display->code_least_percent;
	text_listing(o, l, &text);
	listing_destroy(l);
	return NULL;
}

/* ---- a report ---- */

/* One event of several. A report of events that have no samples may lack it. */
static struct report choose_event(const struct live_report *r, const struct live_display *display, const struct report *report)
{
	struct report ret = *report;
	if (!display->event)
		return ret;
	const char *name = live_env(&r->live)->events.data[display->event - 1].name;
	for (uint32_t i = 0; i < report->parts_nr; i++)
		if (!strcmp(report->parts[i].event_name, name)) {
			ret.parts = report->parts + i;
			ret.parts_nr = 1;
		}
	return ret;
}

static void print_head(struct out *o, const struct live_report *r, unsigned columns)
{
	_cleanup_strbuf_ struct strbuf head = {};
	live_describe(&r->live, &head);
	out_write(o, head.data, head.len);
	out_ch(o, '\n');
	out_fill(o, '-', columns);
	out_ch(o, '\n');
}

static const char *escape(const char *colour)
{
	return colour && *colour ? colour : NULL;
}

static void print_rows(struct out *o, struct live_report *r, const struct report *report, const struct live_text *options)
{
	struct report_text text = report_text(&r->report);
	text.tip = NULL;
	text.colour_high = escape(options->style.colour_high);
	text.colour_medium = escape(options->style.colour_medium);
	text.colour_off = escape(options->style.colour_off);
	text_report(o, report, &text);
}

static struct strobe_error *print_text(struct out *o, struct live_report *r, const struct report *all, const struct live_display *display,
				       const struct live_text *options)
{
	struct report report = choose_event(r, display, all);
	struct strobe_error *err = NULL;
	struct out text;
	size_t n;
	out_init_mem(&text);
	print_head(&text, r, options->is_terminal ? options->columns : 80);
	if (display->function)
		err = print_code(&text, r, &report, display, options);
	else
		print_rows(&text, r, &report, options);
	const char *p = out_mem(&text, &n);
	if (options->is_terminal) {
		out_str(o, "\033[H");
		text_clipped(o, p, n, options->rows, options->columns);
	} else if (display->rows || display->function) {
		out_write(o, p, n);
	} else {
		/* A log of a busy machine, with call chains, would have thousands of lines per refresh. */
		text_first_lines(o, p, n, options->rows);
	}
	error_destroy(out_close(&text));
	return err;
}

struct strobe_error *live_text(struct out *o, struct live_report *r, const struct live_display *display, const struct live_text *options)
{
	struct report_built b = {};
	struct strobe_error *err = NULL;
	unsigned rows = options->as_json ? 0 : options->rows;
	struct report_limits limits = { true, display->samples_above, rows > HEAD_LINES + 1 ? rows - HEAD_LINES : rows };
	if (display->rows)
		limits.rows = display->rows;
	TRY(live_report_build(r, r->live.history.profile, limits, &b));
	if (options->as_json)
		data_refresh_json(o, &r->live.refresh, &b.report);
	else
		err = print_text(o, r, &b.report, display, options);
	report_built_deinit(&r->report, &b);
	return err;
}
