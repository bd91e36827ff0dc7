#include "view/recorded/code_printing.h"

#include "dump/raw.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/annotation.h"
#include "view/data/listing_json.h"

struct code_printing {
	const struct recorded_code_options *o;
	struct session *session;
	struct annotation *annotation;
	struct listing_text_options text;
	struct out *out;
	struct json json;
};

static struct listing_text_options text_options(const struct recorded_code_options *o)
{
	const struct code_look *look = &o->request->code.look;
	struct listing_text_options text = o->colours;
	text.share = look->share;
	text.shown = o->shown;
	text.with_source = !look->no_source;
	text.raw_bytes = look->raw;
	text.lines = look->line_numbers;
	text.full_paths = look->full_paths;
	text.counts = o->request->verbose > 0;
	return text;
}

static bool show(void *ctx, const struct listing *l)
{
	struct code_printing *p = ctx;
	switch (p->o->format) {
	case RECORDED_CODE_TEXT: text_listing(p->out, l, &p->text); break;
	case RECORDED_CODE_COMPACT: text_listing_compact(p->out, l, &p->text); break;
	case RECORDED_CODE_JSON: data_listing_json(&p->json, l, p->o->request->code.look.share); break;
	}
	return !out_failed(p->out);
}

static struct strobe_error *print_functions(struct code_printing *p)
{
	struct annotation *a = p->annotation;
	TRY(annotation_find(a));
	for (size_t i = 0; i < annotation_parts(a); i++) {
		p->text.title = annotation_title(a, i);
		TRY(annotation_each(a, i, show, p));
	}
	annotation_finish(a);
	return NULL;
}

static struct strobe_error *print_json(struct code_printing *p)
{
	json_init(&p->json, p->out, true);
	json_object(&p->json);
	json_format(&p->json, DATA_LISTING_FORMAT, DATA_LISTING_VERSION);
	json_key(&p->json, "functions");
	json_array(&p->json);
	struct strobe_error *err = print_functions(p);
	json_end(&p->json);
	json_end(&p->json);
	out_ch(p->out, '\n');
	return err;
}

static struct strobe_error *print_recording(struct code_printing *p)
{
	const struct report_request *request = p->o->request;
	const struct annotation_options options = { request, p->o->symbol, p->o->skip_missing };
	struct session *s = p->session;
	struct strobe_error *damage;
	if (s->env->is_pipe)
		peek_source(&s->source, NULL);
	s->env = source_env(s->source);
	TRY(annotation_create(s, &options, &p->annotation));
	TRY(annotation_resolve(p->annotation));
	if (p->o->raw)
		return raw_ordered(p->out, s->resolver, s->env, input_path(request->selection.input), true);
	TRY(session_aggregate(s, &damage));
	struct strobe_error *err = p->o->format == RECORDED_CODE_JSON ? print_json(p) : print_functions(p);
	/* Complete records have been shown; the error is reported, too. */
	if (!err)
		return damage;
	error_destroy(damage);
	return err;
}

struct strobe_error *recorded_code_print(struct session *s, const struct recorded_code_options *options, struct out *out,
					 bool *ret_incomplete)
{
	struct code_printing p = { .o = options, .session = s, .text = text_options(options), .out = out };
	struct strobe_error *err = print_recording(&p);
	*ret_incomplete = p.annotation && annotation_is_incomplete(p.annotation);
	annotation_destroy(p.annotation);
	return err;
}
