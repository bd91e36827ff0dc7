/* strobe pprof: the reports of pprof, over its profiles and over recordings. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pprof/pprof.h"
#include "cmd/serve.h"

struct pprof_command {
	const char *http, *symbolize;
	bool no_browser;
	bool top, text, tree, traces, tags, comments, proto, topproto, raw, dot, svg, png, pdf, ps, callgrind;
	bool web, eog, evince, gv, kcachegrind;
	const char *peek, *list, *disasm, *weblist;
	bool flat, cum;
	bool functions, file_functions, files, lines, addresses;
	bool inuse_space, inuse_objects, alloc_space, alloc_objects, contentions, total_delay, mean_delay;
	struct pprof_config config;
	struct pprof_sources sources;
	unsigned verbose;
};

/* Empty names are none, as with pprof. */
static struct strobe_error *add_base(struct pprof_command *o, const char *value, bool is_diff)
{
	struct pprof_sources *s = &o->sources;
	if (!value || !*value)
		return NULL;
	if (s->bases.len && s->is_diff_base != is_diff)
		return error_create(ERROR_USAGE, "cannot be given beside %s", is_diff ? "-base" : "-diff_base");
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
	struct pprof_command *o = options;
	vec_deinit(&o->sources.bases);
}

#define AT(field) offsetof(struct pprof_command, field)

