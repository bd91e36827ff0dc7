/* The work of `strobe report`, once its options are known. */
#include "cmd/colours.h"
#include "cmd/report/run.h"
#include "cmd/report/screen.h"
#include "dump/facts.h"
#include "dump/header_text.h"
#include "dump/raw.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/cycles.h"
#include "view/data/data.h"
#include "view/text/text.h"

struct report_command {
	struct cmd_context *ctx;
	const struct report_options *o;
	struct report_session report;
	struct thread_reads reads; /* -T */
	struct out *out;
};

/* ---- showing ---- */

/* Not an error: a program may be done before the first sample is due, and filters may leave nothing. */
static void say_empty(const struct report_command *c)
{
	bool any = false;
	const struct resolver *resolver = c->report.session.resolver;
	const struct resolve_stats *stats = resolver ? resolver_stats(resolver) : NULL;
	const char *input = input_path(c->o->request.selection.input);
	for (uint32_t i = 0; stats && i < stats->events_nr; i++)
		any |= stats->events[i].samples;
	cmd_say(c->ctx, any ? "no samples of %s match the filters" : "%s has no samples", input);
}

/* "# comm: NAME" for filters on one name, whose columns are left out. */
static void print_filters(const struct report_command *c)
{
	struct report_only only[REPORT_ONLY_MAX];
	unsigned n = report_only(&c->report.query, only);
	for (unsigned i = 0; i < n; i++) {
		out_f(c->out, "# %s: ", only[i].column);
		out_text_str(c->out, only[i].value);
		out_ch(c->out, '\n');
	}
}

static void print_text(struct report_command *c, const struct report *report)
{
	struct report_text text = report_text(&c->report);
	colour_report(c->ctx, c->o->colour, &text);
	text_report(c->out, report, &text);
	if (c->o->show_threads)
		facts_reads(c->out, c->report.session.env, &c->reads, c->o->raw_reads);
}

static struct strobe_error *print_rows(struct report_command *c)
{
	struct report_built b = {};
	TRY(report_build(&c->report, &b));
	if (!b.report.parts_nr)
		say_empty(c);
	if (c->o->format == REPORT_JSON)
		data_report_json(c->out, &b.report);
	else if (c->o->format == REPORT_CSV)
		data_report_csv(c->out, &b.report);
	else if (b.report.parts_nr)
		print_text(c, &b.report);
	report_built_deinit(&c->report, &b);
	return NULL;
}

static bool is_text(const struct report_options *o)
{
	return o->format == REPORT_STDIO && !o->request.display.quiet && !report_draws(o);
}

static struct strobe_error *show(struct report_command *c)
{
	const struct report_options *o = c->o;
	if (is_text(o))
		print_filters(c);
	report_elide(&c->report.query, c->report.profile);
	if (o->flamegraph)
		return report_write_flamegraph(&c->report, o->flamegraph);
	if (o->html)
		return report_write_html(&c->report, o);
	return o->web ? report_serve(&c->report, c->ctx, o) : print_rows(c);
}

static struct strobe_error *print_raw(struct report_command *c)
{
	struct report_session *r = &c->report;
	const char *input = input_path(c->o->request.selection.input);
	if (c->o->disable_order)
		return raw_all(c->out, r->session.source, input);
	TRY(report_resolve(r));
	return raw_ordered(c->out, r->session.resolver, r->session.env, input, c->o->request.grouping.skip_empty);
}

/* --stats, --tasks and --mmaps: nothing is resolved. */
static struct strobe_error *print_facts(struct report_command *c)
{
	const struct report_options *o = c->o;
	struct session *s = &c->report.session;
	s->resolver = resolver_create(s->source, (struct symbols_options){}, (struct resolve_options){});
	struct strobe_error *err = resolve_count(s->resolver);
	if (o->stats)
		facts_stats(c->out, s->env, resolver_stats(s->resolver), o->request.grouping.skip_empty);
	machine_seal(resolver_machine(s->resolver));
	if (o->tasks || o->mmaps)
		facts_tasks(c->out, resolver_machine(s->resolver), o->mmaps);
	return err;
}

/* What is above a report; options that are wrong have been reported by then. */
static void print_head(const struct report_command *c)
{
	const struct report_options *o = c->o;
	if (o->header || o->header_only)
		header_text_print(c->out, c->report.session.env, o->full_header);
	else if (c->report.session.source && is_text(o) && !o->stats && !o->tasks && !o->mmaps)
		text_header_hint(c->out);
}

static struct strobe_error *print_report(struct report_command *c)
{
	struct strobe_error *damage = NULL;
	TRY(report_prepare(&c->report));
	print_head(c);
	if (c->o->total_cycles)
		return report_print_cycles(&c->report, c->out);
	struct strobe_error *err = report_aggregate(&c->report, &damage);
	if (!err)
		err = show(c);
	/* What was whole has been shown; what was not is reported as well. */
	if (!err)
		return damage;
	error_destroy(damage);
	return err;
}

static struct strobe_error *run(struct report_command *c)
{
	const struct report_options *o = c->o;
	struct session *s = &c->report.session;
	bool is_facts = o->stats || o->tasks || o->mmaps;
	if (!s->source)
		return o->header || o->header_only || o->raw || is_facts || o->show_threads ?
			error_create(ERROR_USAGE, "%s is not a recording: it has no header, records and tasks to show",
				     input_path(o->request.selection.input)) : print_report(c);
	if (s->env->is_pipe || o->show_threads)
		peek_source(&s->source, o->show_threads ? &c->reads : NULL);
	s->env = source_env(s->source);
	if (!o->header_only && !o->raw && !is_facts)
		return print_report(c);
	print_head(c);
	if (o->header_only)
		return NULL;
	return o->raw ? print_raw(c) : print_facts(c);
}

static enum report_purpose purpose_of(const struct report_options *o)
{
	if (o->total_cycles)
		return REPORT_FOR_CYCLES;
	return report_pages(o) ? REPORT_FOR_PAGE : report_draws(o) ? REPORT_FOR_PICTURE : REPORT_FOR_ROWS;
}

static int report_printed(struct cmd_context *ctx, const struct report_options *o)
{
	struct out out;
	struct report_command c = { .ctx = ctx, .o = o, .out = &out };
	struct session *s = &c.report.session;
	report_session_init(&c.report, &o->request);
	struct strobe_error *err = report_open(&c.report, cmd_host(ctx), o->request.selection.input, o->request.selection.force);
	if (err) {
		report_session_deinit(&c.report);
		return cmd_fail(ctx, err);
	}
	cmd_open_output(ctx, &out);
	err = run(&c);
	int status = cmd_close_output(ctx, &out);
	if (err) {
		int failed = cmd_fail(ctx, err);
		status = status ? status : failed;
	}
	if (status != CMD_BROKEN_PIPE && !o->request.display.quiet)
		session_remarks(s, o->request.verbose);
	vec_deinit(&c.reads.all);
	report_session_deinit(&c.report);
	return status;
}

int report_run(struct cmd_context *ctx, struct report_options *o)
{
	o->request.program = ctx->program;
	o->request.purpose = purpose_of(o);
	struct screen *screen = report_open_screen(ctx, o);
	if (screen)
		return report_browse(ctx, o, screen);
	if (o->diff_base && !report_pages(o))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--diff-base requires the full screen, --html or --web; "
			"see also flamegraph and pprof"));
	return report_printed(ctx, o);
}
