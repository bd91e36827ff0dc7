/* The work of `strobe report`, behind its options. */
#include "cmd/report/load.h"
#include "cmd/report/run.h"
#include "cmd/report/screen.h"
#include "dump/facts.h"
#include "dump/header_text.h"
#include "dump/raw.h"
#include "session/input.h"
#include "view/data/data.h"
#include "view/text/text.h"

/* ---- showing ---- */

/* Not an error: a program may be done before the first sample is due, and filters may leave nothing. */
static void say_empty(const struct report_run *r)
{
	bool any = false;
	const struct resolve_stats *stats = resolver_stats(r->resolver);
	for (uint32_t i = 0; i < stats->events_nr; i++)
		any |= stats->events[i].samples;
	if (any)
		cmd_say(r->ctx, "no samples of %s match the filters", input_path(r->o->selection.input));
	else
		cmd_say(r->ctx, "%s has no samples", input_path(r->o->selection.input));
}

/* "# comm: NAME" for filters on one name, whose columns are left out. */
static void print_filters(const struct report_run *r, struct out *out)
{
	struct report_only only[REPORT_ONLY_MAX];
	unsigned n = report_only(&r->query, only);
	for (unsigned i = 0; i < n; i++) {
		out_f(out, "# %s: ", only[i].column);
		out_text_str(out, only[i].value);
		out_ch(out, '\n');
	}
}

static struct strobe_error *show(struct report_run *r, struct out *out)
{
	const struct report_options *o = r->o;
	struct report_built b = {};
	if (o->format == REPORT_STDIO && !o->display.quiet && !report_draws(o))
		print_filters(r, out);
	report_elide(&r->query);
	if (o->flamegraph)
		return report_write_flamegraph(r);
	if (o->html)
		return report_write_html(r);
	if (o->web)
		return report_serve(r);
	TRY(report_build(r, &b));
	struct report_text text = report_text(r);
	if (!b.report.parts_nr)
		say_empty(r);
	switch (o->format) {
	case REPORT_STDIO:
		if (!b.report.parts_nr)
			break;
		text_report(out, &b.report, &text);
		if (o->show_threads)
			facts_reads(out, r->env, &r->reads, o->raw_reads);
		break;
	case REPORT_JSON: data_report_json(out, &b.report); break;
	case REPORT_CSV: data_report_csv(out, &b.report); break;
	}
	report_built_deinit(r, &b);
	return NULL;
}

static struct strobe_error *print_raw(struct report_run *r, struct out *out)
{
	TRY(report_make_resolver(r));
	return raw_ordered(out, r->resolver, r->env, input_path(r->o->selection.input), r->o->grouping.skip_empty);
}

/* --stats, --tasks and --mmaps: nothing is resolved. */
static struct strobe_error *print_facts(struct report_run *r, struct out *out)
{
	const struct report_options *o = r->o;
	r->resolver = resolver_create(r->source, (struct symbols_options){}, (struct resolve_options){});
	struct strobe_error *err = resolve_count(r->resolver);
	if (o->stats)
		facts_stats(out, r->env, resolver_stats(r->resolver), o->grouping.skip_empty);
	machine_seal(resolver_machine(r->resolver));
	if (o->tasks || o->mmaps)
		facts_tasks(out, resolver_machine(r->resolver), o->mmaps);
	return err;
}

/* What stands above a report; options that are wrong have been told by then. */
static void print_head(const struct report_run *r, struct out *out)
{
	const struct report_options *o = r->o;
	bool as_text = o->format == REPORT_STDIO && !o->display.quiet && !report_draws(o);
	if (o->header || o->header_only)
		header_text_print(out, r->env, o->full_header);
	else if (as_text && !o->stats && !o->tasks && !o->mmaps)
		text_header_hint(out);
}

static struct strobe_error *print_report(struct report_run *r, struct report_options *o, struct out *out)
{
	struct strobe_error *damage = NULL;
	TRY(report_prepare(r, o));
	print_head(r, out);
	if (o->total_cycles)
		return report_print_cycles(r, out);
	struct strobe_error *err = report_aggregate(r, &damage);
	if (!err)
		err = show(r, out);
	/* What was whole has been shown; what was not is told as well. */
	if (!err)
		return damage;
	error_destroy(damage);
	return err;
}

static struct strobe_error *run(struct report_run *r, struct report_options *o, struct out *out)
{
	if (source_env(r->source)->is_pipe || o->show_threads)
		peek_source(&r->source, o->show_threads ? &r->reads : NULL);
	r->env = source_env(r->source);
	bool is_raw = !o->header_only && o->raw, is_facts = o->stats || o->tasks || o->mmaps;
	if (!o->header_only && !is_raw && !is_facts)
		return print_report(r, o, out);
	print_head(r, out);
	if (o->header_only)
		return NULL;
	if (is_raw && o->disable_order)
		return raw_all(out, r->source, input_path(o->selection.input));
	return is_raw ? print_raw(r, out) : print_facts(r, out);
}

int report_run(struct cmd_context *ctx, struct report_options *o)
{
	struct report_run r;
	struct out out;
	struct screen *screen = report_open_screen(ctx, o);
	if (screen)
		return report_browse(ctx, o, screen);
	if (o->diff_base && !report_pages(o))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--diff-base requires the full screen, --html or --web; "
			"see also flamegraph and pprof"));
	report_run_init(&r, ctx, o);
	struct strobe_error *err = input_open(o->selection.input, o->selection.force, &r.source);
	if (err) {
		report_run_deinit(&r);
		return cmd_fail(ctx, err);
	}
	cmd_open_output(ctx, &out);
	struct record_source *file = r.source;
	err = run(&r, o, &out);
	int status = cmd_close_output(ctx, &out);
	if (err) {
		int failed = cmd_fail(ctx, err);
		status = status ? status : failed;
	}
	bool heard = status != CMD_BROKEN_PIPE && !o->display.quiet;
	if (heard)
		input_remarks(cmd_host(ctx), file, r.resolver ? resolver_stats(r.resolver) : NULL);
	if (heard && r.resolver)
		symbols_remarks(cmd_host(ctx), resolver_symbols(r.resolver), o->verbose);
	vec_deinit(&r.reads.all);
	profile_destroy(r.profile);
	tracepoints_destroy(r.tracepoints);
	resolver_destroy(r.resolver);
	source_destroy(r.source);
	report_run_deinit(&r);
	return status;
}
