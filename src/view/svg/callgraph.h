/*
 * The call graph of a profile as pprof draws it, without graphviz: a self-contained SVG file.
 *
 * A box is a function: the size of its text shows the flat value, its colour the cumulative one. In a browser the picture is
 * moved by the mouse and scaled by the wheel. Names are escaped for XML.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "view/pprof_graph.h"
#include "view/svg/picture.h"

/* options->is_picture must be set. ERROR_NOT_FOUND if the profile does not have the values. */
struct strobe_error *view_callgraph_svg(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
	_must_check_;
/* The same in another format. ERROR_UNSUPPORTED if its libraries are not installed. */
struct strobe_error *view_callgraph_picture(const struct profile *p, const struct pprof_graph_options *options,
					    enum picture_format format, struct out *out) _must_check_;
