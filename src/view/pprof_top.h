/*
 * The report top as a profile: a sample per row, with the values "cum" and "flat" in the unit of the report.
 */
#pragma once
#include "view/pprof_graph.h"

/* A new profile, the caller's. */
struct profile *pprof_top_profile(const struct profile *p, const struct pprof_graph_options *options);
