/* One report of strobe pprof: from the session's profile, through what is selected, to a view. */
#include <stdlib.h>
#include <string.h>

#include "annotate/routines.h"
#include "annotate/source_files.h"
#include "base/mem.h"
#include "cmd/pprof/pprof.h"
#include "exchange/exchange.h"
#include "profile/arithmetic.h"
#include "profile/rewrite.h"
#include "view/html/weblist.h"
#include "view/pprof_top.h"
#include "view/svg/callgraph.h"
#include "view/text/pprof.h"
#include "view/text/pprof_disasm.h"
#include "view/text/pprof_list.h"

/* ---- the profile as it is to be seen ---- */

struct seen {
	const struct profile *p;
	struct profile *own; /* what p is where anything was selected; else NULL */
	uint32_t event;
	int64_t total;
};

static void see(struct seen *s, struct profile *made)
{
	profile_destroy(s->own);
	s->p = s->own = made;
}

static double scale(int64_t value, const char *from, const char *to, const char **ret_unit)
{
	struct scaled_value v = pprof_scale(value, from, to);
	*ret_unit = v.unit;
	return v.value;
}

static char *label(int64_t value, const char *unit, const char *to)
{
	char text[PPROF_LABEL_MAX];
	pprof_label(value, unit, to, text);
	return xstrdup(text);
}

static bool has_stack(void *ctx, const struct profile *p, const struct profile_row *row)
{
	(void)ctx;
	(void)p;
	return row->stack != PROFILE_NONE;
}

/* Reports of pprof pass over samples without a stack, which Go's threadcreate has; only the total has them. */
static void drop_without_stack(struct seen *s)
{
	for (size_t i = 0; i < s->p->rows.len; i++)
		if (s->p->rows.data[i].stack == PROFILE_NONE)
			return see(s, profile_filter(s->p, has_stack, NULL));
}

/* Samples are listed one by one: those that become alike are no one. Frames are chosen last, for all else would join them. */
static struct strobe_error *select_from(struct seen *s, const struct pprof_config *c, enum pprof_output output,
					const struct cmd_context *ctx)
{
	struct profile *made;
	struct profile_label_select labels = c->labels;
	struct profile_select select = c->select;
	labels.scale = scale;
	labels.label = label;
	labels.unit = c->unit ? c->unit : "minimum";
	select.keeps_apart = output == OUTPUT_TRACES || output == OUTPUT_RAW;
	size_t had = s->p->rows.len;
	if (labels.root || labels.leaf)
		see(s, profile_frames_of_labels(s->p, &labels));
	if (output != OUTPUT_PROTO && output != OUTPUT_COMMENTS)
		drop_without_stack(s);
	if (profile_selects_labels(&labels)) {
		TRY(profile_select_labels(s->p, &labels, &made));
		see(s, made);
	}
	if (had && !s->p->rows.len)
		cmd_say(ctx, "no samples match tagfocus and tagignore");
	had = s->p->rows.len;
	if (profile_selects(&select)) {
		TRY(profile_select(s->p, &select, &made));
		see(s, made);
	}
	if (had && !s->p->rows.len)
		cmd_say(ctx, "no stacks match focus, ignore, hide, show and show_from");
	return NULL;
}

/* How often: what pprof has as the first value of a sample. */
static int64_t mean_total(const struct pprof_session *session, const struct seen *s)
{
	const struct profile *p = s->p;
	bool is_foreign = p->origin.events_are_values;
	int64_t divisor = 0;
	/* of a base there are less than none */
	if (is_foreign && session->merged.base_totals)
		divisor = -session->merged.base_totals[0];
	if (is_foreign && !session->merged.base_totals)
		divisor = profile_net_value(p, 0);
	/* less those of a base */
	for (size_t i = 0; i < p->rows.len && !is_foreign; i++)
		divisor += p->rows.data[i].event == s->event ? (int64_t)p->rows.data[i].samples : 0;
	return divisor ? s->total / divisor : s->total;
}

