/* top: on a screen that can be stopped and stepped back through the last minutes. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "capture/facts.h"
#include "cmd/top/run.h"
#include "config.h"
#include "dump/header_text.h"
#include "session/report/code.h"

#if HAVE_NCURSES
#include "session/live/playback.h"
#include "view/tui/browser.h"

struct top_screen {
	struct top_run *t;
	struct report_built built;
	uint64_t next_ns;        /* when the next refresh is due */
	bool show_state;
	bool due, asked;         /* a report is to be made: time has come, or the user wants another one */
	int fds[2];
	struct strobe_error *error;
	struct playback playback;
};

struct screen *top_open_screen(struct top_run *t)
{
	struct screen *screen = NULL;
	const struct top_options *o = t->o;
	bool wanted = !o->stdio && !o->refreshes;
	if (!wanted || (!o->tui && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))))
		return NULL;
	struct strobe_error *err = screen_open(
		(struct screen_options){ .no_colour = !terminal_colour(o->colour, STDOUT_FILENO, false) }, &screen);
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

static struct strobe_error *build(struct top_screen *s, struct profile *p, const struct report **ret)
{
	struct report_session *r = &s->t->report;
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
		if (!t->gone)
			playback_added(&s->playback);
		playback_keep_first_minute(&s->playback, top_now_ns(t));
	}
	playback_show(&s->playback);
	s->due = s->asked = false;
	top_limit_rows(t, t->o->entries);
	TRY(build(s, t->history.profile, ret));
	s->built.report.lost_samples = t->refresh.lost_total;
	return NULL;
}

static void status(void *ctx, struct strbuf *out)
{
	const struct top_screen *s = ctx;
	const struct top_run *t = s->t;
	const struct data_refresh *f = &t->refresh;
	uint64_t age;
	const struct perf_event_attr *a = &capture_env(t->capture)->events.data[0].attr;
	/* What changes what all the rest means comes first: 80 columns have room for it. */
	if (t->gone)
		strbuf_addstr(out, ", ENDED");
	else if (playback_age(&s->playback, top_now_ns(t), &age))
		strbuf_addf(out, ", paused %.1f s ago", (double)age / 1e9);
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
	struct playback_times t;
	TRY(playback_times(&s->playback, (struct time_range){ span.from_ns, span.to_ns }, n, &t));
	*ret = (struct browse_times){
		.span = { t.span.from_ns, t.span.to_ns },
		.first_ns = t.span.from_ns,
		.step_ns = t.step_ns,
		.samples = t.samples,
		.nr = t.nr,
	};
	return NULL;
}

static struct strobe_error *narrow(void *ctx, struct browse_span span, const struct report **ret)
{
	struct top_screen *s = ctx;
	TRY(playback_narrow(&s->playback, (struct time_range){ span.from_ns, span.to_ns }));
	s->asked = true;
	return renew(s, ret);
}

/* The first minute in place of what is shown. */
static struct strobe_error *first_minute(void *ctx, const char *path, const struct report **ret)
{
	struct top_screen *s = ctx;
	struct report_session *r = &s->t->report;
	report_built_deinit(r, &s->built);
	r->query.limits = (struct report_limits){};
	s->asked = true;
	return build(s, playback_first_minute(&s->playback), ret);
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
		if (s->playback.span.to_ns) {
			strbuf_addstr(say, "showing a time range: press Esc to return");
			return true;
		}
		s->asked = true;
		if (k != 'p') {
			playback_step(&s->playback, k == '[' ? -1 : 1);
			return true;
		}
		playback_pause(&s->playback, !s->playback.is_paused);
		strbuf_addstr(say, s->playback.is_paused ? "paused: [ and ] step through the history, p resumes" : "resumed");
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
	facts_fill_session(capture_env(s->t->capture), s->t->sys, STROBE_VERSION, &s->t->o->record.capture);
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
	playback_init(&s.playback, &t->history, top_now_ns(t));
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
	playback_deinit(&s.playback);
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