static const struct option table[] = {
	{ OPTION_GROUP, .help = "reports" },
	{ OPTION_BOOL, 0, "top", AT(top), .help = "functions, the costliest first" },
	{ OPTION_BOOL, 0, "text", AT(text), .help = "the same" },
	{ OPTION_BOOL, 0, "tree", AT(tree), .help = "functions with their callers and callees" },
	{ OPTION_STRING, 0, "peek", AT(peek), .arg = "regex", .help = "the same for functions that match" },
	{ OPTION_STRING, 0, "list", AT(list), .arg = "regex", .help = "the source of functions that match, each line with its costs" },
	{ OPTION_STRING, 0, "disasm", AT(disasm), .arg = "regex|address", .help = "their instructions, each with its costs" },
	{ OPTION_STRING, 0, "weblist", AT(weblist), .arg = "regex|address", .help = "both, as a page" },
	{ OPTION_BOOL, 0, "traces", AT(traces), .help = "every distinct stack" },
	{ OPTION_BOOL, 0, "tags", AT(tags), .help = "labels and what they account for" },
	{ OPTION_BOOL, 0, "comments", AT(comments), .help = "comments in the profile" },
	{ OPTION_BOOL, 0, "proto", AT(proto), .help = "the profile itself, as it is after all that was asked for" },
	{ OPTION_BOOL, 0, "topproto", AT(topproto), .help = "a profile of what top shows: a sample for each row" },
	{ OPTION_BOOL, 0, "raw", AT(raw), .help = "all that the profile holds, as text" },
	{ OPTION_BOOL, 0, "svg", AT(svg), .help = "the call graph, drawn" },
	{ OPTION_BOOL, 0, "dot", AT(dot), .help = "the call graph for graphviz" },
	{ OPTION_BOOL, 0, "png", AT(png), .help = "the call graph, drawn, as PNG (by librsvg and cairo)" },
	{ OPTION_BOOL, 0, "pdf", AT(pdf), .help = "the same as PDF" },
	{ OPTION_BOOL, 0, "ps", AT(ps), .help = "the same as PostScript" },
	{ OPTION_BOOL, 0, "web", AT(web), .help = "the same, shown in a browser" },
	{ OPTION_BOOL, 0, "eog", AT(eog), .help = "the same, shown by eog" },
	{ OPTION_BOOL, 0, "evince", AT(evince), .help = "the same, shown by evince" },
	{ OPTION_BOOL, 0, "gv", AT(gv), .help = "the same, shown by gv" },
	{ OPTION_BOOL, 0, "kcachegrind", AT(kcachegrind), .help = "the call graph, shown by KCachegrind" },
	{ OPTION_BOOL, 0, "callgrind", AT(callgrind), .help = "the call graph for KCachegrind" },
	{ OPTION_BOOL, 0, "call_tree", AT(config.call_tree), .help = "in graphs: a function is a box for each way that leads to it" },
	{ OPTION_STRING, 0, "output", AT(config.output), .arg = "file", .help = "write to this file" },

	{ OPTION_GROUP, .help = "what counts" },
	{ OPTION_STRING, 0, "sample_index", AT(config.sample_index), .arg = "name|n",
	  .help = "which of the values of a sample (the last)" },
	{ OPTION_BOOL, 0, "inuse_space", AT(inuse_space), .help = "the same as --sample_index=inuse_space" },
	{ OPTION_BOOL, 0, "inuse_objects", AT(inuse_objects), .help = "the same as --sample_index=inuse_objects" },
	{ OPTION_BOOL, 0, "alloc_space", AT(alloc_space), .help = "the same as --sample_index=alloc_space" },
	{ OPTION_BOOL, 0, "alloc_objects", AT(alloc_objects), .help = "the same as --sample_index=alloc_objects" },
	{ OPTION_BOOL, 0, "contentions", AT(contentions), .help = "the same as --sample_index=contentions" },
	{ OPTION_BOOL, 0, "total_delay", AT(total_delay), .help = "the same as --sample_index=delay" },
	{ OPTION_BOOL, 0, "mean_delay", AT(mean_delay), .help = "the same as --mean --sample_index=delay" },
	{ OPTION_BOOL, 0, "mean", AT(config.mean), .help = "values divided by the first one: what one of what was counted costs" },
	{ OPTION_STRING, 0, "http", AT(http), .arg = "[host]:[port]",
	  .help = "show it in a browser: serve pages there (localhost, a free port) until interrupted" },
	{ OPTION_BOOL, 0, "no_browser", AT(no_browser), .help = "with -http: start no browser (none is ever started)" },
	{ OPTION_CALL, 0, "base", .arg = "file", .parse = parse_base, .help = "subtract this profile; several are merged" },
	{ OPTION_CALL, 0, "diff_base", .arg = "file", .parse = parse_diff_base, .help = "the same; percentages are of this profile" },
	{ OPTION_BOOL, 0, "normalize", AT(config.normalize), .help = "scale to the total of the base first" },

	{ OPTION_GROUP, .help = "which stacks and frames" },
	{ OPTION_STRING, 0, "focus", AT(config.select.focus), .arg = "regex", .help = "stacks with a frame that matches" },
	{ OPTION_STRING, 0, "ignore", AT(config.select.ignore), .arg = "regex", .help = "stacks without one" },
	{ OPTION_STRING, 0, "hide", AT(config.select.hide), .arg = "regex", .help = "leave out frames that match" },
	{ OPTION_STRING, 0, "show", AT(config.select.show), .arg = "regex", .help = "leave out frames that do not" },
	{ OPTION_STRING, 0, "show_from", AT(config.select.show_from), .arg = "regex",
	  .help = "leave out the callers of the outermost match" },
	{ OPTION_STRING, 0, "prune_from", AT(config.select.prune_from), .arg = "regex",
	  .help = "leave out the callees of the innermost match" },
	{ OPTION_BOOL, 0, "all_frames", AT(sources.all_frames),
	  .help = "show the frames that the profile says to drop, such as an allocator's" },

	{ OPTION_STRING, 0, "tagfocus", AT(config.labels.focus), .arg = "regex|range", .help = "samples with a label that matches" },
	{ OPTION_STRING, 0, "tagignore", AT(config.labels.ignore), .arg = "regex|range", .help = "samples without one" },
	{ OPTION_STRING, 0, "tagshow", AT(config.labels.show), .arg = "regex", .help = "leave out labels whose key does not match" },
	{ OPTION_STRING, 0, "taghide", AT(config.labels.hide), .arg = "regex", .help = "leave out labels whose key does" },
	{ OPTION_STRING, 0, "tagroot", AT(config.labels.root), .arg = "keys", .help = "labels as outermost frames" },
	{ OPTION_STRING, 0, "tagleaf", AT(config.labels.leaf), .arg = "keys", .help = "labels as innermost frames" },

	{ OPTION_GROUP, .help = "what is fetched" },
	{ OPTION_I64, 0, "seconds", AT(sources.server.seconds), .arg = "n", .help = "for how long a server is to measure" },
	{ OPTION_I64, 0, "timeout", AT(sources.server.timeout_s), .arg = "n", .help = "for how many seconds to wait for it" },
	{ OPTION_STRING, 0, "tls_cert", AT(sources.server.tls_cert), .arg = "file", .help = "our certificate (PEM)" },
	{ OPTION_STRING, 0, "tls_key", AT(sources.server.tls_key), .arg = "file", .help = "and its key" },
	{ OPTION_STRING, 0, "tls_ca", AT(sources.server.tls_ca), .arg = "file", .help = "who vouches for the server's certificate" },
	{ OPTION_STRING, 0, "symbolize", AT(symbolize), .arg = "local|fastlocal|remote|none",
	  .help = "names for addresses: from local binaries, from their tables of symbols alone, from the server that the profile "
		  "came from, or none (the first, then the server's); with :demangle=full|templates|none" },
	{ OPTION_STRING, 0, "buildid", AT(sources.build_id), .arg = "id", .help = "of the program itself, in place of the profile's" },
	{ OPTION_STRING, 0, "add_comment", AT(sources.add_comment), .arg = "text", .help = "a comment to add to the profile" },

	{ OPTION_GROUP, .help = "how it is shown" },
	{ OPTION_BOOL, 0, "flat", AT(flat), .help = "sort by what functions cost themselves (the default)" },
	{ OPTION_BOOL, 0, "cum", AT(cum), .help = "sort by what they cost with all that they call" },
	{ OPTION_BOOL, 0, "functions", AT(functions), .help = "one row a function (the default)" },
	{ OPTION_BOOL, 0, "filefunctions", AT(file_functions), .help = "one row a function of a source file" },
	{ OPTION_BOOL, 0, "files", AT(files), .help = "one row a source file" },
	{ OPTION_BOOL, 0, "lines", AT(lines), .help = "one row a source line" },
	{ OPTION_BOOL, 0, "addresses", AT(addresses), .help = "one row an address" },
	{ OPTION_BOOL, 0, "noinlines", AT(config.no_inlines), .help = "inlined functions count as those that they are inlined into" },
	{ OPTION_BOOL, 0, "intel_syntax", AT(config.intel_syntax), .help = "instructions as Intel writes them: disasm and weblist" },
	{ OPTION_STRING, 0, "source_path", AT(config.source_path), .arg = "dirs",
	  .help = "where to look for source files, with ':' between (the current directory)" },
	{ OPTION_STRING, 0, "trim_path", AT(config.trim_path), .arg = "dirs", .help = "what to take off the paths of source files first" },
	{ OPTION_STRING, 0, "unit", AT(config.unit), .arg = "unit", .help = "values in this unit: ms, MB, auto (the one that suits them)" },
	{ OPTION_F64, 0, "divide_by", AT(config.divide_by), .arg = "n", .help = "divide values by this" },
	{ OPTION_I64, 0, "nodecount", AT(config.node_count), .arg = "n", .help = "at most as many rows (top: all; others: 80)" },
	{ OPTION_F64, 0, "nodefraction", AT(config.node_fraction), .arg = "f", .help = "leave out what is less of the total (0.005)" },
	{ OPTION_F64, 0, "edgefraction", AT(config.edge_fraction), .arg = "f", .help = "leave out calls that are less of it (0.001)" },
	{ OPTION_BOOL, 0, "trim", AT(config.trim), .help = "do leave out what is small (on)" },
	{ OPTION_BOOL, 0, "drop_negative", AT(config.drop_negative), .help = "leave out negative differences" },
	{ OPTION_BOOL, 0, "relative_percentages", AT(config.relative), .help = "percentages of what is left by --focus and its like" },
	{ OPTION_BOOL, 0, "compact_labels", AT(config.compact_labels), .help = "say less above the report" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct pprof_command *o = options;
	pprof_config_defaults(&o->config);
	o->sources.server.seconds = -1;
}

/* ---- what was asked for ---- */

/* NULL in *ret: the prompt. */
static struct strobe_error *choose_report(const struct pprof_command *o, const struct pprof_report_kind **ret)
{
	const struct {
		bool asked;
		const char *name;
	} reports[] = {
		{ o->top || o->text, "top" }, { o->tree, "tree" }, { o->peek != NULL, "peek" }, { o->list != NULL, "list" },
		{ o->disasm != NULL, "disasm" }, { o->weblist != NULL, "weblist" }, { o->traces, "traces" },
		{ o->tags, "tags" }, { o->comments, "comments" }, { o->proto, "proto" }, { o->raw, "raw" }, { o->dot, "dot" },
		{ o->svg, "svg" }, { o->callgrind, "callgrind" }, { o->topproto, "topproto" }, { o->png, "png" },
		{ o->pdf, "pdf" }, { o->ps, "ps" }, { o->web, "web" }, { o->eog, "eog" }, { o->evince, "evince" },
		{ o->gv, "gv" }, { o->kcachegrind, "kcachegrind" },
	};
	*ret = NULL;
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (!reports[i].asked)
			continue;
		if (*ret)
			return error_create(ERROR_USAGE, "one report at a time");
		*ret = pprof_kind(reports[i].name, strlen(reports[i].name));
	}
	return NULL;
}

