/* strobe pprof: the reports of pprof, over its profiles and over recordings. */
#include <string.h>

#include "cmd/pprof/pprof.h"
#include "cmd/serve.h"
#include "pprof/choice.h"

struct pprof_options {
	const char *http, *symbolize;
	bool no_browser;
	bool top, text, tree, traces, tags, comments, proto, topproto, raw, dot, svg, png, pdf, ps, callgrind;
	bool web, eog, evince, gv, kcachegrind;
	const char *peek, *list, *disasm, *weblist;
	bool flat, cum;
	bool functions, file_functions, files, lines, addresses;
	bool inuse_space, inuse_objects, alloc_space, alloc_objects, contentions, total_delay, mean_delay;
	struct pprof_config config;
	struct profile_sources sources;
	unsigned verbose;
};

/* Empty names are ignored, as in pprof. */
static struct strobe_error *add_base(struct pprof_options *o, const char *value, bool is_diff)
{
	struct profile_sources *s = &o->sources;
	if (!value || !*value)
		return NULL;
	if (s->bases.len && s->is_diff_base != is_diff)
		return error_create(ERROR_USAGE, "cannot be combined with %s", is_diff ? "-base" : "-diff_base");
	s->is_diff_base = is_diff;
	vec_push(&s->bases, value);
	return NULL;
}

static struct strobe_error *parse_base(void *options, const char *value, bool negated)
{
	(void)negated;
	return add_base(options, value, false);
}

static struct strobe_error *parse_diff_base(void *options, const char *value, bool negated)
{
	(void)negated;
	return add_base(options, value, true);
}

static void release(void *options)
{
	struct pprof_options *o = options;
	vec_deinit(&o->sources.bases);
}

#define AT(field) offsetof(struct pprof_options, field)

