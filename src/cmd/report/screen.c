/* report: on a screen, with another file whenever the user wants one. */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/foreign_files.h"
#include "cmd/input.h"
#include "cmd/report/run.h"
#include "cmd/signals.h"
#include "config.h"
#include "dump/header_text.h"

#if HAVE_NCURSES
#include "view/tui/browser.h"

/* One recording, read and ready to be shown. */
struct opened {
	struct cmd_context ctx;  /* what commands find out for one recording: a copy, so that two can be open at once */
	struct report_run run;
	struct report_options o; /* what its events make of the options */
	struct record_source *file;
	struct report_built built;
	struct strobe_error *damage;
	struct profile *counted; /* by address, once code was to be shown; or NULL */
};

struct report_screen {
	struct cmd_context *ctx;
	const struct report_options *o;
	struct screen *screen;
	struct opened *file;
	struct opened *base;     /* what shares are compared with, or NULL */
	const char *base_path;   /* base's, and as long there as it is */
	struct progress progress;
	uint64_t began_ns;       /* progress */
	const char *loading;
	struct cmd_signals signals;
	int signal;
	bool stopped;
};

static bool wants_screen(const struct report_options *o)
{
	bool plain = o->format == REPORT_STDIO && !o->stdio && !o->separator && !o->quiet && !report_draws(o);
	bool table = !o->header && !o->header_only && !o->stats && !o->tasks && !o->mmaps && !o->raw && !o->total_cycles;
	/* READ records have a table of their own. */
	return plain && table && !o->show_threads;
}

struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o)
{
	struct screen *screen = NULL;
	if (!wants_screen(o) || (!o->tui && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))))
		return NULL;
	struct strobe_error *err = screen_open((struct screen_options){ .no_colour = !terminal_colour(o->colour, STDOUT_FILENO, false) },
					       &screen);
	if (err)
		cmd_say(ctx, "text and no screen: %s", err->message);
	error_destroy(err);
	return screen;
}

static enum browse_state look(void *ctx)
{
	struct report_screen *s = ctx;
	for (int number; (number = cmd_signals_next(&s->signals));)
		s->signal = number;
	return s->signal ? BROWSE_END : BROWSE_ON;
}

/* ---- loading ---- */

/* What is read sooner tells no progress. */
#define PROGRESS_AFTER_NS 300000000ull

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void draw_progress(struct report_screen *s, const struct progress *p)
{
	struct strbuf line = {};
	unsigned percent = p->total ? (unsigned)(100.0 * (double)p->done / (double)p->total) : 0;
	if (p->total)
		strbuf_addf(&line, "reading %s: %u%% (q ends)", s->loading, percent < 100 ? percent : 100);
	else
		strbuf_addf(&line, "reading %s: %llu MB (q ends)", s->loading, (unsigned long long)p->done / 1000000);
	screen_clear(s->screen);
	screen_text(s->screen, screen_rows(s->screen) / 2, 2, INK_NORMAL, strbuf_str(&line), line.len, screen_columns(s->screen));
	strbuf_deinit(&line);
	screen_flush(s->screen);
}

static bool tell_progress(void *ctx, const struct progress *p)
{
	struct report_screen *s = ctx;
	if (now_ns() - s->began_ns >= PROGRESS_AFTER_NS)
		draw_progress(s, p);
	for (struct screen_key k; (k = screen_key(s->screen)).key != KEY_NONE;)
		if (k.key == 'q' || k.key == KEY_IS_CTRL_C || k.key == KEY_IS_GONE || k.key == KEY_IS_ESCAPE)
			s->stopped = true;
		else if (k.key != KEY_IS_RESIZE)
			break;
	return look(s) == BROWSE_ON && !s->stopped;
}

static void start_progress(struct report_screen *s)
{
	s->progress = (struct progress){ .what = "reading", .tick = tell_progress, .ctx = s };
	s->began_ns = now_ns();
}

