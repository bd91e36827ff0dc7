/* The settings of pprof as URL parameters of a page: the initial state of the pages of -http. */
#include <inttypes.h>
#include <string.h>

#include "pprof/config.h"

/* NULL if it is the default. */
static const char *number(struct arena *arena, double value, double usual)
{
	return value != usual ? arena_printf(arena, "%g", value) : NULL;
}

static const char *flag(bool is_set)
{
	return is_set ? "1" : NULL;
}

const char *const *pprof_config_page(const struct pprof_config *c, struct arena *arena)
{
	struct pprof_config usual;
	pprof_config_defaults(&usual);
	bool is_count_set = !c->trim || c->node_count != usual.node_count;
	const char *const settings[] = {
		"f", c->select.focus, "i", c->select.ignore, "h", c->select.hide, "s", c->select.show,
		"sf", c->select.show_from, "prunefrom", c->select.prune_from, "si", c->sample_index, "g", c->granularity,
		"sort", c->sort, "noinlines", flag(c->no_inlines), "tf", c->labels.focus, "ti", c->labels.ignore,
		"ts", c->labels.show, "th", c->labels.hide, "tagroot", c->labels.root, "tagleaf", c->labels.leaf,
		"n", is_count_set ? arena_printf(arena, "%" PRId64, c->trim ? c->node_count : 0) : NULL,
		"nf", number(arena, c->trim ? c->node_fraction : 0, usual.node_fraction),
		"ef", number(arena, c->trim ? c->edge_fraction : 0, usual.edge_fraction),
		"unit", strcmp(c->unit, usual.unit) ? c->unit : NULL, "div", number(arena, c->divide_by, usual.divide_by),
		"calltree", flag(c->call_tree), "dropneg", flag(c->drop_negative), NULL,
	};
	return arena_memdup(arena, settings, sizeof(settings));
}