/* What is left of the base, whose samples have its label. */
static int64_t base_total(const struct seen *s)
{
	const struct profile *p = s->p;
	uint32_t column = profile_find_column(p, PPROF_BASE_LABEL);
	int64_t total = 0;
	for (size_t i = 0; i < p->rows.len && column != PROFILE_NONE; i++) {
		const struct profile_row *row = &p->rows.data[i];
		bool is_base = row->labels != PROFILE_NONE && profile_label_values(p, row->labels)[column];
		if (row->event == s->event && is_base)
			total += llabs((int64_t)row->value);
	}
	return total;
}

static struct strobe_error *seen_init(struct seen *s, const struct pprof_session *session, const struct pprof_config *c,
				      enum pprof_output output)
{
	*s = (struct seen){ .p = session->merged.stream ? pprof_stream_tables(session->merged.stream) : session->merged.profile };
	TRY(profile_choose_event(s->p, c->sample_index ? c->sample_index : "", &s->event));
	s->total = session->merged.base_totals ? session->merged.base_totals[s->event] : 0;
	if (!s->total)
		s->total = session->merged.stream ? pprof_stream_total(session->merged.stream) : profile_gross_value(s->p, s->event);
	if (!s->total && !session->is_interactive && !session->merged.has_base)
		return error_create(ERROR_NOT_FOUND, "the profile is empty: no sample has a value of '%s'; programs that run "
				    "for less than a sampling period have no samples (100 Hz for CPU time and 512 KB for "
				    "allocations in Go)",
				    profile_str(s->p, s->p->events.data[s->event].name));
	if (c->mean)
		s->total = mean_total(session, s);
	TRY(select_from(s, c, output, session->ctx));
	if (c->relative)
		s->total = session->merged.base_totals ? base_total(s) : 0;
	return NULL;
}

struct trimming {
	struct arena arena;
	struct source_paths paths;
};

static void trim_file(void *ctx, struct profile *dst, struct profile_function *f)
{
	struct trimming *t = ctx;
	f->file = strtab_add(&dst->strings, source_path_trimmed(&t->arena, profile_str(dst, f->file), &t->paths));
}

/* Reports name source files by what trim_path and source_path leave of their paths. */
static void trim_sources(struct seen *s, const struct pprof_config *c)
{
	struct trimming t = { .paths = { .search = c->source_path, .trim = c->trim_path } };
	arena_init(&t.arena);
	bool any = false;
	for (function_id i = 0; i < s->p->functions.len && !any; i++) {
		const char *file = profile_str(s->p, s->p->functions.data[i].file);
		any = source_path_trimmed(&t.arena, file, &t.paths) != file;
	}
	if (any)
		see(s, profile_rewrite(s->p, &(struct profile_rewrite){ .ctx = &t, .function = trim_file }));
	arena_deinit(&t.arena);
}

/* tags and list have sums beside the mean of all, as with pprof. */
static bool has_means(enum pprof_output o)
{
	return o != OUTPUT_DISASM && o != OUTPUT_WEBLIST;
}

static bool names_sources(enum pprof_output o)
{
	return o != OUTPUT_PROTO && o != OUTPUT_RAW && o != OUTPUT_TRACES && o != OUTPUT_TAGS && o != OUTPUT_COMMENTS;
}

/* ---- views ---- */

static void list_filters(const struct pprof_config *c, struct arena *arena, const char *lines[static 10])
{
	const struct {
		const char *name, *value;
	} filters[] = {
		{ "focus", c->select.focus },      { "ignore", c->select.ignore },       { "hide", c->select.hide },
		{ "show", c->select.show },        { "show_from", c->select.show_from }, { "tagfocus", c->labels.focus },
		{ "tagignore", c->labels.ignore }, { "tagshow", c->labels.show },        { "taghide", c->labels.hide },
	};
	size_t n = 0;
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (filters[i].value && *filters[i].value)
			lines[n++] = arena_printf(arena, "%s=%s", filters[i].name, filters[i].value);
	lines[n] = NULL;
}