static void close_file(struct opened *f)
{
	if (!f)
		return;
	if (f->run.resolver)
		report_built_deinit(&f->run, &f->built);
	profile_destroy(f->run.profile);
	profile_destroy(f->counted);
	tracepoints_destroy(f->run.tracepoints);
	resolver_destroy(f->run.resolver);
	source_destroy(f->run.source);
	arena_deinit(&f->run.arena);
	arena_deinit(&f->run.scratch);
	error_destroy(f->damage);
	foreign_files_destroy(f->ctx.foreign);
	strbuf_deinit(&f->ctx.buildid_path);
	free(f);
}

static struct strobe_error *load(struct report_screen *s, struct opened *f)
{
	struct report_run *r = &f->run;
	TRY(input_open(f->o.input, f->o.force, &r->source));
	f->file = r->source;
	if (source_env(r->source)->is_pipe)
		report_peek(&r->source, NULL);
	r->env = source_env(r->source);
	r->wants_threads = true;
	r->progress = &s->progress;
	start_progress(s);
	s->loading = input_path(f->o.input);
	TRY(report_load(r, &f->o, &f->damage));
	report_elide(r, NULL);
	TRY(report_build(r, &f->built));
	if (f->built.report.parts_nr && f->o.code && !f->built.parts->hist->order_nr && (f->o.symbols || f->o.symbol_filter))
		return error_create(ERROR_NOT_FOUND, "no sample of %s is in a function '%s'; 'report' lists those that have some",
				    s->loading, f->o.symbols ? f->o.symbols : f->o.symbol_filter);
	if (!f->built.report.parts_nr)
		return error_create(ERROR_NOT_FOUND, "%s has no samples to show", s->loading);
	return NULL;
}

static struct strobe_error *open_file(struct report_screen *s, const char *path, struct time_range span, struct opened **ret)
{
	struct opened *f = xcalloc(1, sizeof(*f));
	f->o = *s->o;
	if (path)
		f->o.input = path;
	f->ctx = *s->ctx;
	f->ctx.foreign = NULL;
	f->ctx.buildid_path = (struct strbuf){};
	f->run = (struct report_run){ .ctx = &f->ctx, .o = &f->o, .span = span };
	arena_init(&f->run.arena);
	arena_init(&f->run.scratch);
	if (path)
		f->o.input = arena_strdup(&f->run.arena, path);
	struct strobe_error *err = load(s, f);
	if (err) {
		close_file(f);
		return err;
	}
	*ret = f;
	return NULL;
}

/* ---- hooks ---- */

/* In place of what is shown, unless it cannot be read or nobody waits for it to end. */
static struct strobe_error *show_file(struct report_screen *s, const char *path, struct time_range span, const struct report **ret)
{
	struct opened *f;
	struct strobe_error *err = open_file(s, path, span, &f);
	s->stopped = false;
	if (err)
		return err;
	close_file(s->file);
	s->file = f;
	*ret = &f->built.report;
	return NULL;
}

static struct strobe_error *switch_file(void *ctx, const char *path, const struct report **ret)
{
	return show_file(ctx, path, (struct time_range){}, ret);
}

static struct strobe_error *narrow(void *ctx, struct browse_span span, const struct report **ret)
{
	struct report_screen *s = ctx;
	if (!s->file->file->ops->rewind)
		return error_create(ERROR_UNSUPPORTED, "a stream cannot be read twice, as this wants it: save it to a file");
	return show_file(s, s->file->o.input, (struct time_range){ span.from_ns, span.to_ns }, ret);
}

static struct strobe_error *times(void *ctx, const struct report_part *part, struct browse_span span, unsigned n,
				  struct browse_times *ret)
{
	struct report_screen *s = ctx;
	start_progress(s);
	struct strobe_error *err = report_count_times(&s->file->run, part, span, n, ret);
	s->stopped = false;
	return err;
}

/* Kept: other events of it may be asked for. */
static struct strobe_error *open_base(void *ctx, const char *path, const struct report **ret)
{
	struct report_screen *s = ctx;
	struct opened *f;
	if (!s->base || strcmp(s->base_path, path) != 0) {
		struct strobe_error *err = open_file(s, path, (struct time_range){}, &f);
		s->stopped = false;
		if (err)
			return err;
		close_file(s->base);
		s->base = f;
		s->base_path = f->o.input;
	}
	*ret = &s->base->built.report;
	return NULL;
}

