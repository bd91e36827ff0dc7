/* strobe pprof: the reports of pprof, over its profiles and over recordings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/profile_input.h"
#include "profile/select.h"
#include "view/text/pprof.h"

enum pprof_output { OUTPUT_NONE, OUTPUT_TOP, OUTPUT_TREE, OUTPUT_PEEK, OUTPUT_TRACES, OUTPUT_TAGS, OUTPUT_COMMENTS, OUTPUT_PROTO,
		    OUTPUT_RAW, OUTPUT_DOT, OUTPUT_CALLGRIND };

struct pprof_command {
	bool top, text, tree, traces, tags, comments, proto, raw, dot, callgrind;
	const char *peek;
	bool flat, cum;
	bool functions, file_functions, files, lines, addresses, no_inlines;
	const char *sample_index, *unit, *output;
	bool inuse_space, inuse_objects, alloc_space, alloc_objects, contentions;
	struct profile_select select;
	int64_t node_count;
	double node_fraction, edge_fraction, divide_by;
	bool trim, drop_negative, compact_labels, relative, normalize;
	const char *base, *diff_base;
	unsigned verbose;
};

#define AT(field) offsetof(struct pprof_command, field)

static const struct option table[] = {
	{ OPTION_GROUP, .help = "reports" },
	{ OPTION_BOOL, 0, "top", AT(top), .help = "functions, the costliest first" },
	{ OPTION_BOOL, 0, "text", AT(text), .help = "the same" },
	{ OPTION_BOOL, 0, "tree", AT(tree), .help = "functions with their callers and callees" },
	{ OPTION_STRING, 0, "peek", AT(peek), .arg = "regex", .help = "the same for functions that match" },
	{ OPTION_BOOL, 0, "traces", AT(traces), .help = "every distinct stack" },
	{ OPTION_BOOL, 0, "tags", AT(tags), .help = "labels and what they account for" },
	{ OPTION_BOOL, 0, "comments", AT(comments), .help = "comments in the profile" },
	{ OPTION_BOOL, 0, "proto", AT(proto), .help = "the profile itself, as it is after all that was asked for" },
	{ OPTION_BOOL, 0, "raw", AT(raw), .help = "all that the profile holds, as text" },
	{ OPTION_BOOL, 0, "dot", AT(dot), .help = "the call graph for graphviz" },
	{ OPTION_BOOL, 0, "callgrind", AT(callgrind), .help = "the call graph for KCachegrind" },
	{ OPTION_STRING, 0, "output", AT(output), .arg = "file", .help = "write to this file" },

	{ OPTION_GROUP, .help = "what counts" },
	{ OPTION_STRING, 0, "sample_index", AT(sample_index), .arg = "name|n", .help = "which of the values of a sample (the last)" },
	{ OPTION_BOOL, 0, "inuse_space", AT(inuse_space), .help = "the same as --sample_index=inuse_space" },
	{ OPTION_BOOL, 0, "inuse_objects", AT(inuse_objects), .help = "the same as --sample_index=inuse_objects" },
	{ OPTION_BOOL, 0, "alloc_space", AT(alloc_space), .help = "the same as --sample_index=alloc_space" },
	{ OPTION_BOOL, 0, "alloc_objects", AT(alloc_objects), .help = "the same as --sample_index=alloc_objects" },
	{ OPTION_BOOL, 0, "contentions", AT(contentions), .help = "the same as --sample_index=contentions" },
	{ OPTION_STRING, 0, "base", AT(base), .arg = "file", .help = "subtract this profile" },
	{ OPTION_STRING, 0, "diff_base", AT(diff_base), .arg = "file", .help = "the same; percentages are of this profile" },
	{ OPTION_BOOL, 0, "normalize", AT(normalize), .help = "scale to the total of the base first" },

	{ OPTION_GROUP, .help = "which stacks and frames" },
	{ OPTION_STRING, 0, "focus", AT(select.focus), .arg = "regex", .help = "stacks with a frame that matches" },
	{ OPTION_STRING, 0, "ignore", AT(select.ignore), .arg = "regex", .help = "stacks without one" },
	{ OPTION_STRING, 0, "hide", AT(select.hide), .arg = "regex", .help = "leave out frames that match" },
	{ OPTION_STRING, 0, "show", AT(select.show), .arg = "regex", .help = "leave out frames that do not" },
	{ OPTION_STRING, 0, "show_from", AT(select.show_from), .arg = "regex", .help = "leave out the callers of the outermost match" },
	{ OPTION_STRING, 0, "prune_from", AT(select.prune_from), .arg = "regex", .help = "leave out the outermost match and its callees" },

	{ OPTION_GROUP, .help = "how it is shown" },
	{ OPTION_BOOL, 0, "flat", AT(flat), .help = "sort by what functions cost themselves (the default)" },
	{ OPTION_BOOL, 0, "cum", AT(cum), .help = "sort by what they cost with all that they call" },
	{ OPTION_BOOL, 0, "functions", AT(functions), .help = "one row a function (the default)" },
	{ OPTION_BOOL, 0, "filefunctions", AT(file_functions), .help = "one row a function of a source file" },
	{ OPTION_BOOL, 0, "files", AT(files), .help = "one row a source file" },
	{ OPTION_BOOL, 0, "lines", AT(lines), .help = "one row a source line" },
	{ OPTION_BOOL, 0, "addresses", AT(addresses), .help = "one row an address" },
	{ OPTION_BOOL, 0, "noinlines", AT(no_inlines), .help = "inlined functions count as those that they are inlined into" },
	{ OPTION_STRING, 0, "unit", AT(unit), .arg = "unit", .help = "values in this unit: ms, MB, auto (the one that suits them)" },
	{ OPTION_F64, 0, "divide_by", AT(divide_by), .arg = "n", .help = "divide values by this" },
	{ OPTION_I64, 0, "nodecount", AT(node_count), .arg = "n", .help = "at most as many rows (top: all; others: 80)" },
	{ OPTION_F64, 0, "nodefraction", AT(node_fraction), .arg = "f", .help = "leave out what is less of the total (0.005)" },
	{ OPTION_F64, 0, "edgefraction", AT(edge_fraction), .arg = "f", .help = "leave out calls that are less of it (0.001)" },
	{ OPTION_BOOL, 0, "trim", AT(trim), .help = "do leave out what is small (on)" },
	{ OPTION_BOOL, 0, "drop_negative", AT(drop_negative), .help = "leave out negative differences" },
	{ OPTION_BOOL, 0, "relative_percentages", AT(relative), .help = "percentages of what is left by --focus and its like" },
	{ OPTION_BOOL, 0, "compact_labels", AT(compact_labels), .help = "say less above the report" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct pprof_command *o = options;
	o->node_count = -1;
	o->node_fraction = 0.005;
	o->edge_fraction = 0.001;
	o->divide_by = 1;
	o->trim = true;
	o->unit = "minimum";
}

/* ---- what was asked for ---- */