static const struct option table[] = {
	{ OPTION_GROUP, .help = "Reports" },
	{ OPTION_BOOL, 0, "top", AT(top), .help = "list functions, the costliest first" },
	{ OPTION_BOOL, 0, "text", AT(text), .help = "the same" },
	{ OPTION_BOOL, 0, "tree", AT(tree), .help = "list functions with their callers and callees" },
	{ OPTION_STRING, 0, "peek", AT(peek), .arg = "regex", .help = "as -tree, for matching functions" },
	{ OPTION_STRING, 0, "list", AT(list), .arg = "regex", .help = "show the source of matching functions, with the cost of each line" },
	{ OPTION_STRING, 0, "disasm", AT(disasm), .arg = "regex|address", .help = "show the instructions of matching "
		"functions, with the cost of each" },
	{ OPTION_STRING, 0, "weblist", AT(weblist), .arg = "regex|address", .help = "show source and instructions, as an HTML page" },
	{ OPTION_BOOL, 0, "traces", AT(traces), .help = "list all distinct stacks" },
	{ OPTION_BOOL, 0, "tags", AT(tags), .help = "list labels and their values" },
	{ OPTION_BOOL, 0, "comments", AT(comments), .help = "print the comments of the profile" },
	{ OPTION_BOOL, 0, "proto", AT(proto), .help = "write the resulting profile" },
	{ OPTION_BOOL, 0, "topproto", AT(topproto), .help = "write a profile of the rows of -top, one sample per row" },
	{ OPTION_BOOL, 0, "raw", AT(raw), .help = "print the contents of the profile as text" },
	{ OPTION_BOOL, 0, "svg", AT(svg), .help = "draw the call graph, as SVG" },
	{ OPTION_BOOL, 0, "dot", AT(dot), .help = "write the call graph for graphviz" },
	{ OPTION_BOOL, 0, "png", AT(png), .help = "draw the call graph, as PNG (using librsvg and cairo)" },
	{ OPTION_BOOL, 0, "pdf", AT(pdf), .help = "draw the call graph, as PDF" },
	{ OPTION_BOOL, 0, "ps", AT(ps), .help = "draw the call graph, as PostScript" },
	{ OPTION_BOOL, 0, "web", AT(web), .help = "show the call graph in a browser" },
	{ OPTION_BOOL, 0, "eog", AT(eog), .help = "show the call graph in eog" },
	{ OPTION_BOOL, 0, "evince", AT(evince), .help = "show the call graph in evince" },
	{ OPTION_BOOL, 0, "gv", AT(gv), .help = "show the call graph in gv" },
	{ OPTION_BOOL, 0, "kcachegrind", AT(kcachegrind), .help = "show the call graph in KCachegrind" },
	{ OPTION_BOOL, 0, "callgrind", AT(callgrind), .help = "write the call graph for KCachegrind" },
	{ OPTION_BOOL, 0, "call_tree", AT(config.call_tree), .help = "in graphs: draw one node per call path of a function" },
	{ OPTION_STRING, 0, "output", AT(config.output), .arg = "file", .help = "output file" },
	{ OPTION_STRING, 0, "format", AT(config.format), .arg = "text|json", .help = "output format of -top (the default with json), "
		"-tree and -peek" },

	{ OPTION_GROUP, .help = "Samples" },
	{ OPTION_STRING, 0, "sample_index", AT(config.sample_index), .arg = "name|n",
	  .help = "sample value to report, by name or index (default: the last)" },
	{ OPTION_BOOL, 0, "inuse_space", AT(inuse_space), .help = "the same as --sample_index=inuse_space" },
	{ OPTION_BOOL, 0, "inuse_objects", AT(inuse_objects), .help = "the same as --sample_index=inuse_objects" },
	{ OPTION_BOOL, 0, "alloc_space", AT(alloc_space), .help = "the same as --sample_index=alloc_space" },
	{ OPTION_BOOL, 0, "alloc_objects", AT(alloc_objects), .help = "the same as --sample_index=alloc_objects" },
	{ OPTION_BOOL, 0, "contentions", AT(contentions), .help = "the same as --sample_index=contentions" },
	{ OPTION_BOOL, 0, "total_delay", AT(total_delay), .help = "the same as --sample_index=delay" },
	{ OPTION_BOOL, 0, "mean_delay", AT(mean_delay), .help = "the same as --mean --sample_index=delay" },
	{ OPTION_BOOL, 0, "mean", AT(config.mean), .help = "average: divide values by the first value (count)" },
	{ OPTION_STRING, 0, "http", AT(http), .arg = "[host]:[port]",
	  .help = "serve a web interface at this address (default: localhost, any free port) until interrupted" },
	{ OPTION_BOOL, 0, "no_browser", AT(no_browser), .help = "with -http: accepted for compatibility; no browser is started" },
	{ OPTION_CALL, 0, "base", .arg = "file", .parse = parse_base, .help = "subtract this profile; several profiles are merged" },
	{ OPTION_CALL, 0, "diff_base", .arg = "file", .parse = parse_diff_base, .help = "as -base, with percentages relative "
		"to this profile" },
	{ OPTION_BOOL, 0, "normalize", AT(config.normalize), .help = "scale to the total of the base first" },

	{ OPTION_GROUP, .help = "Filters" },
	{ OPTION_STRING, 0, "focus", AT(config.select.focus), .arg = "regex", .help = "only stacks with a matching frame" },
	{ OPTION_STRING, 0, "ignore", AT(config.select.ignore), .arg = "regex", .help = "only stacks without a matching frame" },
	{ OPTION_STRING, 0, "hide", AT(config.select.hide), .arg = "regex", .help = "hide matching frames" },
	{ OPTION_STRING, 0, "show", AT(config.select.show), .arg = "regex", .help = "show only matching frames" },
	{ OPTION_STRING, 0, "show_from", AT(config.select.show_from), .arg = "regex",
	  .help = "hide the callers of the outermost matching frame" },
	{ OPTION_STRING, 0, "prune_from", AT(config.select.prune_from), .arg = "regex",
	  .help = "hide the callees of the innermost matching frame" },
	{ OPTION_BOOL, 0, "all_frames", AT(sources.all_frames),
	  .help = "show frames dropped by the profile (drop_frames), such as allocators" },

	{ OPTION_STRING, 0, "tagfocus", AT(config.labels.focus), .arg = "regex|range", .help = "only samples with a matching label" },
	{ OPTION_STRING, 0, "tagignore", AT(config.labels.ignore), .arg = "regex|range", .help = "only samples without a matching label" },
	{ OPTION_STRING, 0, "tagshow", AT(config.labels.show), .arg = "regex", .help = "show only labels with a matching key" },
	{ OPTION_STRING, 0, "taghide", AT(config.labels.hide), .arg = "regex", .help = "hide labels with a matching key" },
	{ OPTION_STRING, 0, "tagroot", AT(config.labels.root), .arg = "keys", .help = "add labels with these keys as outermost frames" },
	{ OPTION_STRING, 0, "tagleaf", AT(config.labels.leaf), .arg = "keys", .help = "add labels with these keys as innermost frames" },

	{ OPTION_GROUP, .help = "Sources" },
	{ OPTION_I64, 0, "seconds", AT(sources.server.seconds), .arg = "n", .help = "duration of profiles fetched from "
		"servers, in seconds" },
	{ OPTION_I64, 0, "timeout", AT(sources.server.timeout_s), .arg = "n", .help = "timeout for fetching profiles, in seconds" },
	{ OPTION_STRING, 0, "tls_cert", AT(sources.server.tls_cert), .arg = "file", .help = "client certificate (PEM)" },
	{ OPTION_STRING, 0, "tls_key", AT(sources.server.tls_key), .arg = "file", .help = "key of the client certificate" },
	{ OPTION_STRING, 0, "tls_ca", AT(sources.server.tls_ca), .arg = "file", .help = "CA certificates for verifying servers" },
	{ OPTION_STRING, 0, "symbolize", AT(symbolize), .arg = "local|fastlocal|remote|none",
	  .help = "source of symbols: local binaries, their symbol tables only, the server of the profile, or none (default: "
		  "local, then remote); with :demangle=full|templates|none" },
	{ OPTION_STRING, 0, "buildid", AT(sources.build_id), .arg = "id", .help = "build ID of the main binary, overriding "
		"that of the profile" },
	{ OPTION_STRING, 0, "add_comment", AT(sources.add_comment), .arg = "text", .help = "add a comment to the profile" },

	{ OPTION_GROUP, .help = "Display" },
	{ OPTION_BOOL, 0, "flat", AT(flat), .help = "sort by flat (self) values (default)" },
	{ OPTION_BOOL, 0, "cum", AT(cum), .help = "sort by cumulative values" },
	{ OPTION_BOOL, 0, "functions", AT(functions), .help = "one row per function (default)" },
	{ OPTION_BOOL, 0, "filefunctions", AT(file_functions), .help = "one row per function and source file" },
	{ OPTION_BOOL, 0, "files", AT(files), .help = "one row per source file" },
	{ OPTION_BOOL, 0, "lines", AT(lines), .help = "one row per source line" },
	{ OPTION_BOOL, 0, "addresses", AT(addresses), .help = "one row per address" },
	{ OPTION_BOOL, 0, "noinlines", AT(config.no_inlines), .help = "attribute inlined functions to their callers" },
	{ OPTION_BOOL, 0, "intel_syntax", AT(config.intel_syntax), .help = "use Intel syntax for -disasm and -weblist" },
	{ OPTION_STRING, 0, "source_path", AT(config.source_path), .arg = "dirs",
	  .help = "search path for source files, separated by ':' (default: current directory)" },
	{ OPTION_STRING, 0, "trim_path", AT(config.trim_path), .arg = "dirs", .help = "path prefixes to strip from source "
		"files before searching" },
	{ OPTION_STRING, 0, "unit", AT(config.unit), .arg = "unit", .help = "unit of values: ms, MB, auto" },
	{ OPTION_F64, 0, "divide_by", AT(config.divide_by), .arg = "n", .help = "divide values by this" },
	{ OPTION_I64, 0, "nodecount", AT(config.node_count), .arg = "n", .help = "maximum number of nodes (default: 80; -top: no limit)" },
	{ OPTION_F64, 0, "nodefraction", AT(config.node_fraction), .arg = "f", .help = "hide nodes below this fraction of the "
		"total (default: 0.005)" },
	{ OPTION_F64, 0, "edgefraction", AT(config.edge_fraction), .arg = "f", .help = "hide edges below this fraction of the "
		"total (default: 0.001)" },
	{ OPTION_BOOL, 0, "trim", AT(config.trim), .help = "apply -nodefraction, -edgefraction and -nodecount (on)" },
	{ OPTION_BOOL, 0, "drop_negative", AT(config.drop_negative), .help = "ignore negative differences" },
	{ OPTION_BOOL, 0, "relative_percentages", AT(config.relative), .help = "percentages of the samples selected by filters" },
	{ OPTION_BOOL, 0, "compact_labels", AT(config.compact_labels), .help = "print a shorter header" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct pprof_options *o = options;
	pprof_config_defaults(&o->config);
	o->sources.server.seconds = -1;
}

/* ---- the request ---- */

/* NULL in *ret: the prompt. */
static struct strobe_error *choose_report(const struct pprof_options *o, const struct pprof_report_kind **ret)
{
	const struct pprof_choice reports[] = {
		{ o->top || o->text, "top" }, { o->tree, "tree" }, { o->peek != NULL, "peek" }, { o->list != NULL, "list" },
		{ o->disasm != NULL, "disasm" }, { o->weblist != NULL, "weblist" }, { o->traces, "traces" },
		{ o->tags, "tags" }, { o->comments, "comments" }, { o->proto, "proto" }, { o->raw, "raw" }, { o->dot, "dot" },
		{ o->svg, "svg" }, { o->callgrind, "callgrind" }, { o->topproto, "topproto" }, { o->png, "png" },
		{ o->pdf, "pdf" }, { o->ps, "ps" }, { o->web, "web" }, { o->eog, "eog" }, { o->evince, "evince" },
		{ o->gv, "gv" }, { o->kcachegrind, "kcachegrind" },
	};
	TRY(pprof_choose_kind(reports, sizeof(reports) / sizeof(*reports), ret));
	if (!*ret && !o->http && pprof_config_is_json(&o->config))
		*ret = pprof_kind("top", strlen("top"));
	return NULL;
}

/* Options that are settings at the prompt. */
static struct strobe_error *choose_settings(struct pprof_options *o)
{
	struct pprof_config *c = &o->config;
	const struct pprof_choice sorts[] = { { o->flat, "flat", "flat" }, { o->cum, "cum", "cum" } };
	const struct pprof_choice granularities[] = {
		{ o->functions, "functions", "functions" }, { o->file_functions, "filefunctions", "filefunctions" },
		{ o->files, "files", "files" }, { o->lines, "lines", "lines" }, { o->addresses, "addresses", "addresses" },
	};
	const struct pprof_choice values[] = {
		{ c->sample_index != NULL, "sample_index", c->sample_index }, { o->inuse_space, "inuse_space", "inuse_space" },
		{ o->inuse_objects, "inuse_objects", "inuse_objects" }, { o->alloc_space, "alloc_space", "alloc_space" },
		{ o->alloc_objects, "alloc_objects", "alloc_objects" }, { o->contentions, "contentions", "contentions" },
		{ o->total_delay, "total_delay", "delay" }, { o->mean_delay, "mean_delay", "delay" },
	};
	TRY(PPROF_CHOOSE(sorts, &c->sort));
	TRY(PPROF_CHOOSE(granularities, &c->granularity));
	TRY(PPROF_CHOOSE(values, &c->sample_index));
	c->mean |= o->mean_delay;
	return NULL;
}

/* -http: pages begin with the settings of the command line. */
static struct strobe_error *serve_pages(const struct pprof_session *s, const struct pprof_options *o)
{
	const struct pprof_config *c = &o->config;
	struct source_paths paths;
	TRY(serve_source_paths(o->http, c->source_path, c->trim_path, &paths));
	return serve_profile(s->ctx, o->http, o->sources.names[0], s->merged.profile, pprof_config_page(c, &s->ctx->words), &paths,
			     c->intel_syntax ? DISASM_INTEL : DISASM_ATT);
}

static bool has_server(const struct cmd_context *ctx)
{
	for (int i = 0; i < ctx->rest.argc; i++)
		if (profile_fetch_is_server(ctx->rest.argv[i]))
			return true;
	return false;
}

/* Settings that pages do not support. Percentages of pages are always relative, and pages have no header to hide. */
static struct strobe_error *check_served(const struct pprof_options *o)
{
	const struct pprof_config *c = &o->config;
	if (c->mean || c->output || c->format)
		return error_create(ERROR_USAGE, "-http does not support -%s", c->mean ? "mean" : c->output ? "output" : "format");
	return NULL;
}

static struct strobe_error *check(const struct cmd_context *ctx, const struct pprof_options *o, const struct pprof_report_kind *kind)
{
	if (o->http && kind)
		return error_create(ERROR_USAGE, "-http cannot be combined with -%s: it serves all reports", kind->name);
	if (o->http)
		TRY(check_served(o));
	if (o->no_browser && !o->http)
		return error_create(ERROR_USAGE, "-no_browser requires -http");
	if (!ctx->rest.argc)
		return error_create(ERROR_USAGE, "specify a profile: a pprof file, a recording or a URL");
	if (o->config.normalize && !o->sources.bases.len)
		return error_create(ERROR_USAGE, "-normalize requires -base or -diff_base");
	return pprof_config_check(&o->config);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct pprof_options *o = options;
	const struct pprof_report_kind *kind;
	struct pprof_session session = { .ctx = ctx };
	struct strobe_error *err = choose_report(o, &kind);
	if (!err)
		err = choose_settings(o);
	if (!err)
		err = check(ctx, o, kind);
	if (!err)
		err = symbolize_parse(o->symbolize, &o->sources.symbolize);
	if (!err && o->sources.symbolize.where == SYMBOLIZE_REMOTE && !has_server(ctx))
		err = error_create(ERROR_USAGE, "-symbolize=remote requires a profile fetched from a server");
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	o->sources.nr = ctx->rest.argc;
	o->sources.names = (const char *const *)ctx->rest.argv;
	pprof_choose_sources(&o->config, kind, &o->sources);
	err = profile_sources_read(cmd_host(ctx), &ctx->words, &o->sources, &session.merged);
	if (!err && session.merged.was_fetched)
		err = pprof_save_fetched(&session);
	int status = CMD_OK;
	if (!err && o->http)
		err = serve_pages(&session, o);
	else if (!err && !kind)
		status = pprof_run_prompt(&session, &o->config);
	else if (!err)
		err = pprof_report_to_output(&session, &o->config, kind,
					     o->peek ? o->peek : o->list ? o->list : o->disasm ? o->disasm : o->weblist);
	merged_profile_deinit(&session.merged);
	if (!error_is(err, ERROR_STOPPED))
		return err ? cmd_fail(ctx, err) : status;
	error_destroy(err);
	return CMD_FAILED;
}

const struct cmd cmd_pprof = {
	.name = "pprof",
	.summary = "Print pprof reports of profiles and recordings",
	.usage = (const char *const[]){ "pprof [-top|-tree|-peek=REGEX|-traces|-svg|-proto|...] [<options>] FILE|URL...", NULL },
	.options = table,
	.options_bytes = sizeof(struct pprof_options),
	.defaults = defaults,
	.release = release,
	.run = run,
	.permute = true,
	.single_dash = true,
};
