#include "session/report/preview.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "perfdata/reader.h"
#include "resolve/live.h"
#include "session/input.h"
#include "sys/sys.h"

struct preview {
	struct opened *file;
	struct resolve_live *live;
	uint64_t bytes, all_bytes;
	uint64_t raw_at, raw_end; /* of the last record of the file itself: records unpacked from it have the same offset */
	bool ended;
};

/* Number of records between two checks of the clock. */
#define RECORDS_AT_ONCE 256

static struct strobe_error *open_file(struct preview *p)
{
	struct report_session *r = &p->file->report;
	struct spool *spool = p->file->spool;
	const struct selection *selection = &r->request.selection;
	struct record_source *source;
	if (spool)
		TRY(reader_open(selection->input, (struct reader_options){ .grows = true, .name = spool_name(spool) }, &source));
	else
		TRY(input_open(selection->input, selection->force, &source));
	session_open_source(&r->session, &p->file->host, source, selection->force);
	session_read_embedded(&r->session);
	TRY(report_prepare(r));
	p->live = resolve_live_create(r->session.resolver, (struct resolve_live_filter){});
	r->profile = r->session.profile = profile_create();
	return NULL;
}

/* A reader needs the start of a stream before its first record. */
#define STREAM_LEAST_BYTES 4096

static bool can_begin(const struct report_request *o, const struct opened_input *input, uint64_t *ret_bytes)
{
	struct stat st;
	*ret_bytes = 0;
	/* Stacks are cut when all have been counted. */
	if (o->grouping.ignore_callees)
		return false;
	if (input->spool)
		return spool_whole(input->spool) >= STREAM_LEAST_BYTES && !spool_ended(input->spool);
	if (stat(input_path(input->path ? input->path : o->selection.input), &st) || !S_ISREG(st.st_mode))
		return false;
	*ret_bytes = (uint64_t)st.st_size;
	return true;
}

struct preview *preview_open(const struct session_host *host, const struct report_request *request, struct opened_input input)
{
	uint64_t bytes;
	if (!can_begin(request, &input, &bytes))
		return NULL;
	struct preview *p = xcalloc(1, sizeof(*p));
	p->file = opened_create(host, request, input);
	p->all_bytes = bytes;
	struct strobe_error *err = open_file(p);
	if (!err)
		return p;
	/* The opening fails for the same reason, and reports it. */
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

/* Whether the next record can be read: in a stream, it must have been received. */
static bool has_come(const struct preview *p)
{
	return !p->file->spool || p->raw_end < spool_whole(p->file->spool);
}

static void note(struct preview *p, struct record r)
{
	p->bytes += r.hdr->size;
	if (r.file_offset == p->raw_at && p->raw_end)
		return;
	p->raw_at = r.file_offset;
	p->raw_end = spool_end_of(r);
}

static void read_on(struct preview *p, uint64_t ns)
{
	struct record_sink *sink = resolve_live_sink(p->live);
	struct strobe_error *err = NULL;
	for (uint64_t until = sys_clock_ns(sys_live(), CLOCK_MONOTONIC) + ns;
	     !err && !p->ended && has_come(p) && sys_clock_ns(sys_live(), CLOCK_MONOTONIC) < until;)
		for (unsigned i = 0; i < RECORDS_AT_ONCE && !err && !p->ended && has_come(p); i++) {
			struct record r;
			err = source_next(p->file->report.session.source, &r, &p->ended);
			if (err || p->ended)
				break;
			note(p, r);
			if (r.hdr->type < RECORD_USER_FIRST)
				err = sink_write(sink, r.hdr, r.hdr->size);
		}
	p->ended |= err != NULL;
	error_destroy(err);
	/* Samples of a pass are counted at the end of the next one. */
	resolve_live_pass(p->live);
	resolve_live_pass(p->live);
	resolve_live_take(p->live, p->file->report.session.profile);
}

const struct report *preview_read_on(struct preview *p, uint64_t ns)
{
	struct report_session *r = &p->file->report;
	report_built_deinit(r, &p->file->built);
	read_on(p, ns);
	struct strobe_error *err = report_query_bind(&r->query, r->profile);
	if (!err) {
		report_elide(&r->query, r->profile);
		err = report_build(r, &p->file->built);
	}
	bool shows = !err && p->file->built.report.parts_nr;
	error_destroy(err);
	return shows ? &p->file->built.report : NULL;
}

void preview_describe(const struct preview *p, struct strbuf *out)
{
	uint64_t percent = p->all_bytes ? p->bytes * 100 / p->all_bytes : 0;
	if (p->file->spool)
		strbuf_addf(out, "the first %.1f MB of a stream", (double)p->bytes / 1e6);
	else
		strbuf_addf(out, "the first %u%%", percent < 100 ? (unsigned)percent : 100);
}

struct opened *preview_file(struct preview *p)
{
	return p->file;
}
