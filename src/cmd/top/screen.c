/* top: on a screen that can be stopped and stepped back through the last minutes. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/top/run.h"
#include "config.h"
#include "dump/header_text.h"

#if HAVE_NCURSES
#include "view/tui/browser.h"

struct top_screen {
	struct top_run *t;
	struct report_built built;
	uint64_t next_ns;        /* when the next refresh is due */
	bool frozen, show_state;
	size_t back;             /* slices behind the last one that is shown; frozen */
	bool due, asked;         /* a report is to be made: time has come, or the user wants another one */
	int fds[2];
	struct strobe_error *error;
	struct browse_span span;     /* of slices that alone are shown; frozen */
	uint64_t began_ns;
	struct profile *first_minute; /* once it is over */
	struct profile *so_far;       /* the same before, as long as it is shown */
};

#define FIRST_NS 60000000000ull

struct screen *top_open_screen(struct top_run *t)
{
	struct screen *screen = NULL;
	const struct top_options *o = t->o;
	bool wanted = !o->stdio && !o->refreshes;
	if (!wanted || (!o->tui && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))))
		return NULL;
	struct strobe_error *err = screen_open(
		(struct screen_options){ .no_colour = !terminal_colour(o->report.colour, STDOUT_FILENO, false) }, &screen);
	if (err)
		cmd_say(t->ctx, "using text output: %s", err->message);
	error_destroy(err);
	return screen;
}

static int wait_ms(void *ctx)
{
	struct top_screen *s = ctx;
	return top_wait_ms(s->t, s->next_ns);
}

static enum browse_state look(void *ctx)
{
	struct top_screen *s = ctx;
	struct top_run *t = s->t;
	top_look_around(t);
	if (t->gone && s->fds[1] >= 0) {
		s->fds[1] = -1; /* hung up for good, and readable for ever */
		s->due = true;
	}
	if (!s->error)
		s->error = top_drain(t);
	s->due |= top_now_ns(t) >= s->next_ns;
	if (t->done || s->error)
		return BROWSE_END;
	return s->due || s->asked ? BROWSE_DUE : BROWSE_ON;
}

/* How far one can step back. The very first picture is drawn at once, of the samples of no time: it is no step. */
static size_t steps_back(const struct top_run *t)
{
	size_t n = t->history.slices.len;
	return n > 1 ? n - 2 : n - 1;
}

/* The slices that a span touches; false: none that is remembered. */
static bool find_slices(const struct history *h, struct browse_span span, size_t *ret_first, size_t *ret_last)
{
	bool found = false;
	for (size_t i = 0; i < h->slices.len; i++) {
		const struct history_slice *s = &h->slices.data[i];
		if (s->end_ns <= span.from_ns || s->start_ns > span.to_ns)
			continue;
		*ret_first = found ? *ret_first : i;
		*ret_last = i;
		found = true;
	}
	return found;
}

static bool counts_something(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return row->samples > 0;
}

/* What was counted in the first minute, or up to now; the caller's. The history shows something else afterwards. */
static struct profile *take_first_minute(struct top_screen *s)
{
	struct history *h = &s->t->history;
	size_t first = 0, last = 0;
	(void)find_slices(h, (struct browse_span){ 0, s->began_ns + FIRST_NS }, &first, &last);
	history_show_span(h, first, last);
	return profile_filter(h->profile, counts_something, NULL);
}

/* As soon as it is over: slices are not remembered for ever. */
static void keep_first_minute(struct top_screen *s)
{
	struct top_run *t = s->t;
	if (s->first_minute || top_now_ns(t) - s->began_ns < FIRST_NS)
		return;
	s->first_minute = take_first_minute(s);
	history_show(&t->history);
}

static void show_slices(struct top_screen *s)
{
	struct history *h = &s->t->history;
	size_t last = h->slices.len - 1, most = steps_back(s->t), first = last;
	s->back = s->back < most ? s->back : most;
	if (!s->span.to_ns)
		history_show_span(h, last - s->back, last - s->back);
	else if (find_slices(h, s->span, &first, &last))
		history_show_span(h, first, last);
	else
		history_show_span(h, 0, 0); /* the oldest that is still known */
}

static struct strobe_error *build(struct top_screen *s, struct profile *p, const struct report **ret)
{
	struct report_run *r = &s->t->report;
	r->profile = p;
	TRY(report_query_bind(&r->query, r->profile));
	TRY(report_build(r, &s->built));
	*ret = &s->built.report;
	return NULL;
}

