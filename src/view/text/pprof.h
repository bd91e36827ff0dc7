/*
 * pprof's text reports: top, tree, peek, traces, tags and comments, with the same values and layout.
 *
 * They read a const profile. Values are shown in a unit that suits the whole report ("minimum") or in a requested one; units are
 * pprof's: bytes, times, and others. All text that comes from a file is escaped.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "view/pprof_graph.h"

enum pprof_report { PPROF_TOP, PPROF_TREE, PPROF_PEEK, PPROF_TRACES, PPROF_TAGS, PPROF_COMMENTS };

struct pprof_text_options {
	enum pprof_report report;
	const char *peek; /* regular expression */
	struct pprof_graph_options graph;
};

struct strobe_error *view_pprof_text(const struct profile *p, const struct pprof_text_options *options, struct out *out)
	_must_check_;

/* The graph for graphviz; uses options->is_picture. */
struct strobe_error *view_pprof_dot(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
	_must_check_;
/* The graph for KCachegrind: every address, and calls between them. */
struct strobe_error *view_pprof_callgrind(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
	_must_check_;
/* The contents of the profile as text: samples, locations, mappings. */
struct strobe_error *view_pprof_raw(const struct profile *p, struct out *out) _must_check_;
