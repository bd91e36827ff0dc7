/*
 * The call graph of a profile as pprof draws it, without graphviz: one SVG file, readable as it is.
 *
 * A box is a function; the larger its letters, the more it costs itself, and the redder, the more with all that it calls.
 * Opened in a browser it moves with the mouse and grows with the wheel. Names are escaped for XML.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "view/pprof_graph.h"
#include "view/svg/picture.h"

/* options->is_picture is to be set. ERROR_NOT_FOUND where there are no such values. */
struct strobe_error *view_callgraph_svg(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
	_must_check_;
/* The same as another format. ERROR_UNSUPPORTED where the libraries for it are not installed. */
struct strobe_error *view_callgraph_picture(const struct profile *p, const struct pprof_graph_options *options,
					    enum picture_format format, struct out *out) _must_check_;
