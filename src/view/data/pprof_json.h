/*
 * Reports of pprof for programs (doc/JSON.md): functions, lines, files or addresses with their values, in the order of the text report,
 * and, for tree and peek, with callers and callees. Values are in the unit of the profile: not scaled, not rounded.
 */
#pragma once
#include "base/error.h"
#include "view/pprof_graph.h"

#define DATA_PPROF_FORMAT  "strobe-pprof"
#define DATA_PPROF_VERSION 1

struct pprof_json_options {
	const char *report; /* its name */
	bool with_edges;    /* callers and callees of each node */
	const char *only;   /* pattern for the names of nodes; NULL: all */
	struct pprof_graph_options graph;
};

/* ERROR_NOT_FOUND if no name matches the pattern. */
struct strobe_error *data_pprof_json(const struct profile *p, const struct pprof_json_options *o, struct out *out) _must_check_;
