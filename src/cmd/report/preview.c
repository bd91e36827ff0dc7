/* report: what a large recording is like, while it is still being read. */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "cmd/input.h"
#include "cmd/report/opened.h"
#include "sys/sys.h"

struct preview {
	struct opened *file;
	struct resolve_live *live;
	uint64_t bytes, all_bytes;
	bool ended;
};

/* Records between two looks at the clock. */
#define RECORDS_AT_ONCE 256

static struct strobe_error *open_file(struct preview *p)
{
	struct report_run *r = &p->file->run;
	TRY(input_open(p->file->o.input, p->file->o.force, &r->source));
	p->file->file = r->source;
	r->env = source_env(r->source);
	TRY(report_choose_modes(r, &p->file->o));
	TRY(report_choose_columns(r));
	TRY(report_filters_create(r));
	TRY(report_make_resolver(r));
	p->live = resolve_live_create(r->resolver, (struct resolve_live_filter){});
	r->profile = profile_create();
	return NULL;
}

struct preview *preview_open(const struct cmd_context *ctx, const struct report_options *o, const char *path)
{
	struct stat st;
	/* A stream can be read once only. Stacks that are to be cut are cut when all are there. */
	if (stat(input_path(path ? path : o->input), &st) || !S_ISREG(st.st_mode) || o->ignore_callees)
		return NULL;
	struct preview *p = xcalloc(1, sizeof(*p));
	p->file = opened_create(ctx, o, path, (struct time_range){});
	p->all_bytes = (uint64_t)st.st_size;
	struct strobe_error *err = open_file(p);
	if (!err)
		return p;
	/* The opening meets it as well, and tells. */
	error_destroy(err);
	preview_close(p);
	return NULL;
}

void preview_close(struct preview *p)
{
	if (!p)
		return;
	resolve_live_destroy(p->live);
	opened_destroy(p->file);
	free(p);
}

static void read_on(struct preview *p, uint64_t ns)
{
	struct record_sink *sink = resolve_live_sink(p->live);
	struct strobe_error *err = NULL;
	for (uint64_t until = sys_clock_ns(sys_live(), CLOCK_MONOTONIC) + ns;
	     !err && !p->ended && sys_clock_ns(sys_live(), CLOCK_MONOTONIC) < until;)
		for (unsigned i = 0; i < RECORDS_AT_ONCE && !err && !p->ended; i++) {
			struct record r;
			err = source_next(p->file->run.source, &r, &p->ended);
			if (err || p->ended)
				break;
			p->bytes += r.hdr->size;
			if (r.hdr->type < RECORD_USER_FIRST)
				err = sink_write(sink, r.hdr, r.hdr->size);
		}
	p->ended |= err != NULL;
	error_destroy(err);
	/* What a pass brings is counted when the next one is over. */
	resolve_live_pass(p->live);
	resolve_live_pass(p->live);
	resolve_live_take(p->live, p->file->run.profile);
}

const struct report *preview_read_on(struct preview *p, uint64_t ns)
{
	struct report_run *r = &p->file->run;
	report_built_deinit(r, &p->file->built);
	read_on(p, ns);
	report_bind_columns(r);
	struct strobe_error *err = report_find_parents(r);
	if (!err) {
		report_elide(r, NULL);
		err = report_build(r, &p->file->built);
	}
	bool shows = !err && p->file->built.report.parts_nr;
	error_destroy(err);
	return shows ? &p->file->built.report : NULL;
}

unsigned preview_percent(const struct preview *p)
{
	uint64_t percent = p->all_bytes ? p->bytes * 100 / p->all_bytes : 0;
	return percent < 100 ? (unsigned)percent : 100;
}

struct opened *preview_file(struct preview *p)
{
	return p->file;
}
