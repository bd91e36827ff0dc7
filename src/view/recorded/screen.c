#include "view/recorded/screen.h"

#include "dump/header_text.h"
#include "session/input.h"
#include "view/tui/browser.h"

static bool is_stopped(const struct recorded_screen *s)
{
	return s->options.is_stopped(s->options.ctx);
}

/* ---- what takes long ---- */

static void draw_progress(struct recorded_screen *s, const struct shown_wait *w)
{
	struct strbuf line = {};
	unsigned percent = w->total ? (unsigned)(100.0 * (double)w->done / (double)w->total) : 0;
	if (w->total)
		strbuf_addf(&line, "reading %s: %u%% (q ends)", w->name, percent < 100 ? percent : 100);
	else
		strbuf_addf(&line, "reading %s: %llu MB (q ends)", w->name, (unsigned long long)w->done / 1000000);
	screen_clear(s->screen);
	screen_text(s->screen, screen_rows(s->screen) / 2, 2, INK_NORMAL, strbuf_str(&line), line.len, screen_columns(s->screen));
	strbuf_deinit(&line);
	screen_flush(s->screen);
}

static bool tick(void *ctx, const struct shown_wait *w)
{
	struct recorded_screen *s = ctx;
	bool stopped = false;
	if (w->is_long)
		draw_progress(s, w);
	/* A closed terminal reports this key forever. */
	for (struct screen_key k; !stopped && (k = screen_key(s->screen)).key != KEY_NONE;)
		if (k.key == 'q' || k.key == KEY_IS_CTRL_C || k.key == KEY_IS_GONE || k.key == KEY_IS_ESCAPE)
			stopped = true;
		else if (k.key != KEY_IS_RESIZE)
			break;
	return !is_stopped(s) && !stopped;
}

static void wait_for(void *ctx, int fd, int timeout_ms)
{
	struct recorded_screen *s = ctx;
	const int fds[] = { s->options.stop_fd, fd };
	screen_wait(s->screen, fds, 2, timeout_ms);
}

/* ---- hooks ---- */

/* Follows changes of the displayed recording. */
static struct strobe_error *follow(struct recorded_screen *s, struct strobe_error *err)
{
	s->hooks.is_live = s->shown.preview != NULL;
	s->hooks.by_name |= s->hooks.is_live;
	s->fds[1] = shown_fd(&s->shown);
	s->hooks.fds_nr = s->fds[1] >= 0 ? 2 : 1;
	return err;
}

static enum browse_state look(void *ctx)
{
	struct recorded_screen *s = ctx;
	(void)follow(s, NULL);
	return is_stopped(s) ? BROWSE_END : shown_is_due(&s->shown) ? BROWSE_DUE : BROWSE_ON;
}

static int wait_ms(void *ctx)
{
	const struct recorded_screen *s = ctx;
	return shown_wait_ms(&s->shown);
}

static void status(void *ctx, struct strbuf *out)
{
	const struct recorded_screen *s = ctx;
	shown_describe(&s->shown, out);
}

static struct strobe_error *renew(void *ctx, const struct report **ret)
{
	struct recorded_screen *s = ctx;
	return follow(s, shown_renew(&s->shown, ret));
}

static struct strobe_error *switch_file(void *ctx, const char *path, const struct report **ret)
{
	struct recorded_screen *s = ctx;
	return follow(s, shown_open(&s->shown, path, ret));
}

static struct strobe_error *narrow(void *ctx, struct time_range span, const struct report **ret)
{
	struct recorded_screen *s = ctx;
	return follow(s, shown_narrow(&s->shown, span, ret));
}

static struct strobe_error *times(void *ctx, const struct report_part *part, struct time_range span, unsigned n,
				  struct time_counts *ret)
{
	struct recorded_screen *s = ctx;
	return shown_times(&s->shown, part, span, n, ret);
}

static struct strobe_error *base(void *ctx, const char *path, const struct report **ret)
{
	struct recorded_screen *s = ctx;
	return shown_base(&s->shown, path, ret);
}

static struct strobe_error *samples(void *ctx, const struct listed_choice *which, enum listed_detail detail, struct listed_samples *ret)
{
	struct recorded_screen *s = ctx;
	return shown_samples(&s->shown, which, detail, ret);
}

static struct strobe_error *listing(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	struct recorded_screen *s = ctx;
	return shown_listing(&s->shown, part, mapping, addr, ret);
}

static struct strobe_error *name_types(void *ctx, mapping_id mapping, struct listing *l)
{
	struct recorded_screen *s = ctx;
	return shown_name_types(&s->shown, mapping, l);
}

static bool is_recording(void *ctx, const char *path)
{
	return input_is_recording(path);
}

static void header(void *ctx, struct strbuf *text)
{
	struct recorded_screen *s = ctx;
	struct out out;
	size_t n;
	out_init_mem(&out);
	header_text_print(&out, s->shown.file->report.session.env, true);
	const char *p = out_mem(&out, &n);
	strbuf_add(text, p, n);
	error_destroy(out_close(&out));
}

/* ---- all of it ---- */

static struct strobe_error *browse_files(struct recorded_screen *s)
{
	const struct report_request *request = s->options.request;
	const struct report *first;
	s->fds[0] = s->options.stop_fd;
	s->hooks = (struct browse_hooks){
		.ctx = s,
		.fds = s->fds,
		.wait_ms = wait_ms,
		.look = look,
		.renew = renew,
		.status = status,
		.header = header,
		.open = switch_file,
		.listing = listing,
		.name_types = name_types,
		.times = times,
		.narrow = narrow,
		.base = base,
		.base_path = s->options.base_path,
		.samples = samples,
		.is_recording = is_recording,
		.code = request->code.look,
		.begins_with_code = request->begins_with_code,
	};
	TRY(follow(s, shown_start(&s->shown, &first)));
	if (request->begins_with_code)
		TRY(opened_find_part(s->shown.file, request->code.event, &s->hooks.first_part));
	return browse(s->screen, first, &s->hooks);
}

struct strobe_error *recorded_browse(struct recorded_screen *s, struct screen *screen, const struct recorded_screen_options *options)
{
	*s = (struct recorded_screen){ .screen = screen, .options = *options };
	s->shown = (struct shown){ .host = options->host, .request = options->request, .waiter = { tick, wait_for, s } };
	return browse_files(s);
}
