#include "view/recorded/printing.h"

#include "dump/facts.h"
#include "dump/header_text.h"
#include "dump/raw.h"
#include "dump/conversion/samples_json.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/cycles.h"
#include "view/data/data.h"

struct printing {
	struct report_session *r;
	const struct recorded_print_options *o;
	struct thread_reads reads;
	struct out *out;
};

static const char *input_of(const struct printing *p)
{
	return input_path(p->r->request.selection.input);
}

static bool is_facts(const struct recorded_print_options *o)
{
	return o->stats || o->tasks || o->mmaps;
}

/* Whether rows are printed as text, with headings and remarks. */
static bool is_explained(const struct printing *p)
{
	return p->o->format == RECORDED_TEXT && !p->r->request.display.quiet && !p->o->draw;
}

/* ---- the report ---- */

/* Not an error: a program may end before the first sample, and filters may exclude everything. */
static void say_empty(const struct printing *p)
{
	bool any = false;
	const struct resolver *resolver = p->r->session.resolver;
	const struct resolve_stats *stats = resolver ? resolver_stats(resolver) : NULL;
	for (uint32_t i = 0; stats && i < stats->events_nr; i++)
		any |= stats->events[i].samples;
	session_say(p->r->session.host, any ? "no samples of %s match the filters" : "%s has no samples", input_of(p));
}

/* "# comm: NAME" for filters on one name, whose columns are left out. */
static void print_filters(const struct printing *p)
{
	struct report_only only[REPORT_ONLY_MAX];
	unsigned n = report_only(&p->r->query, only);
	for (unsigned i = 0; i < n; i++) {
		out_f(p->out, "# %s: ", only[i].column);
		out_text_str(p->out, only[i].value);
		out_ch(p->out, '\n');
	}
}

static void print_text(const struct printing *p, const struct report *report)
{
	struct report_text text = report_text(p->r);
	text.colour_high = p->o->colours.colour_high;
	text.colour_medium = p->o->colours.colour_medium;
	text.colour_off = p->o->colours.colour_off;
	text_report(p->out, report, &text);
	if (p->o->show_reads)
		facts_reads(p->out, p->r->session.env, &p->reads, p->o->raw_reads);
}

static struct strobe_error *print_rows(const struct printing *p)
{
	struct report_built b = {};
	TRY(report_build(p->r, &b));
	if (!b.report.parts_nr)
		say_empty(p);
	if (p->o->format == RECORDED_JSON)
		data_report_json(p->out, &b.report);
	else if (p->o->format == RECORDED_CSV)
		data_report_csv(p->out, &b.report);
	else if (b.report.parts_nr)
		print_text(p, &b.report);
	report_built_deinit(p->r, &b);
	return NULL;
}

static struct strobe_error *show(const struct printing *p)
{
	if (is_explained(p))
		print_filters(p);
	report_elide(&p->r->query, p->r->profile);
	return p->o->draw ? p->o->draw(p->o->ctx, p->r) : print_rows(p);
}

/* The lines above a report; invalid options have been reported before. */
static void print_head(const struct printing *p)
{
	if (p->o->header || p->o->header_only)
		header_text_print(p->out, p->r->session.env, p->o->full_header);
	else if (p->r->session.source && is_explained(p) && !is_facts(p->o))
		text_header_hint(p->out);
}

static void print_header_json(const struct printing *p)
{
	struct json j;
	json_init(&j, p->out, true);
	json_object(&j);
	json_format(&j, "strobe-header", 1);
	headers_json(&j, p->r->session.env);
	json_end(&j);
	out_ch(p->out, '\n');
}

/* The option whose answer has no data in this format; or NULL. */
static const char *text_alone(const struct recorded_print_options *o)
{
	const struct {
		bool is_set;
		const char *name;
	} options[] = {
		{ o->header && !o->header_only, "--header" }, { o->header_only && o->format == RECORDED_CSV, "--header-only" },
		{ o->stats, "--stats" }, { o->tasks, "--tasks" }, { o->mmaps, "--mmaps" }, { o->raw, "-D" }, { o->show_reads, "-T" },
		{ o->total_cycles, "--total-cycles" },
	};
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].is_set && o->format != RECORDED_TEXT)
			return options[i].name;
	return NULL;
}

static struct strobe_error *print_report(const struct printing *p)
{
	struct strobe_error *damage = NULL;
	TRY(report_prepare(p->r));
	print_head(p);
	if (p->o->total_cycles)
		return report_print_cycles(p->r, p->out);
	struct strobe_error *err = report_aggregate(p->r, &damage);
	if (!err)
		err = show(p);
	/* Complete records have been shown; the error is reported, too. */
	if (!err)
		return damage;
	error_destroy(damage);
	return err;
}

/* ---- in its place ---- */

static struct strobe_error *print_raw(const struct printing *p)
{
	const struct session *s = &p->r->session;
	if (p->o->disable_order)
		return raw_all(p->out, s->source, input_of(p));
	TRY(report_resolve(p->r));
	return raw_ordered(p->out, s->resolver, s->env, input_of(p), p->r->request.grouping.skip_empty);
}

/* Nothing is resolved. */
static struct strobe_error *print_facts(const struct printing *p)
{
	struct session *s = &p->r->session;
	struct strobe_error *err = session_count(s);
	if (p->o->stats)
		facts_stats(p->out, s->env, resolver_stats(s->resolver), p->r->request.grouping.skip_empty);
	if (p->o->tasks || p->o->mmaps)
		facts_tasks(p->out, resolver_machine(s->resolver), p->o->mmaps);
	return err;
}

static struct strobe_error *print_recording(struct printing *p)
{
	const struct recorded_print_options *o = p->o;
	struct session *s = &p->r->session;
	if (s->env->is_pipe || o->show_reads)
		peek_source(&s->source, o->show_reads ? &p->reads : NULL);
	s->env = source_env(s->source);
	if (!o->header_only && !o->raw && !is_facts(o))
		return print_report(p);
	if (o->header_only && o->format == RECORDED_JSON)
		print_header_json(p);
	else
		print_head(p);
	if (o->header_only)
		return NULL;
	return o->raw ? print_raw(p) : print_facts(p);
}

struct strobe_error *recorded_print(struct report_session *r, const struct recorded_print_options *options, struct out *out)
{
	struct printing p = { .r = r, .o = options, .out = out };
	const char *text = text_alone(options);
	if (text)
		return error_create(ERROR_USAGE, "%s prints text and cannot be combined with --format json or csv", text);
	if (r->session.source) {
		struct strobe_error *err = print_recording(&p);
		vec_deinit(&p.reads.all);
		return err;
	}
	if (options->header || options->header_only || options->raw || is_facts(options) || options->show_reads)
		return error_create(ERROR_USAGE, "%s is not a recording: it has no header, records and tasks to show", input_of(&p));
	return print_report(&p);
}
