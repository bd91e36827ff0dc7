#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "catalog/priv.h"
#include "event/names.h"
#include "sys/tracefs.h"

static void choose_pmu(struct catalog *c)
{
	const struct catalog_settings *s = &c->settings;
	c->pmu = s->unit;
	if (s->unit || !s->core_type)
		return;
	const char *pmu = arena_printf(&c->table.arena, "cpu_%s", s->core_type);
	_cleanup_free_ char *dir = xasprintf(PMU_DIR "/%s", pmu);
	if (sys_exists(c->sys, dir))
		c->pmu = pmu;
	else
		session_say(c->host, "--cputype is ignored: this machine has no PMU %s, all cores are of the same type", pmu);
}

void catalog_init(struct catalog *c, const struct session_host *host, const struct sys *sys, const struct catalog_settings *settings)
{
	*c = (struct catalog){ .settings = *settings, .host = host, .sys = sys };
	struct table *t = &c->table;
	table_init(t, "strobe-list", 1);
	t->rows_key = "events";
	t->has_no_notes = true;
	t->layout = (struct table_layout){ .gap = " ", .has_no_titles = true };
	catalog_columns(c);
	pmu_set_init(&c->pmus, sys);
	choose_pmu(c);
	if (settings->details)
		error_destroy(sys_tracefs(sys, &c->tracefs)); /* adding tracepoints returns the same error */
}

void catalog_deinit(struct catalog *c)
{
	pmu_set_deinit(&c->pmus);
	tracepoints_destroy(c->formats);
	free(c->tracefs);
	table_deinit(&c->table);
	error_destroy(c->error);
}

static void to_lower(char *text)
{
	for (char *c = text; *c; c++)
		*c |= *c >= 'A' && *c <= 'Z' ? 0x20 : 0;
}

bool catalog_matches(const struct catalog *c, const char *name)
{
	if (!c->selection->glob || !name)
		return !c->selection->glob;
	_cleanup_free_ char *low = xstrdup(name);
	to_lower(low);
	return text_glob(c->selection->glob, low);
}

void catalog_note_error(struct catalog *c, struct strobe_error *err)
{
	if (c->error)
		error_destroy(err);
	else
		c->error = err;
}

/* With a PMU given, only its own and vendors' events match. */
static void add_selection(struct catalog *c, const struct catalog_selection *s)
{
	bool all_pmus = !c->pmu;
	c->selection = s;
	catalog_events(c, s->groups & ~(unsigned)EVENT_GROUP_TRACEPOINT);
	if (s->vendor)
		catalog_vendor_events(c);
	if (s->patterns && all_pmus)
		catalog_patterns(c);
	if (s->groups & EVENT_GROUP_TRACEPOINT && all_pmus)
		catalog_events(c, EVENT_GROUP_TRACEPOINT);
	if (s->metrics && !s->whole_tracepoint && all_pmus)
		catalog_metrics(c);
	if (s->sdt && all_pmus)
		catalog_markers(c);
	if (s->metric_groups && all_pmus)
		catalog_metric_groups(c);
}

static const struct catalog_selection *find_kind(const char *word)
{
	static const struct {
		const char *name;
		struct catalog_selection selection;
	} kinds[] = {
		{ "tracepoint", { .groups = EVENT_GROUP_TRACEPOINT } },
		{ "hw", { .groups = EVENT_GROUP_HARDWARE } },
		{ "hardware", { .groups = EVENT_GROUP_HARDWARE } },
		{ "sw", { .groups = EVENT_GROUP_SOFTWARE | EVENT_GROUP_TOOL } },
		{ "software", { .groups = EVENT_GROUP_SOFTWARE | EVENT_GROUP_TOOL } },
		{ "tool", { .groups = EVENT_GROUP_TOOL } },
		{ "cache", { .groups = EVENT_GROUP_CACHE } },
		{ "hwcache", { .groups = EVENT_GROUP_CACHE } },
		{ "pmu", { .groups = EVENT_GROUP_PMU } },
		{ "pfm", { .vendor = true } },
		{ "sdt", { .sdt = true } },
		{ "metric", { .metrics = true } },
		{ "metrics", { .metrics = true } },
		{ "metricgroup", { .metric_groups = true } },
		{ "metricgroups", { .metric_groups = true } },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, word))
			return &kinds[i].selection;
	return NULL;
}

void catalog_add(struct catalog *c, const char *word)
{
	static const struct catalog_selection everything = { .groups = EVENT_GROUP_ALL, .sdt = true, .metric_groups = true,
							     .vendor = true, .patterns = true };
	const struct catalog_selection *kind = word ? find_kind(word) : &everything;
	if (kind) {
		add_selection(c, kind);
		return;
	}
	bool whole = strchr(word, ':') && !strstr(word, "::");
	_cleanup_free_ char *glob = whole ? xstrdup(word) : xasprintf("*%s*", word);
	to_lower(glob);
	add_selection(c, &(struct catalog_selection){ .groups = EVENT_GROUP_ALL, .sdt = true, .metrics = true, .vendor = true,
						      .glob = glob, .whole_tracepoint = whole });
}
