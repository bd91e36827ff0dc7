#include "view/recorded/code_printing.h"

#include <string.h>

#include "dump/raw.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/annotation.h"
#include "view/data/layout_json.h"
#include "view/data/listing_json.h"
#include "view/text/layout_text.h"

struct code_printing {
	const struct recorded_code_options *o;
	struct session *session;
	struct annotation *annotation;
	struct listing_text_options text;
	struct out *out;
	struct json json;
	size_t shown; /* types */
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

/* ---- types of data ---- */

/* With or without the first word, "struct node" or "node". */
static bool is_named(const struct layout *l, const char *name)
{
	const char *last = strchr(l->type, ' ');
	return !name || !strcmp(l->type, name) || (last && !strcmp(last + 1, name));
}

static void begin_types(void *ctx, const struct layout_stats *s)
{
	struct code_printing *p = ctx;
	if (p->o->format == RECORDED_CODE_JSON) {
		json_object(&p->json);
		data_layout_stats_json(&p->json, s);
		json_key(&p->json, "types");
		json_array(&p->json);
		return;
	}
	if (p->o->types.reasons)
		text_layout_reasons(p->out, s);
	if (p->o->types.mnemonics)
		text_layout_mnemonics(p->out, s);
}

static bool show_type(void *ctx, const struct layout *l)
{
	struct code_printing *p = ctx;
	if (!is_named(l, p->o->types.name))
		return true;
	if (p->o->format == RECORDED_CODE_JSON)
		data_layout_json(&p->json, l);
	else
		text_layout(p->out, l, p->o->shown, l->events.len > 1 || annotation_parts(p->annotation) > 1);
	p->shown++;
	return !out_failed(p->out);
}

static struct strobe_error *print_types_of(struct code_printing *p, size_t part)
{
	TRY(annotation_types(p->annotation, part, &(const struct annotation_types){ begin_types, show_type, p }));
	if (p->o->format == RECORDED_CODE_JSON) {
		json_end(&p->json);
		json_end(&p->json);
	}
	return NULL;
}

static struct strobe_error *print_types(struct code_printing *p)
{
	const char *name = p->o->types.name;
	TRY(annotation_find(p->annotation));
	for (size_t i = 0; i < annotation_parts(p->annotation); i++)
		TRY(print_types_of(p, i));
	if (!p->shown && name)
		return error_create(ERROR_NOT_FOUND, "no access of type '%s' is known; see --type-stat, and --data-type for others", name);
	if (!p->shown && p->o->format != RECORDED_CODE_JSON && !p->o->request->display.quiet)
		session_say(p->session->host, "no type of data is known: --type-stat shows why");
	return NULL;
}

/* ---- all ---- */

static struct strobe_error *print_parts(struct code_printing *p)
{
	return p->o->types.shown ? print_types(p) : print_functions(p);
}

static struct strobe_error *print_json(struct code_printing *p)
{
	bool types = p->o->types.shown;
	json_init(&p->json, p->out, true);
	json_object(&p->json);
	json_format(&p->json, types ? DATA_LAYOUT_FORMAT : DATA_LISTING_FORMAT, types ? DATA_LAYOUT_VERSION : DATA_LISTING_VERSION);
	json_key(&p->json, types ? "parts" : "functions");
	json_array(&p->json);
	struct strobe_error *err = print_parts(p);
	json_end(&p->json);
	json_end(&p->json);
	out_ch(p->out, '\n');
	return err;
}

static struct strobe_error *print_recording(struct code_printing *p)
{
	const struct report_request *request = p->o->request;
	const struct annotation_options options = { request, p->o->symbol, p->o->skip_missing, p->o->with_types };
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
	struct strobe_error *err = p->o->format == RECORDED_CODE_JSON ? print_json(p) : print_parts(p);
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
