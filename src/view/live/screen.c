#include "view/live/screen.h"

#include "dump/header_text.h"
#include "session/live/describe.h"
#include "session/live/playback.h"
#include "session/report/code.h"
#include "sys/cpu_load.h"
#include "view/tui/browser.h"

/* The first report is shown at once and has few samples: the second one follows after this time at most. */
#define SECOND_REPORT_NS 200000000ull
/* After all tasks have ended, the screen is redrawn each second. */
#define ENDED_NS 1000000000ull

struct live_screen {
	struct live_report *r;
	struct live_session *live;
	const struct live_screen_options *o;
	struct report_built built;
	uint64_t next_ns;          /* when the next refresh is due */
	bool is_due, is_requested; /* a report must be made, since it is time, or since the user requested it */
	bool is_disabled;          /* events, by the user */
	bool shows_rates;
	int fds[2];
	struct strobe_error *error;
	struct playback playback;
	struct sys_cpu_load load[2]; /* at the refresh before the last, and at the last */
};

static int wait_ms(void *ctx)
{
	struct live_screen *s = ctx;
	return live_wait_ms(s->live, s->next_ns);
}

static enum browse_state look(void *ctx)
{
	struct live_screen *s = ctx;
	live_look(s->live);
	if (s->live->has_ended && s->fds[1] >= 0) {
		s->fds[1] = -1; /* hung up, and from now on always readable */
		s->is_due = true;
	}
	if (!s->error)
		s->error = live_drain(s->live);
	s->is_due |= live_now_ns(s->live) >= s->next_ns;
	if (s->o->is_stopped(s->o->ctx) || s->error)
		return BROWSE_END;
	return s->is_due || s->is_requested ? BROWSE_DUE : BROWSE_ON;
}

/* Sampling continues while the display is paused. */
/* Without /proc there is nothing to show, and the rest is shown. */
static void read_load(struct live_screen *s)
{
	s->load[0] = s->load[1];
	error_destroy(sys_cpu_load(s->live->o.sys, &s->load[1]));
}

static struct strobe_error *refresh(struct live_screen *s)
{
	read_load(s);
	struct live_session *l = s->live;
	if (!l->has_ended || l->refresh.number < 2) {
		TRY(live_refresh(l));
		playback_added(&s->playback);
	}
	s->next_ns = live_now_ns(l) + (l->has_ended ? ENDED_NS : live_interval_ns(l));
	playback_keep_first_minute(&s->playback, live_now_ns(l));
	return NULL;
}

static struct strobe_error *renew(void *ctx, const struct report **ret)
{
	struct live_screen *s = ctx;
	const struct live_display *d = s->o->display;
	report_built_deinit(&s->r->report, &s->built);
	if (s->is_due)
		TRY(refresh(s));
	playback_show(&s->playback);
	s->is_due = s->is_requested = false;
	*ret = &s->built.report;
	return live_report_build(s->r, s->live->history.profile, (struct report_limits){ true, d->samples_above, d->rows }, &s->built);
}

static void status(void *ctx, struct strbuf *out)
{
	const struct live_screen *s = ctx;
	uint64_t age_ns;
	/* States that change the meaning of the rest come first: 80 columns have room for them. */
	if (s->live->has_ended)
		strbuf_addstr(out, ", ENDED");
	else if (playback_age(&s->playback, live_now_ns(s->live), &age_ns))
		strbuf_addf(out, ", paused %.1f s ago", (double)age_ns / 1e9);
	live_describe_briefly(s->live, s->shows_rates, out);
}

static void system_line(void *ctx, struct strbuf *out)
{
	const struct live_screen *s = ctx;
	if (s->load[1].cpus_nr)
		sys_cpu_load_text(&s->load[0], &s->load[1], out);
}

/* ---- spans of time, and the first minute ---- */

static struct strobe_error *times(void *ctx, const struct report_part *part, struct time_range span, unsigned n,
				  struct time_counts *ret)
{
	struct live_screen *s = ctx;
	return playback_times(&s->playback, span, n, ret);
}

static struct strobe_error *narrow(void *ctx, struct time_range span, const struct report **ret)
{
	struct live_screen *s = ctx;
	TRY(playback_narrow(&s->playback, span));
	s->is_requested = true;
	return renew(s, ret);
}

