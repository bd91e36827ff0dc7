#include "pprof/kinds.h"

#include <string.h>

#define TOP_USAGE(name)                                                                                      \
	"  Usage:\n    " name " [n] [focus_regex]* [-ignore_regex]* [-cum] >f\n    Include up to n samples\n"  \
	"    Include samples matching focus_regex, and exclude ignore_regex.\n"                              \
	"    -cum sorts the output by cumulative weight\n    Optionally save the report on the file f\n"
#define VIEWED_USAGE(name)                                                                                   \
	"  Usage:\n    " name " [n] [focus_regex]* [-ignore_regex]*\n    Include up to n samples\n"            \
	"    Include samples matching focus_regex, and exclude ignore_regex.\n"
#define GRAPH_USAGE(name)                                                                                    \
	"  Usage:\n    " name " [n] [focus_regex]* [-ignore_regex]* >f\n    Include up to n samples\n"         \
	"    Include samples matching focus_regex, and exclude ignore_regex.\n"                              \
	"    Optionally save the report on the file f\n"
#define LIST_USAGE(name)                                                                                     \
	"  Usage:\n    " name " func_regex|address [-focus_regex]* [-ignore_regex]* >f\n"                       \
	"    Include functions matching func_regex, or including the address specified.\n"                      \
	"    Include samples matching focus_regex, and exclude ignore_regex.\n"                              \
	"    Optionally save the report on the file f\n"

#define BROWSERS "chrome|google-chrome|chromium|firefox|sensible-browser|xdg-open"

const struct pprof_report_kind pprof_kinds[] = {
	{ "callgrind", OUTPUT_CALLGRIND, false, "callgraph.out", "Outputs a graph in callgrind format", GRAPH_USAGE("callgrind"), NULL },
	{ "comments", OUTPUT_COMMENTS, false, NULL, "Output all profile comments", NULL, NULL },
	{ "disasm", OUTPUT_DISASM, true, NULL, "Output assembly listings annotated with samples", LIST_USAGE("disasm"), NULL },
	{ "dot", OUTPUT_DOT, false, NULL, "Outputs a graph in DOT format", GRAPH_USAGE("dot"), NULL },
	{ "eog", OUTPUT_SVG, false, "svg", "Visualize graph through eog", VIEWED_USAGE("eog"), "eog" },
	{ "evince", OUTPUT_PDF, false, "pdf", "Visualize graph through evince", VIEWED_USAGE("evince"), "evince" },
	{ "gv", OUTPUT_PS, false, "ps", "Visualize graph through gv", VIEWED_USAGE("gv"), "gv" },
	{ "kcachegrind", OUTPUT_CALLGRIND, false, "grind", "Visualize report in KCachegrind", VIEWED_USAGE("kcachegrind"),
	  "kcachegrind" },
	{ "list", OUTPUT_LIST, true, NULL, "Output annotated source for functions matching regexp", LIST_USAGE("list"), NULL },
	{ "pdf", OUTPUT_PDF, false, "pdf", "Outputs a graph in PDF format", GRAPH_USAGE("pdf"), NULL },
	{ "peek", OUTPUT_PEEK, true, NULL, "Output callers/callees of functions matching regexp",
	  "  Usage:\n    peek func_regex\n    Display callers and callees of functions matching func_regex.\n", NULL },
	{ "png", OUTPUT_PNG, false, "png", "Outputs a graph image in PNG format", GRAPH_USAGE("png"), NULL },
	{ "proto", OUTPUT_PROTO, false, "pb.gz", "Outputs the profile in compressed protobuf format", NULL, NULL },
	{ "ps", OUTPUT_PS, false, "ps", "Outputs a graph in PS format", GRAPH_USAGE("ps"), NULL },
	{ "raw", OUTPUT_RAW, false, NULL, "Outputs a text representation of the raw profile", NULL, NULL },
	{ "svg", OUTPUT_SVG, false, "svg", "Outputs a graph in SVG format", GRAPH_USAGE("svg"), NULL },
	{ "tags", OUTPUT_TAGS, false, NULL, "Outputs all tags in the profile",
	  "  Usage:\n    tags [tag_regex]* [-ignore_regex]* [>file]\n"
	  "    List tags with key:value matching tag_regex and exclude ignore_regex.\n", NULL },
	{ "text", OUTPUT_TOP, false, NULL, "Outputs top entries in text form", TOP_USAGE("text"), NULL },
	{ "top", OUTPUT_TOP, false, NULL, "Outputs top entries in text form", TOP_USAGE("top"), NULL },
	{ "topproto", OUTPUT_TOPPROTO, false, "pb.gz", "Outputs top entries in compressed protobuf format", NULL, NULL },
	{ "traces", OUTPUT_TRACES, false, NULL, "Outputs all profile samples in text form", NULL, NULL },
	{ "tree", OUTPUT_TREE, false, NULL, "Outputs a text rendering of call graph", TOP_USAGE("tree"), NULL },
	{ "web", OUTPUT_SVG, false, "svg", "Visualize graph through web browser", VIEWED_USAGE("web"), BROWSERS },
	{ "weblist", OUTPUT_WEBLIST, true, "html", "Output annotated source in HTML for functions matching regexp or address",
	  LIST_USAGE("weblist"), NULL },
};
const size_t pprof_kinds_nr = sizeof(pprof_kinds) / sizeof(*pprof_kinds);

const struct pprof_report_kind *pprof_kind(const char *name, size_t n)
{
	for (size_t i = 0; i < pprof_kinds_nr; i++)
		if (strlen(pprof_kinds[i].name) == n && !memcmp(pprof_kinds[i].name, name, n))
			return &pprof_kinds[i];
	return NULL;
}