static enum callgraph_by granularity(const char *word)
{
	static const char *const words[] = {
		[CALLGRAPH_FUNCTIONS] = "functions", [CALLGRAPH_FILE_FUNCTIONS] = "filefunctions", [CALLGRAPH_FILES] = "files",
		[CALLGRAPH_LINES] = "lines",         [CALLGRAPH_ADDRESSES] = "addresses",
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], word))
			return (enum callgraph_by)i;
	return CALLGRAPH_FUNCTIONS;
}

static struct pprof_graph_options graph_options(const struct pprof_config *c, enum pprof_output output, const struct seen *s)
{
	bool trims = c->trim && output != OUTPUT_PEEK;
	bool is_picture = pprof_output_is_picture(output);
	int64_t default_count = output == OUTPUT_TOP || output == OUTPUT_TOPPROTO ? 0 : 80;
	return (struct pprof_graph_options){
		.event = s->event,
		.by = granularity(c->granularity),
		.sort_cum = !strcmp(c->sort, "cum"),
		.no_inlines = c->no_inlines,
		.drop_negative = c->drop_negative,
		.mean = c->mean,
		.compact_labels = c->compact_labels,
		.tree = c->call_tree && (is_picture || output == OUTPUT_CALLGRIND),
		.is_picture = is_picture,
		.node_count = trims ? (uint32_t)(c->node_count < 0 ? default_count : c->node_count) : 0,
		.node_fraction = trims ? c->node_fraction : 0,
		.edge_fraction = trims ? c->edge_fraction : 0,
		.divide_by = c->divide_by,
		.unit = c->unit ? c->unit : "minimum",
		.total = s->total,
	};
}

static struct code_file find_file(void *ctx, const char *path)
{
	const struct source_file *f = source_files_get(ctx, path);
	return (struct code_file){ f->path, &f->lines, f->problem };
}

static void begin_disasm(void *ctx, const struct code_values *v, struct out *out)
{
	(void)ctx;
	view_pprof_disasm_total(v, out);
}

static void show_disasm(void *ctx, const struct code_values *v, const struct routine *r, struct out *out)
{
	(void)ctx;
	view_pprof_disasm(v, r, out);
}

static void begin_weblist(void *ctx, const struct code_values *v, struct out *out)
{
	(void)ctx;
	view_weblist_begin(v, out);
}

static void show_weblist(void *ctx, const struct code_values *v, const struct routine *r, struct out *out)
{
	view_weblist_routine(v, r, ctx, out);
}

static struct strobe_error *write_routines(struct cmd_context *ctx, struct routine_search *search, enum pprof_output output,
					   struct code_files *files, struct out *out)
{
	bool is_page = output == OUTPUT_WEBLIST;
	TRY(cmd_buildid_dir(ctx, &search->buildid_dir));
	TRY(routines_report(search, &(struct routine_report){ files, is_page ? begin_weblist : begin_disasm,
							      is_page ? show_weblist : show_disasm }, out));
	if (is_page)
		view_weblist_end(out);
	return NULL;
}

static struct strobe_error *write_code(struct cmd_context *ctx, const struct seen *s, const struct pprof_config *c,
				       enum pprof_output output, const char *argument, struct out *out)
{
	struct source_files sources;
	struct code_files files = { &sources, find_file };
	struct code_values values = {
		.p = s->p,
		.event = s->event,
		.total = s->total,
		.divide_by = c->divide_by,
		.unit = c->unit ? c->unit : "minimum",
	};
	struct pprof_list_options list = {
		.values = values,
		.files = files,
		.pattern = argument,
		.no_inlines = c->no_inlines,
		.drop_negative = c->drop_negative,
	};
	struct routine_search search = {
		.values = values,
		.pattern = argument,
		.drop_negative = c->drop_negative,
		.intel_syntax = c->intel_syntax,
	};
	source_files_init(&sources, &(struct source_paths){ .search = c->source_path, .trim = c->trim_path });
	struct strobe_error *err = output == OUTPUT_LIST ? view_pprof_list(&list, out) :
							   write_routines(ctx, &search, output, &files, out);
	source_files_deinit(&sources);
	return err;
}

