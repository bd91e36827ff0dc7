#include "pprof/report.h"

#include <string.h>

#include "annotate/routines.h"
#include "annotate/source_files.h"
#include "exchange/exchange.h"
#include "pprof/shown.h"
#include "view/data/pprof_json.h"
#include "view/html/weblist.h"
#include "view/pprof_top.h"
#include "view/svg/callgraph.h"
#include "view/text/pprof.h"
#include "view/text/pprof_disasm.h"
#include "view/text/pprof_list.h"

/* tags and list have sums besides the overall mean, as in pprof. */
static bool has_means(enum pprof_output o)
{
	return o != OUTPUT_DISASM && o != OUTPUT_WEBLIST;
}

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

static struct pprof_graph_options graph_options(const struct pprof_config *c, enum pprof_output output, const struct pprof_shown *s)
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

static struct strobe_error *write_routines(const struct session_host *host, struct routine_search *search, bool is_page,
					   struct code_files *files, struct out *out)
{
	TRY(session_buildid_dir(host, &search->buildid_dir));
	TRY(routines_report(search, &(struct routine_report){ files, is_page ? begin_weblist : begin_disasm,
							      is_page ? show_weblist : show_disasm }, out));
	if (is_page)
		view_weblist_end(out);
	return NULL;
}

static struct strobe_error *write_code(const struct session_host *host, const struct pprof_shown *s, const struct pprof_config *c,
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
							   write_routines(host, &search, output == OUTPUT_WEBLIST, &files, out);
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

static struct strobe_error *write_json(const struct pprof_shown *s, const struct pprof_graph_options *graph, enum pprof_output output,
				       const char *argument, struct out *out)
{
	const struct pprof_json_options o = {
		.report = output == OUTPUT_TOP ? "top" : output == OUTPUT_TREE ? "tree" : "peek",
		.with_edges = output != OUTPUT_TOP,
		.only = output == OUTPUT_PEEK ? argument : NULL,
		.graph = *graph,
	};
	return data_pprof_json(s->p, &o, out);
}

static struct strobe_error *check_json(const struct pprof_config *c, const struct pprof_report_kind *kind)
{
	bool supports = kind->output == OUTPUT_TOP || kind->output == OUTPUT_TREE || kind->output == OUTPUT_PEEK;
	if (supports || !pprof_config_is_json(c))
		return NULL;
	return error_create(ERROR_UNSUPPORTED, "-format=json supports the reports top, tree and peek, not %s; "
		"'strobe convert IN OUT.json' writes all samples", kind->name);
}

static struct strobe_error *write_view(const struct pprof_input *in, const struct pprof_shown *s, const struct pprof_config *c,
				       enum pprof_output output, const char *argument, const char *const *filters, struct out *out)
{
	static const enum pprof_report texts[] = {
		[OUTPUT_TOP] = PPROF_TOP, [OUTPUT_TREE] = PPROF_TREE, [OUTPUT_PEEK] = PPROF_PEEK,
		[OUTPUT_TRACES] = PPROF_TRACES, [OUTPUT_TAGS] = PPROF_TAGS, [OUTPUT_COMMENTS] = PPROF_COMMENTS,
	};
	struct pprof_graph_options graph = graph_options(c, output, s);
	graph.filters = filters;
	graph.samples = in->merged->stream ? pprof_stream_samples(in->merged->stream) : NULL;
	if (pprof_config_is_json(c))
		return write_json(s, &graph, output, argument, out);
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
		return write_code(in->host, s, c, output, argument, out);
	case OUTPUT_CALLGRIND:
		return view_pprof_callgrind(s->p, &graph, out);
	default:
		return view_pprof_text(s->p, &(struct pprof_text_options){ texts[output], argument, graph }, out);
	}
}

struct strobe_error *pprof_report(const struct pprof_input *in, const struct pprof_config *c, const struct pprof_report_kind *kind,
				  const char *argument, struct out *out)
{
	struct pprof_shown s;
	struct arena arena;
	const char *filters[10];
	TRY(check_json(c, kind));
	if (in->merged->copy)
		return pprof_copy_write(in->merged->copy, out);
	if (c->mean && !has_means(kind->output))
		return error_create(ERROR_UNSUPPORTED, "%s does not support -mean", kind->name);
	arena_init(&arena);
	list_filters(c, &arena, filters);
	struct strobe_error *err = pprof_shown_init(&s, in, c, kind->output);
	if (!err)
		err = write_view(in, &s, c, kind->output, argument, filters, out);
	pprof_shown_deinit(&s);
	arena_deinit(&arena);
	return err;
}

void pprof_out_greeting(const struct profile *p, const struct pprof_config *c, struct out *out)
{
	struct pprof_graph graph;
	struct pprof_shown s = { .p = p };
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
