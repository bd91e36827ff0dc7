#include "perfdata/rewrite.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "perfdata/reader.h"

/* Records are gathered into larger writes: in place if they are contiguous and stay valid, else in a buffer. */
#define GATHER_BYTES ((size_t)1 << 20)

struct gather {
	struct record_sink *out;
	const char *run; /* contiguous records of a stable source */
	size_t run_bytes;
	char *buffer;
	size_t len;
};

static struct strobe_error *flush(struct gather *g)
{
	size_t run = g->run_bytes, len = g->len;

	g->run_bytes = g->len = 0;
	if (run)
		TRY(sink_write(g->out, g->run, run));
	return len ? sink_write(g->out, g->buffer, len) : NULL;
}

static struct strobe_error *add(struct gather *g, struct record r, bool stable)
{
	size_t n = r.hdr->size;

	if (stable) {
		if (g->run_bytes && ((const char *)r.hdr != g->run + g->run_bytes || g->run_bytes >= GATHER_BYTES))
			TRY(flush(g));
		if (!g->run_bytes)
			g->run = (const char *)r.hdr;
		g->run_bytes += n;
		return NULL;
	}
	if (g->len + n > GATHER_BYTES)
		TRY(flush(g));
	memcpy(g->buffer + g->len, r.hdr, n);
	g->len += n;
	return NULL;
}

/* Records that the writer has already generated from the environment. */
static bool is_made_anew(const struct env *env, uint32_t type)
{
	switch (type) {
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return true;
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_HEADER_FEATURE:
		return env->is_pipe;
	default:
		return false;
	}
}

static struct strobe_error *carry_auxtrace(struct record_source *source, struct writer *w, struct record r)
{
	TRY(writer_auxtrace(w, r));
	for (;;) {
		const void *p;
		size_t n;
		TRY(reader_payload(source, &p, &n));
		if (!n)
			return NULL;
		TRY(writer_payload(w, p, n));
	}
}

static struct strobe_error *copy(struct record_source *source, struct record_source *reader, struct writer *w,
				 struct rewrite_filter *filter, struct gather *g)
{
	struct record r;
	bool end;

	for (;;) {
		TRY(source_next(source, &r, &end));
		if (end)
			return NULL;
		bool keep = !is_made_anew(source_env(source), r.hdr->type);
		if (keep && filter) {
			/* What the filter writes must follow the gathered records. */
			TRY(flush(g));
			TRY(filter->record(filter, r, &w->sink, &keep));
		}
		if (!keep)
			continue;
		if (r.hdr->type == RECORD_AUXTRACE) {
			TRY(flush(g));
			TRY(carry_auxtrace(reader, w, r));
		} else {
			TRY(add(g, r, source_is_stable(source)));
		}
	}
}

struct strobe_error *rewrite(struct record_source *source, struct record_source *reader, struct writer *w,
			     struct rewrite_filter *filter)
{
	_cleanup_free_ char *buffer = xmalloc(GATHER_BYTES);
	struct gather g = { .out = &w->sink, .buffer = buffer };
	struct strobe_error *err = copy(source, reader, w, filter, &g);
	struct strobe_error *flush_err = flush(&g);

	/* Complete data is kept, and the error reported. */
	if (!err)
		return flush_err;
	error_destroy(flush_err);
	return err;
}
