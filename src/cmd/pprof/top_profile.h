/*
 * What top shows as a profile of its own: a sample for each row, with the values "cum" and "flat" in the unit of the report.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "view/pprof_graph.h"

/* profile.proto, packed. ERROR_NOT_FOUND where there are no such values. */
struct strobe_error *top_profile_write(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
	_must_check_;