/* A flag of its own for a choice among several. */
struct choice {
	bool is_set;
	const char *flag, *value;
};

/* The one that is set; *value stays where none is. */
static struct strobe_error *choose_one(const struct choice *choices, size_t nr, const char **value)
{
	const char *set = NULL;
	for (size_t i = 0; i < nr; i++) {
		if (choices[i].is_set && set)
			return error_create(ERROR_USAGE, "-%s and -%s cannot both be given", set, choices[i].flag);
		set = choices[i].is_set ? choices[i].flag : set;
		*value = choices[i].is_set ? choices[i].value : *value;
	}
	return NULL;
}

#define CHOOSE(choices, value) choose_one(choices, sizeof(choices) / sizeof(*(choices)), value)

/* Options of their own that are settings at the prompt. */
static struct strobe_error *choose_settings(struct pprof_command *o)
{
	struct pprof_config *c = &o->config;
	const struct choice sorts[] = { { o->flat, "flat", "flat" }, { o->cum, "cum", "cum" } };
	const struct choice granularities[] = {
		{ o->functions, "functions", "functions" }, { o->file_functions, "filefunctions", "filefunctions" },
		{ o->files, "files", "files" }, { o->lines, "lines", "lines" }, { o->addresses, "addresses", "addresses" },
	};
	const struct choice values[] = {
		{ c->sample_index != NULL, "sample_index", c->sample_index }, { o->inuse_space, "inuse_space", "inuse_space" },
		{ o->inuse_objects, "inuse_objects", "inuse_objects" }, { o->alloc_space, "alloc_space", "alloc_space" },
		{ o->alloc_objects, "alloc_objects", "alloc_objects" }, { o->contentions, "contentions", "contentions" },
		{ o->total_delay, "total_delay", "delay" }, { o->mean_delay, "mean_delay", "delay" },
	};
	TRY(CHOOSE(sorts, &c->sort));
	TRY(CHOOSE(granularities, &c->granularity));
	TRY(CHOOSE(values, &c->sample_index));
	c->mean |= o->mean_delay;
	return NULL;
}

