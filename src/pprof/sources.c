/* Determines what a report of pprof needs of its sources. */
#include <string.h>

#include "pprof/report.h"

static bool selects(const struct pprof_config *c)
{
	return profile_selects(&c->select) || profile_selects_labels(&c->labels) || c->labels.root || c->labels.leaf;
}

/* Whether a profile is written unchanged. */
static bool keeps_all(const struct pprof_config *c)
{
	return !selects(c) && !c->sample_index && !c->mean && c->divide_by == 1;
}

/* Whether a report shows only names of functions: no lines, files or inlined functions. */
static bool needs_names_only(const struct pprof_config *c, enum pprof_output o)
{
	bool shows_names = o == OUTPUT_TOP || o == OUTPUT_TREE || o == OUTPUT_PEEK || o == OUTPUT_TAGS || o == OUTPUT_SVG;
	/* expressions match files, too */
	return shows_names && c->no_inlines && !strcmp(c->granularity, "functions") && !profile_selects(&c->select);
}

/* Whether a report consists of sums over all samples, by function. */
static bool is_of_sums(const struct pprof_config *c, enum pprof_output o)
{
	/* peek has them too, but of all edges: those are found faster along sorted stacks */
	bool sums = o == OUTPUT_TOP || o == OUTPUT_TREE || pprof_output_is_picture(o);
	return sums && !selects(c) && !strcmp(c->granularity, "functions") && !c->call_tree && !c->mean && !c->relative;
}

/* Whether a report shows values other than the selected one: with a base, also those of samples of which the base leaves nothing. */
static bool needs_all_values(const struct pprof_config *c, enum pprof_output o, bool has_base)
{
	bool lists_samples = o == OUTPUT_TRACES || o == OUTPUT_TAGS;
	return c->mean || o == OUTPUT_PROTO || o == OUTPUT_RAW || (lists_samples && has_base);
}

void pprof_choose_sources(const struct pprof_config *c, const struct pprof_report_kind *kind, struct profile_sources *sources)
{
	sources->normalize = c->normalize;
	if (!kind)
		return;
	if (!needs_all_values(c, kind->output, sources->bases.len))
		sources->value = c->sample_index ? c->sample_index : "";
	sources->may_copy = kind->output == OUTPUT_PROTO && keeps_all(c);
	sources->may_stream = is_of_sums(c, kind->output);
	sources->needs_labels = pprof_output_is_picture(kind->output);
	sources->symbolize.names_only |= needs_names_only(c, kind->output);
}
