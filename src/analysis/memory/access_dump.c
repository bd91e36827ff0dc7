#include "analysis/memory/access_dump.h"

#include <inttypes.h>

#include "record/data_src.h"
#include "session/session.h"

struct dump {
	struct out *out;
	const struct access_dump_request *q;
	const char *separator;
};

static void put_place(struct out *out, const struct resolved_frame *at)
{
	out_text_str(out, at->map ? at->map->file->path : "???");
	out_ch(out, ':');
	out_text_str(out, at->symbol ? dso_symbol_name(at->dso, at->symbol) : "???");
}

static struct strobe_error *put_sample(void *ctx, const struct resolved_sample *r)
{
	const struct dump *d = ctx;
	const struct sample *s = &r->sample;
	const char *sep = d->separator;
	out_f(d->out, "%" PRIu32 "%s%" PRIu32 "%s%#" PRIx64 "%s0x%" PRIx64 "%s", s->pid, sep, s->tid, sep, s->ip, sep, s->addr, sep);
	if (d->q->physical)
		out_f(d->out, "0x%016" PRIx64 "%s", s->phys_addr, sep);
	if (d->q->page_size)
		out_f(d->out, "%s%s", data_src_page_size(s->data_page_size), sep);
	out_f(d->out, "%" PRIu64 "%s0x%" PRIx64 "%s", s->weight1 ? s->weight1 : s->weight, sep, s->data_src, sep);
	put_place(d->out, &r->leaf);
	out_ch(d->out, '\n');
	return NULL;
}

struct strobe_error *access_dump(struct out *out, const struct access_dump_request *q)
{
	struct session session = {};
	struct dump d = { .out = out, .q = q, .separator = q->separator ? q->separator : " " };
	const struct session_request request = { .choice = q->choice, .resolve = { .hide_unresolved = q->hide_unresolved } };
	struct strobe_error *err = session_open(&session, q->host, q->input, q->force);
	err = err ? err : session_resolve(&session, &request);
	if (!err) {
		out_f(out, "# PID, TID, IP, ADDR, %s%sLOCAL WEIGHT, DSRC, SYMBOL\n", q->physical ? "PHYS ADDR, " : "",
		      q->page_size ? "DATA PAGE SIZE, " : "");
		err = resolve_stream(session.resolver, (struct resolve_callbacks){ .sample = put_sample, .ctx = &d });
		session_remarks(&session, false);
	}
	session_close(&session);
	return err;
}