/* While it is stopped, time goes on to be counted: nothing is lost by looking closer. */
static struct strobe_error *renew(void *ctx, const struct report **ret)
{
	struct top_screen *s = ctx;
	struct top_run *t = s->t;
	report_built_deinit(&t->report, &s->built);
	if (s->due) {
		if (!t->gone || t->refresh.number < 2)
			TRY(top_refresh(t));
		s->next_ns = top_now_ns(t) + (t->gone ? 1000000000ull : top_delay_ns(t));
		s->back += s->frozen && !t->gone;
		keep_first_minute(s);
	}
	if (s->frozen)
		show_slices(s);
	else if (s->asked)
		history_show(&t->history);
	s->due = s->asked = false;
	top_limit_rows(t, t->o->entries);
	TRY(build(s, t->history.profile, ret));
	profile_destroy(s->so_far);
	s->so_far = NULL;
	s->built.report.lost_samples = t->refresh.lost_total;
	return NULL;
}

static void status(void *ctx, struct strbuf *out)
{
	const struct top_screen *s = ctx;
	const struct top_run *t = s->t;
	const struct data_refresh *f = &t->refresh;
	const struct perf_event_attr *a = &capture_env(t->capture)->events.data[0].attr;
	/* What changes what all the rest means comes first: 80 columns have room for it. */
	if (t->gone)
		strbuf_addstr(out, ", ENDED");
	else if (s->frozen && !s->span.to_ns)
		strbuf_addf(out, ", paused %.1f s ago",
			    (double)(top_now_ns(t) - t->history.slices.data[t->history.slices.len - 1 - s->back].end_ns) / 1e9);
	if (s->show_state)
		strbuf_addf(out, ", %.0f samples/s, kernel %.1f%%, %s", f->seconds > 0 ? (double)f->samples / f->seconds : 0,
			    f->samples ? 100.0 * (double)f->kernel_samples / (double)f->samples : 0.0,
			    f->in_kernel ? "aggregated by BPF" : "by ring buffers");
	if (a->freq)
		strbuf_addf(out, ", %llu Hz", (unsigned long long)a->sample_freq);
	strbuf_addf(out, ", lost: %llu/%llu drop: %llu/%llu", (unsigned long long)f->lost, (unsigned long long)f->lost_total,
		    (unsigned long long)f->dropped, (unsigned long long)f->dropped_total);
}

/* ---- spans of time, and the first minute ---- */

static struct strobe_error *times(void *ctx, const struct report_part *part, struct browse_span span, unsigned n,
				  struct browse_times *ret)
{
	struct top_screen *s = ctx;
	const struct history *h = &s->t->history;
	size_t first = 0, last = h->slices.len - 1;
	if (span.to_ns && !find_slices(h, span, &first, &last))
		return error_create(ERROR_NOT_FOUND, "no history for that time");
	/* The first refresh is of no time. */
	first += first + 1 < h->slices.len && h->slices.data[first].start_ns == h->slices.data[first].end_ns;
	span = (struct browse_span){ h->slices.data[first].start_ns, h->slices.data[last].end_ns };
	uint64_t step = (span.to_ns - span.from_ns) / (n - 1) + 1;
	*ret = (struct browse_times){ .span = span, .first_ns = span.from_ns, .step_ns = step };
	ret->nr = (unsigned)((span.to_ns - span.from_ns) / step) + 1;
	ret->samples = xcalloc(ret->nr, sizeof(*ret->samples));
	/* All that is known of a slice is its sum: as much for each step that it covers. */
	for (size_t i = first; i <= last; i++) {
		const struct history_slice *slice = &h->slices.data[i];
		uint64_t from = slice->start_ns > span.from_ns ? (slice->start_ns - span.from_ns) / step : 0;
		uint64_t to = slice->end_ns > span.from_ns ? (slice->end_ns - span.from_ns - 1) / step : 0;
		uint64_t nr = to - from + 1;
		for (uint64_t k = 0; k < nr && from + k < ret->nr; k++)
			ret->samples[from + k] += slice->samples * (k + 1) / nr - slice->samples * k / nr;
	}
	return NULL;
}

static struct strobe_error *narrow(void *ctx, struct browse_span span, const struct report **ret)
{
	struct top_screen *s = ctx;
	size_t first, last;
	if (span.to_ns && !find_slices(&s->t->history, span, &first, &last))
		return error_create(ERROR_NOT_FOUND, "no history for that time");
	s->span = span;
	s->frozen = span.to_ns != 0;
	s->back = 0;
	s->asked = true;
	return renew(s, ret);
}

/* The first minute in place of what is shown. */
static struct strobe_error *first_minute(void *ctx, const char *path, const struct report **ret)
{
	struct top_screen *s = ctx;
	struct report_run *r = &s->t->report;
	report_built_deinit(r, &s->built);
	r->query.limits = (struct report_limits){};
	if (!s->first_minute)
		s->so_far = take_first_minute(s);
	s->asked = true;
	return build(s, s->first_minute ? s->first_minute : s->so_far, ret);
}