static struct strobe_error *choose_output(const struct pprof_command *o, enum pprof_output *ret)
{
	const struct {
		bool asked;
		enum pprof_output output;
	} outputs[] = {
		{ o->top || o->text, OUTPUT_TOP }, { o->tree, OUTPUT_TREE }, { o->peek != NULL, OUTPUT_PEEK },
		{ o->traces, OUTPUT_TRACES }, { o->tags, OUTPUT_TAGS }, { o->comments, OUTPUT_COMMENTS },
		{ o->proto, OUTPUT_PROTO },
		{ o->raw, OUTPUT_RAW }, { o->dot, OUTPUT_DOT }, { o->callgrind, OUTPUT_CALLGRIND },
	};
	*ret = OUTPUT_NONE;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		if (!outputs[i].asked)
			continue;
		if (*ret != OUTPUT_NONE)
			return error_create(ERROR_USAGE, "one report at a time");
		*ret = outputs[i].output;
	}
	if (*ret == OUTPUT_NONE)
		return error_create(ERROR_USAGE, "say which report: -top, -tree, -peek, -traces, -tags, -comments or -proto");
	return NULL;
}

static enum callgraph_by granularity(const struct pprof_command *o)
{
	return o->addresses ? CALLGRAPH_ADDRESSES : o->lines ? CALLGRAPH_LINES : o->files ? CALLGRAPH_FILES :
	       o->file_functions ? CALLGRAPH_FILE_FUNCTIONS : CALLGRAPH_FUNCTIONS;
}

static const char *wanted_index(const struct pprof_command *o)
{
	return o->sample_index ? o->sample_index : o->inuse_space ? "inuse_space" : o->inuse_objects ? "inuse_objects" :
	       o->alloc_space ? "alloc_space" : o->alloc_objects ? "alloc_objects" : o->contentions ? "contentions" : "";
}