static bool is_recording(void *ctx, const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, magic, sizeof(magic));
	close(fd);
	return n == sizeof(magic) && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

static struct strobe_error *listing(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret)
{
	struct report_screen *s = ctx;
	struct opened *f = s->file;
	start_progress(s);
	struct strobe_error *err = f->counted ? NULL : report_count_addresses(&f->run, &f->counted);
	s->stopped = false;
	if (err)
		return err;
	return report_listing(&f->run, f->counted, part, mapping, addr, ret);
}

static void header(void *ctx, struct strbuf *text)
{
	struct report_screen *s = ctx;
	struct out out;
	size_t n;
	out_init_mem(&out);
	header_text_print(&out, s->file->run.env, true);
	const char *p = out_mem(&out, &n);
	strbuf_add(text, p, n);
	error_destroy(out_close(&out));
}

/* The name, or the first of a list of them. */
static bool is_named(const char *event, const char *names)
{
	size_t n = strcspn(names, ",");
	return !strcmp(event, names) || (strlen(event) == n && !memcmp(event, names, n));
}

/* The part that shows an event. */
static struct strobe_error *find_event(const struct opened *f, const char *name, uint32_t *ret)
{
	*ret = 0;
	for (uint32_t i = 0; name && i < f->built.report.parts_nr; i++) {
		const struct hist_options *o = &f->built.parts[i].hist->options;
		for (uint32_t j = 0; j < o->events_nr; j++)
			if (is_named(f->run.env->events.data[o->events[j]].name, name)) {
				*ret = i;
				return NULL;
			}
	}
	return name ? error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; 'evlist' lists those it has", name) : NULL;
}

/* ---- all of it ---- */

static struct strobe_error *browse_files(struct report_screen *s)
{
	const struct config *config;
	TRY(cmd_config(s->ctx, &config)); /* before there are copies */
	TRY(cmd_signals_open(&s->signals, NULL));
	TRY(open_file(s, NULL, (struct time_range){}, &s->file));
	struct browse_hooks hooks = {
		.ctx = s,
		.fds = &s->signals.fd,
		.fds_nr = 1,
		.look = look,
		.header = header,
		.open = switch_file,
		.listing = listing,
		.times = times,
		.narrow = narrow,
		.base = open_base,
		.base_path = s->o->diff_base,
		.is_recording = is_recording,
	};
	if (s->o->code) {
		hooks.begins_with_code = true;
		hooks.code = s->o->code->look;
		TRY(find_event(s->file, s->o->code->event, &hooks.first_part));
	}
	return browse(s->screen, &s->file->built.report, &hooks);
}

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	struct report_screen s = { .ctx = ctx, .o = o, .screen = screen, .signals = CMD_SIGNALS_NONE };
	int held = cmd_hold_log();
	struct strobe_error *err = browse_files(&s);
	screen_close(screen);
	cmd_release_log(held);
	if (s.stopped || s.signal) {
		error_destroy(err);
		err = NULL;
	}
	int status = cmd_fail(ctx, err);
	if (s.file && !s.signal) {
		input_remarks(ctx, s.file->file, resolver_stats(s.file->run.resolver));
		if (s.file->damage && !status)
			status = cmd_fail(ctx, take_ptr(s.file->damage));
	}
	close_file(s.file);
	close_file(s.base);
	/* Ctrl-C is one way to leave; who sent another signal is to see that it ended us. */
	if (s.signal && s.signal != SIGINT)
		cmd_signals_raise(&s.signals, s.signal);
	cmd_signals_close(&s.signals);
	return status;
}

#else

struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o)
{
	if (o->tui)
		cmd_say(ctx, "text and no screen: this build lacks ncurses (install libncurses-dev and build again)");
	return NULL;
}

int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen)
{
	return CMD_FAILED;
}

#endif