static void step(struct top_screen *s, int by)
{
	s->frozen = true;
	if (by < 0 && s->back < steps_back(s->t))
		s->back++;
	if (by > 0 && s->back)
		s->back--;
	s->asked = true;
}

static bool key(void *ctx, uint32_t k, struct strbuf *say)
{
	struct top_screen *s = ctx;
	struct top_run *t = s->t;
	switch (k) {
	case 'z':
		t->o->zero = !t->o->zero;
		t->history.mode = t->o->zero ? HISTORY_LAST : HISTORY_FADE;
		s->asked = true;
		strbuf_addstr(say, t->o->zero ? "only samples since the last refresh" : "older samples count less");
		return true;
	case 'f':
		t->disabled = !t->disabled;
		top_enable(t, !t->disabled);
		strbuf_addstr(say, t->disabled ? "events disabled" : "events enabled");
		return true;
	case 'K':
	case 'U':
		t->o->hide_kernel ^= k == 'K';
		t->o->hide_user ^= k == 'U';
		top_set_filter(t);
		strbuf_addf(say, "samples in %s are now %s", k == 'K' ? "the kernel" : "user space",
			    (k == 'K' ? t->o->hide_kernel : t->o->hide_user) ? "hidden" : "shown");
		return true;
	case 'M':
		s->show_state = !s->show_state;
		return true;
	case 'p':
	case '[':
	case ']':
		if (s->span.to_ns) {
			strbuf_addstr(say, "showing a time range: press Esc to return");
			return true;
		}
		if (k != 'p') {
			step(s, k == '[' ? -1 : 1);
			return true;
		}
		s->frozen = !s->frozen;
		s->back = 0;
		s->asked = true;
		strbuf_addstr(say, s->frozen ? "paused: [ and ] step through the history, p resumes" : "resumed");
		return true;
	default:
		return false;
	}
}

static struct strobe_error *listing(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	struct top_screen *s = ctx;
	struct top_run *t = s->t;
	top_tell_addresses(t);
	return report_listing(&t->report, t->history.profile, part, mapping, addr, ret);
}

static const char help[] =
	"z               only samples since the last refresh, or all, with older counts decaying\n"
	"f               disable and enable the events\n"
	"K, U            hide samples in the kernel, in user space\n"
	"M               sampling status: samples per second, share of the kernel\n"
	"p               pause the display (sampling continues), and resume\n"
	"T               timeline of refreshes: select one or several, paused; D: compare with the first minute\n"
	"[, ]            step back and forward through the history of refreshes\n";

static void header(void *ctx, struct strbuf *text)
{
	struct top_screen *s = ctx;
	struct out out;
	size_t n;
	out_init_mem(&out);
	record_output_facts(capture_env(s->t->capture), s->t->sys, &s->t->o->record.capture);
	header_text_print(&out, capture_env(s->t->capture), true);
	const char *p = out_mem(&out, &n);
	strbuf_add(text, p, n);
	error_destroy(out_close(&out));
}

struct strobe_error *top_browse(struct top_run *t, struct screen *screen)
{
	struct top_screen s = {
		.t = t,
		.due = true,
		.began_ns = top_now_ns(t),
		.fds = { t->signals.fd, capture_poll_fd(t->capture, 0) },
	};
	struct browse_hooks hooks = {
		.ctx = &s,
		.is_live = true,
		.by_name = true,
		.code = t->o->report.code.look,
		.fds = s.fds,
		.fds_nr = 2,
		.wait_ms = wait_ms,
		.look = look,
		.renew = renew,
		.status = status,
		.key = key,
		.help = help,
		.listing = listing,
		.header = header,
		.times = times,
		.narrow = narrow,
		.base = first_minute,
		.base_is_first_minute = true,
	};
	const struct report *first;
	int held = cmd_hold_log();
	struct strobe_error *err = renew(&s, &first);
	/* The first screen is there at once; what it shows is little, and the next one comes soon. */
	s.next_ns = top_now_ns(t) + (top_delay_ns(t) < 200000000 ? top_delay_ns(t) : 200000000);
	if (!err)
		err = browse(screen, first, &hooks);
	screen_close(screen);
	cmd_release_log(held);
	report_built_deinit(&t->report, &s.built);
	t->report.profile = t->history.profile;
	profile_destroy(s.first_minute);
	profile_destroy(s.so_far);
	if (!err)
		return s.error;
	error_destroy(s.error);
	return err;
}

#else

struct screen *top_open_screen(struct top_run *t)
{
	if (t->o->tui)
		cmd_say(t->ctx, "using text output: built without ncurses (install libncurses-dev and rebuild)");
	return NULL;
}

struct strobe_error *top_browse(struct top_run *t, struct screen *screen)
{
	return NULL;
}

#endif