/* ---- the profile ---- */

struct run {
	struct cmd_context *ctx;
	const struct pprof_command *o;
	enum pprof_output output;
	struct profile *profile;
	int64_t base_total;
};

static int64_t total_of(const struct profile *p, uint32_t event)
{
	int64_t total = 0;
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == event) {
			int64_t v = (int64_t)p->rows.data[i].value;
			total += v < 0 ? -v : v;
		}
	return total;
}

static struct strobe_error *read_file(struct run *r, const char *path, struct profile **ret)
{
	bool all_values = r->output == OUTPUT_PROTO || r->output == OUTPUT_RAW;
	struct profile_input input = { .path = path, .value = all_values ? NULL : wanted_index(r->o) };
	TRY(profile_input_read(r->ctx, &input, ret));
	if (!(*ret)->origin.drop_frames)
		return NULL;
	struct profile *all = *ret;
	struct strobe_error *err = profile_drop_uninteresting(all, ret);
	profile_destroy(all);
	return err;
}

static void replace(struct run *r, struct profile *p)
{
	profile_destroy(r->profile);
	r->profile = p;
}

static struct strobe_error *read_all(struct run *r)
{
	const struct options_result *rest = &r->ctx->rest;
	if (!rest->argc)
		return error_create(ERROR_USAGE, "name a profile: a file of pprof, or a recording");
	for (int i = 0; i < rest->argc; i++) {
		struct profile *p;
		TRY(read_file(r, rest->argv[i], &p));
		if (!r->profile) {
			r->profile = p;
			continue;
		}
		profile_merge(r->profile, p);
		profile_destroy(p);
	}
	return NULL;
}

static void scale(struct profile *p, double factor)
{
	for (size_t i = 0; i < p->rows.len; i++)
		p->rows.data[i].value = (uint64_t)(int64_t)((double)(int64_t)p->rows.data[i].value * factor);
}

static void normalize(struct profile *p, const struct profile *base)
{
	for (uint32_t e = 0; e < p->events.len && e < base->events.len; e++) {
		int64_t ours = total_of(p, e), theirs = total_of(base, e);
		for (size_t i = 0; i < p->rows.len && ours; i++) {
			struct profile_row *row = &p->rows.data[i];
			if (row->event == e)
				row->value = (uint64_t)(int64_t)((double)(int64_t)row->value * (double)theirs / (double)ours);
		}
	}
}

static struct strobe_error *subtract_base(struct run *r)
{
	const char *path = r->o->diff_base ? r->o->diff_base : r->o->base;
	struct profile *base;
	uint32_t event;
	if (!path)
		return NULL;
	TRY(read_file(r, path, &base));
	struct strobe_error *err = profile_choose_event(base, wanted_index(r->o), &event);
	if (!err && r->o->diff_base)
		r->base_total = total_of(base, event);
	if (!err && r->o->normalize)
		normalize(r->profile, base);
	if (!err) {
		scale(base, -1);
		profile_merge(r->profile, base);
	}
	profile_destroy(base);
	return err;
}

static bool selects(const struct profile_select *s)
{
	return s->focus || s->ignore || s->hide || s->show || s->show_from || s->prune_from;
}

static struct strobe_error *prepare(struct run *r, uint32_t *ret_event, int64_t *ret_total)
{
	struct profile *selected;
	TRY(read_all(r));
	TRY(subtract_base(r));
	TRY(profile_choose_event(r->profile, wanted_index(r->o), ret_event));
	*ret_total = r->base_total ? r->base_total : total_of(r->profile, *ret_event);
	if (!*ret_total)
		return error_create(ERROR_NOT_FOUND, "the profile is empty: no sample of it has a value of '%s'; what ran for less "
				    "than one sampling period leaves none (100 Hz for CPU time and 512 KB for allocations in Go)",
				    profile_str(r->profile, r->profile->events.data[*ret_event].name));
	if (!selects(&r->o->select))
		return NULL;
	TRY(profile_select(r->profile, &r->o->select, &selected));
	replace(r, selected);
	if (!r->profile->rows.len)
		return error_create(ERROR_NOT_FOUND, "no stack passes -focus, -ignore, -hide, -show and -show_from");
	if (r->o->relative)
		*ret_total = 0;
	return NULL;
}