/* Empty where it is the usual one. */
static void print_fraction(char *text, size_t bytes, double value, double usual)
{
	text[0] = 0;
	if (value != usual)
		snprintf(text, bytes, "%g", value);
}

/* -http: what was asked for on the command line is where the pages begin, by the names that their addresses have for it. */
static struct strobe_error *serve_pages(const struct pprof_session *s, const struct pprof_command *o)
{
	const struct pprof_config *c = &o->config;
	struct pprof_config usual;
	char count[24] = "", nodes[32], edges[32], divisor[32];
	pprof_config_defaults(&usual);
	if (!c->trim || c->node_count != usual.node_count)
		snprintf(count, sizeof(count), "%" PRId64, c->trim ? c->node_count : 0);
	print_fraction(nodes, sizeof(nodes), c->trim ? c->node_fraction : 0, usual.node_fraction);
	print_fraction(edges, sizeof(edges), c->trim ? c->edge_fraction : 0, usual.edge_fraction);
	print_fraction(divisor, sizeof(divisor), c->divide_by, usual.divide_by);
	const char *const settings[] = {
		"f", c->select.focus, "i", c->select.ignore, "h", c->select.hide, "s", c->select.show,
		"sf", c->select.show_from, "prunefrom", c->select.prune_from, "si", c->sample_index, "g", c->granularity,
		"sort", c->sort, "noinlines", c->no_inlines ? "1" : NULL, "tf", c->labels.focus, "ti", c->labels.ignore,
		"ts", c->labels.show, "th", c->labels.hide, "tagroot", c->labels.root, "tagleaf", c->labels.leaf,
		"n", count, "nf", nodes, "ef", edges, "unit", strcmp(c->unit, usual.unit) ? c->unit : NULL, "div", divisor,
		"calltree", c->call_tree ? "1" : NULL, "dropneg", c->drop_negative ? "1" : NULL, NULL,
	};
	struct source_paths paths;
	TRY(serve_source_paths(o->http, c->source_path, c->trim_path, &paths));
	return serve_profile(s->ctx, o->http, o->sources.names[0], s->profile, settings, &paths,
			     c->intel_syntax ? DISASM_INTEL : DISASM_ATT);
}

