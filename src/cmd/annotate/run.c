/* The work of `strobe annotate`, once its options are known. */
#include "cmd/annotate/options.h"
#include "cmd/colours.h"
#include "dump/raw.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/annotation.h"
#include "view/data/listing_json.h"

struct annotate_run {
	struct cmd_context *ctx;
	const struct annotate_command *o;
	struct session session;
	struct annotation *annotation;
	struct listing_text_options text;
	struct out *out;
	struct json json;
};

static void set_up_text(struct annotate_run *r)
{
	const struct annotate_command *o = r->o;
	r->text = (struct listing_text_options){
		.share = o->request.code.look.share,
		.shown = o->show_samples ? LISTING_SHOW_SAMPLES : o->show_period ? LISTING_SHOW_PERIOD : LISTING_SHOW_PERCENT,
		.with_source = !o->request.code.look.no_source,
		.raw_bytes = o->request.code.look.raw,
		.lines = o->request.code.look.line_numbers,
		.full_paths = o->request.code.look.full_paths,
		.counts = o->request.verbose > 0,
	};
	colour_listing(r->ctx, o->colour, &r->text);
}

static bool show(void *ctx, const struct listing *l)
{
	struct annotate_run *r = ctx;
	switch (r->o->format) {
	case ANNOTATE_STDIO: text_listing(r->out, l, &r->text); break;
	case ANNOTATE_STDIO2: text_listing_compact(r->out, l, &r->text); break;
	case ANNOTATE_JSON: data_listing_json(&r->json, l, r->o->request.code.look.share); break;
	}
	return !out_failed(r->out);
}

static struct strobe_error *annotate_all(struct annotate_run *r)
{
	struct annotation *a = r->annotation;
	TRY(annotation_find(a));
	for (size_t i = 0; i < annotation_parts(a); i++) {
		r->text.title = annotation_title(a, i);
		TRY(annotation_each(a, i, show, r));
	}
	annotation_finish(a);
	return NULL;
}

static void json_begin(struct annotate_run *r)
{
	json_init(&r->json, r->out, true);
	json_object(&r->json);
	json_format(&r->json, DATA_LISTING_FORMAT, DATA_LISTING_VERSION);
	json_key(&r->json, "functions");
	json_array(&r->json);
}

static void json_finish(struct annotate_run *r)
{
	json_end(&r->json);
	json_end(&r->json);
	out_ch(r->out, '\n');
}

static struct strobe_error *run(struct annotate_run *r)
{
	const struct annotate_command *o = r->o;
	struct session *s = &r->session;
	const struct annotation_options options = { &o->request, o->symbol, o->skip_missing };
	struct strobe_error *damaged;
	if (s->env->is_pipe)
		peek_source(&s->source, NULL);
	s->env = source_env(s->source);
	TRY(annotation_create(s, &options, &r->annotation));
	TRY(annotation_resolve(r->annotation));
	if (o->raw)
		return raw_ordered(r->out, s->resolver, s->env, input_path(o->request.selection.input), true);
	TRY(session_aggregate(s, &damaged));
	set_up_text(r);
	if (o->format == ANNOTATE_JSON)
		json_begin(r);
	struct strobe_error *err = annotate_all(r);
	if (o->format == ANNOTATE_JSON)
		json_finish(r);
	/* What was complete has been shown; the damage is reported as well. */
	if (!err)
		return damaged;
	error_destroy(damaged);
	return err;
}

int annotate_run(struct cmd_context *ctx, const struct annotate_command *o)
{
	struct annotate_run r = { .ctx = ctx, .o = o };
	struct out out;
	struct strobe_error *err = session_open(&r.session, cmd_host(ctx), o->request.selection.input, o->request.selection.force);
	if (err)
		return cmd_fail(ctx, err);
	cmd_open_output(ctx, &out);
	r.out = &out;
	err = run(&r);
	int status = cmd_close_output(ctx, &out);
	int failed = err ? cmd_fail(ctx, err) : r.annotation && annotation_is_incomplete(r.annotation) ? CMD_FAILED : CMD_OK;
	status = status ? status : failed;
	if (status != CMD_BROKEN_PIPE && !o->request.display.quiet)
		input_remarks(cmd_host(ctx), r.session.reader, r.session.resolver ? resolver_stats(r.session.resolver) : NULL);
	annotation_destroy(r.annotation);
	session_close(&r.session);
	return status;
}