/* ---- output ---- */

static void list_filters(const struct profile_select *s, char *lines[static 7])
{
	const struct {
		const char *name, *value;
	} filters[] = {
		{ "focus", s->focus }, { "ignore", s->ignore }, { "hide", s->hide }, { "show", s->show }, { "show_from", s->show_from },
	};
	size_t n = 0;
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (filters[i].value && *filters[i].value)
			lines[n++] = xasprintf("%s=%s", filters[i].name, filters[i].value);
	lines[n] = NULL;
}

static struct strobe_error *write_text(struct run *r, enum pprof_output output, uint32_t event, int64_t total,
				       struct out *out)
{
	static const enum pprof_report reports[OUTPUT_CALLGRIND + 1] = {
		[OUTPUT_TOP] = PPROF_TOP, [OUTPUT_TREE] = PPROF_TREE, [OUTPUT_PEEK] = PPROF_PEEK,
		[OUTPUT_TRACES] = PPROF_TRACES, [OUTPUT_TAGS] = PPROF_TAGS, [OUTPUT_COMMENTS] = PPROF_COMMENTS,
	};
	const struct pprof_command *o = r->o;
	char *filters[7];
	bool trims = o->trim && output != OUTPUT_PEEK;
	int64_t default_count = output == OUTPUT_TOP ? 0 : 80;
	struct pprof_text_options options = {
		.report = reports[output],
		.peek = o->peek,
		.graph = {
		.event = event,
		.by = granularity(o),
		.sort_cum = o->cum,
		.no_inlines = o->no_inlines,
		.drop_negative = o->drop_negative,
		.compact_labels = o->compact_labels,
		.node_count = trims ? (uint32_t)(o->node_count < 0 ? default_count : o->node_count) : 0,
		.node_fraction = trims ? o->node_fraction : 0,
		.edge_fraction = trims ? o->edge_fraction : 0,
		.divide_by = o->divide_by,
		.unit = o->unit ? o->unit : "minimum",
		.filters = (const char *const *)filters,
		.total = total,
		.is_picture = output == OUTPUT_DOT,
		},
	};
	list_filters(&o->select, filters);
	struct strobe_error *err = output == OUTPUT_DOT ? view_pprof_dot(r->profile, &options.graph, out) :
		output == OUTPUT_CALLGRIND ? view_pprof_callgrind(r->profile, &options.graph, out) :
		output == OUTPUT_RAW ? view_pprof_raw(r->profile, out) :
		view_pprof_text(r->profile, &options, out);
	for (size_t i = 0; filters[i]; i++)
		free(filters[i]);
	return err;
}

static struct strobe_error *write_report(void *ctx, struct out *out)
{
	struct run *r = ctx;
	enum pprof_output output = r->output;
	uint32_t event;
	int64_t total;
	TRY(prepare(r, &event, &total));
	return output == OUTPUT_PROTO ? pprof_write(r->profile, out) : write_text(r, output, event, total, out);
}

static int run_to_stdout(struct run *r)
{
	struct out out;
	cmd_open_output(r->ctx, &out);
	struct strobe_error *err = write_report(r, &out);
	int status = cmd_close_output(r->ctx, &out), failed = cmd_fail(r->ctx, err);
	return status ? status : failed;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct run r = { .ctx = ctx, .o = options };
	struct strobe_error *err = choose_output(r.o, &r.output);
	if (!err && !r.o->divide_by)
		err = error_create(ERROR_USAGE, "values cannot be divided by 0");
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(r.o->verbose);
	bool to_file = r.o->output && strcmp(r.o->output, "-");
	if (r.output == OUTPUT_PROTO && !to_file && isatty(STDOUT_FILENO))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "a profile is no text for a terminal; name a file with -output"));
	int status = to_file ? cmd_fail(ctx, cmd_write_file(r.o->output, write_report, &r)) : run_to_stdout(&r);
	profile_destroy(r.profile);
	return status;
}

const struct cmd cmd_pprof = {
	.name = "pprof",
	.summary = "Reports of pprof over its profiles and over recordings",
	.usage = (const char *const[]){ "pprof -top|-tree|-peek=REGEX|-traces|-tags|-comments|-proto [<options>] FILE...", NULL },
	.options = table,
	.options_bytes = sizeof(struct pprof_command),
	.defaults = defaults,
	.run = run,
	.permute = true,
	.single_dash = true,
};