static struct strobe_error *write_top_profile(const struct profile *p, const struct pprof_graph_options *graph, struct out *out)
{
	struct profile *top = pprof_top_profile(p, graph);
	struct strobe_error *err = pprof_write(top, out);
	profile_destroy(top);
	return err;
}

static struct strobe_error *write_view(const struct pprof_session *session, const struct seen *s, const struct pprof_config *c,
				       enum pprof_output output, const char *argument, const char *const *filters, struct out *out)
{
	static const enum pprof_report texts[] = {
		[OUTPUT_TOP] = PPROF_TOP, [OUTPUT_TREE] = PPROF_TREE, [OUTPUT_PEEK] = PPROF_PEEK,
		[OUTPUT_TRACES] = PPROF_TRACES, [OUTPUT_TAGS] = PPROF_TAGS, [OUTPUT_COMMENTS] = PPROF_COMMENTS,
	};
	struct pprof_graph_options graph = graph_options(c, output, s);
	graph.filters = filters;
	graph.samples = session->merged.stream ? pprof_stream_samples(session->merged.stream) : NULL;
	switch (output) {
	case OUTPUT_PROTO:
		return pprof_write(s->p, out);
	case OUTPUT_RAW:
		return view_pprof_raw(s->p, out);
	case OUTPUT_DOT:
		return view_pprof_dot(s->p, &graph, out);
	case OUTPUT_SVG:
		return view_callgraph_svg(s->p, &graph, out);
	case OUTPUT_PNG:
		return view_callgraph_picture(s->p, &graph, PICTURE_PNG, out);
	case OUTPUT_PDF:
		return view_callgraph_picture(s->p, &graph, PICTURE_PDF, out);
	case OUTPUT_PS:
		return view_callgraph_picture(s->p, &graph, PICTURE_PS, out);
	case OUTPUT_TOPPROTO:
		return write_top_profile(s->p, &graph, out);
	case OUTPUT_LIST:
	case OUTPUT_DISASM:
	case OUTPUT_WEBLIST:
		return write_code(session->ctx, s, c, output, argument, out);
	case OUTPUT_CALLGRIND:
		return view_pprof_callgrind(s->p, &graph, out);
	default:
		return view_pprof_text(s->p, &(struct pprof_text_options){ texts[output], argument, graph }, out);
	}
}

struct strobe_error *pprof_report(const struct pprof_session *session, const struct pprof_config *c,
				  const struct pprof_report_kind *kind, const char *argument, struct out *out)
{
	struct seen s;
	const char *filters[10];
	if (session->merged.copy)
		return pprof_copy_write(session->merged.copy, out);
	list_filters(c, &session->ctx->words, filters);
	if (c->mean && !has_means(kind->output))
		return error_create(ERROR_UNSUPPORTED, "%s does not support -mean", kind->name);
	struct strobe_error *err = seen_init(&s, session, c, kind->output);
	if (!err && !session->merged.stream && names_sources(kind->output))
		trim_sources(&s, c);
	if (!err && kind->output == OUTPUT_PROTO && c->divide_by != 1)
		see(&s, profile_divide(s.p, c->divide_by));
	if (!err)
		err = write_view(session, &s, c, kind->output, argument, filters, out);
	profile_destroy(s.own);
	return err;
}

void pprof_out_greeting(const struct pprof_session *session, const struct pprof_config *c, struct out *out)
{
	struct pprof_graph graph;
	struct seen s = { .p = session->merged.profile };
	struct strobe_error *err = profile_choose_event(s.p, c->sample_index ? c->sample_index : "", &s.event);
	if (!err) {
		struct pprof_graph_options options = graph_options(c, OUTPUT_TREE, &s);
		options.unsorted_edges = true;
		pprof_graph_init(&graph, s.p, &options);
		pprof_graph_out_profile(&graph, out);
		pprof_graph_deinit(&graph);
		if (!graph.total && s.p->events.len > 1)
			out_str(out, "No samples were found with the default sample value type.\n"
				     "Try \"sample_index\" command to analyze different sample values.\n\n");
	}
	error_destroy(err);
}