/* Shows the first minute in place of the current report. */
static struct strobe_error *first_minute(void *ctx, const char *path, const struct report **ret)
{
	struct live_screen *s = ctx;
	report_built_deinit(&s->r->report, &s->built);
	s->is_requested = true;
	*ret = &s->built.report;
	return live_report_build(s->r, playback_first_minute(&s->playback), (struct report_limits){}, &s->built);
}

/* ---- keys ---- */

static void hide(struct live_screen *s, bool *flag, const char *where, struct strbuf *message)
{
	*flag = !*flag;
	live_apply(s->live);
	strbuf_addf(message, "samples in %s are now %s", where, *flag ? "hidden" : "shown");
}

static void step_or_pause(struct live_screen *s, uint32_t k, struct strbuf *message)
{
	if (s->playback.span.to_ns) {
		strbuf_addstr(message, "showing a time range: press Esc to return");
		return;
	}
	s->is_requested = true;
	if (k != 'p') {
		playback_step(&s->playback, k == '[' ? -1 : 1);
		return;
	}
	playback_pause(&s->playback, !s->playback.is_paused);
	strbuf_addstr(message, s->playback.is_paused ? "paused: [ and ] step through the history, p resumes" : "resumed");
}

static bool key(void *ctx, uint32_t k, struct strbuf *message)
{
	struct live_screen *s = ctx;
	struct live_settings *sampling = &s->o->display->sampling;
	switch (k) {
	case 'z':
		sampling->last_only = !sampling->last_only;
		live_apply(s->live);
		s->is_requested = true;
		strbuf_addstr(message, sampling->last_only ? "only samples since the last refresh" : "older samples count less");
		return true;
	case 'f':
		s->is_disabled = !s->is_disabled;
		live_enable(s->live, !s->is_disabled);
		strbuf_addstr(message, s->is_disabled ? "events disabled" : "events enabled");
		return true;
	case 'K': hide(s, &sampling->hide_kernel, "the kernel", message); return true;
	case 'U': hide(s, &sampling->hide_user, "user space", message); return true;
	case 'M': s->shows_rates = !s->shows_rates; return true;
	case 'p':
	case '[':
	case ']': step_or_pause(s, k, message); return true;
	default: return false;
	}
}

static const char help[] =
	"z               only samples since the last refresh, or all, with older counts decaying\n"
	"f               disable and enable the events\n"
	"K, U            hide samples in the kernel, in user space\n"
	"M               sampling status: samples per second, share of the kernel\n"
	"p               pause the display (sampling continues), and resume\n"
	"T               timeline of refreshes: select one or several, paused; D: compare with the first minute\n"
	"[, ]            step back and forward through the history of refreshes\n";

/* ---- all of it ---- */

static struct strobe_error *listing(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	struct live_screen *s = ctx;
	live_report_separate_addresses(s->r);
	return report_listing(&s->r->report, s->live->history.profile, part, mapping, addr, ret);
}

static void header(void *ctx, struct strbuf *text)
{
	struct live_screen *s = ctx;
	struct out out;
	size_t n;
	out_init_mem(&out);
	live_complete_env(s->live);
	header_text_print(&out, live_env(s->live), true);
	const char *p = out_mem(&out, &n);
	strbuf_add(text, p, n);
	error_destroy(out_close(&out));
}

struct strobe_error *live_browse(struct screen *screen, struct live_report *r, const struct live_screen_options *options)
{
	struct live_screen s = {
		.r = r,
		.live = &r->live,
		.o = options,
		.is_due = true,
		.fds = { options->stop_fd, live_poll_fd(&r->live) },
	};
	struct browse_hooks hooks = {
		.ctx = &s,
		.is_live = true,
		.by_name = true,
		.code = r->report.request.code.look,
		.fds = s.fds,
		.fds_nr = 2,
		.wait_ms = wait_ms,
		.look = look,
		.renew = renew,
		.status = status,
		.system = system_line,
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
	read_load(&s);
	playback_init(&s.playback, &r->live.history, live_now_ns(s.live));
	struct strobe_error *err = renew(&s, &first);
	uint64_t interval_ns = live_interval_ns(s.live);
	s.next_ns = live_now_ns(s.live) + (interval_ns < SECOND_REPORT_NS ? interval_ns : SECOND_REPORT_NS);
	if (!err)
		err = browse(screen, first, &hooks);
	report_built_deinit(&r->report, &s.built);
	r->report.profile = r->live.history.profile;
	playback_deinit(&s.playback);
	if (!err)
		return s.error;
	error_destroy(s.error);
	return err;
}
