/* Metrics of a catalog, and their groups. */
#include "counter/metrics.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "catalog/priv.h"

/* Metrics with the same name are represented by the first. */
static bool is_repeated(size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(metrics_builtin[i].name, metrics_builtin[index].name))
			return true;
	return false;
}

void catalog_metrics(struct catalog *c)
{
	if (!c->selection->glob)
		catalog_heading(c, "Metrics");
	for (size_t i = 0; i < metrics_builtin_nr; i++) {
		const struct metric *m = &metrics_builtin[i];
		if (is_repeated(i) || !catalog_matches(c, m->name))
			continue;
		catalog_row(c, &(struct catalog_row){ .name = m->name, .type = "Metric", .groups = m->groups, .desc = m->desc,
						      .long_desc = m->desc, .encoding = m->expr, .unit = m->unit, .kind = CATALOG_METRIC });
	}
}

static bool is_new_group(size_t index, const char *group)
{
	for (size_t i = 0; i < index; i++)
		if (metric_is_in_group(&metrics_builtin[i], group))
			return false;
	return true;
}

void catalog_metric_groups(struct catalog *c)
{
	catalog_heading(c, "Metric Groups");
	for (size_t i = 0; i < metrics_builtin_nr; i++) {
		_cleanup_free_ char *copy = xstrdup(metrics_builtin[i].groups);
		char *rest = copy;
		for (char *group; (group = strsep(&rest, ";"));)
			if (is_new_group(i, group))
				catalog_row(c, &(struct catalog_row){ .name = group, .kind = CATALOG_OTHER });
	}
}