/* Whether a report tells of other values than the one that is shown: what of a sample a base has left, too. */
static bool needs_all_values(const struct pprof_command *o, enum pprof_output output)
{
	bool lists_samples = output == OUTPUT_TRACES || output == OUTPUT_TAGS;
	return o->config.mean || output == OUTPUT_PROTO || output == OUTPUT_RAW || (lists_samples && o->sources.bases.len);
}

static bool has_server(const struct cmd_context *ctx)
{
	for (int i = 0; i < ctx->rest.argc; i++)
		if (profile_fetch_is_server(ctx->rest.argv[i]))
			return true;
	return false;
}

/* What pages have no room for; their percentages are relative always, and nothing stands above them that could be left out. */
static struct strobe_error *check_served(const struct pprof_command *o)
{
	const struct pprof_config *c = &o->config;
	if (c->mean || c->output)
		return error_create(ERROR_USAGE, "the pages of -http do not know -%s", c->mean ? "mean" : "output");
	return NULL;
}

static struct strobe_error *check(const struct cmd_context *ctx, const struct pprof_command *o, const struct pprof_report_kind *kind)
{
	if (o->http && kind)
		return error_create(ERROR_USAGE, "-http serves all reports; -%s is one", kind->name);
	if (o->http)
		TRY(check_served(o));
	if (o->no_browser && !o->http)
		return error_create(ERROR_USAGE, "-no_browser is for -http");
	if (!ctx->rest.argc)
		return error_create(ERROR_USAGE, "name a profile: a file of pprof, a recording, or a URL");
	if (o->config.normalize && !o->sources.bases.len)
		return error_create(ERROR_USAGE, "-normalize needs -base or -diff_base");
	return pprof_config_check(&o->config);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct pprof_command *o = options;
	const struct pprof_report_kind *kind;
	struct pprof_session session = {};
	struct strobe_error *err = choose_report(o, &kind);
	if (!err)
		err = choose_settings(o);
	if (!err)
		err = check(ctx, o, kind);
	if (!err)
		err = symbolize_parse(o->symbolize, &o->sources.symbolize);
	if (!err && o->sources.symbolize.where == SYMBOLIZE_REMOTE && !has_server(ctx))
		err = error_create(ERROR_USAGE, "-symbolize=remote asks the server that a profile came from; these are files");
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	o->sources.nr = ctx->rest.argc;
	o->sources.names = (const char *const *)ctx->rest.argv;
	o->sources.normalize = o->config.normalize;
	if (kind && !needs_all_values(o, kind->output))
		o->sources.value = o->config.sample_index ? o->config.sample_index : "";
	o->sources.may_copy = kind && kind->output == OUTPUT_PROTO && pprof_config_keeps_all(&o->config);
	o->sources.may_stream = kind && pprof_config_only_sums(&o->config, kind);
	o->sources.needs_labels = kind && pprof_output_is_picture(kind->output);
	o->sources.symbolize.names_only |= kind && pprof_config_needs_names_only(&o->config, kind);
	err = pprof_sources_read(ctx, &o->sources, &session);
	int status = CMD_OK;
	if (!err && o->http)
		err = serve_pages(&session, o);
	else if (!err && !kind)
		status = pprof_prompt(&session, &o->config);
	else if (!err)
		err = pprof_report_to_output(&session, &o->config, kind,
					     o->peek ? o->peek : o->list ? o->list : o->disasm ? o->disasm : o->weblist);
	pprof_session_deinit(&session);
	if (!error_is(err, ERROR_STOPPED))
		return err ? cmd_fail(ctx, err) : status;
	error_destroy(err);
	return CMD_FAILED;
}

const struct cmd cmd_pprof = {
	.name = "pprof",
	.summary = "Reports of pprof over its profiles and over recordings",
	.usage = (const char *const[]){ "pprof [-top|-tree|-peek=REGEX|-traces|-svg|-proto|...] [<options>] FILE|URL...", NULL },
	.options = table,
	.options_bytes = sizeof(struct pprof_command),
	.defaults = defaults,
	.release = release,
	.run = run,
	.permute = true,
	.single_dash = true,
};
