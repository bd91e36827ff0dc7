#include "counter/metrics.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

#define METRIC(name, groups, expr, unit, desc, threshold) { #name, groups, expr, unit, desc, threshold },
const struct metric metrics_builtin[] = {
#include "counter/metrics.def"
};
#undef METRIC
const size_t metrics_builtin_nr = sizeof(metrics_builtin) / sizeof(*metrics_builtin);

bool metric_is_in_group(const struct metric *m, const char *group)
{
	for (const char *at = m->groups; *at; at += strcspn(at, ";"), at += *at == ';')
		if (!strncasecmp(at, group, strcspn(at, ";")) && strlen(group) == strcspn(at, ";"))
			return true;
	return false;
}

void metric_set_init(struct metric_set *s)
{
	*s = (struct metric_set){};
	arena_init(&s->arena);
}

void metric_set_deinit(struct metric_set *s)
{
	for (size_t i = 0; i < s->uses.len; i++)
		vec_deinit(&s->uses.data[i].events);
	vec_deinit(&s->uses);
	vec_deinit(&s->own);
	arena_deinit(&s->arena);
}

void metric_set_define(struct metric_set *s, const char *name, const char *expr)
{
	struct metric m = { .name = name, .groups = "own", .expr = expr, .unit = "", .desc = "Defined by the user" };
	vec_push(&s->own, m);
}

static void collect(void *ctx, const char *name)
{
	struct metric_use *use = ctx;
	for (size_t i = 0; i < use->events.len; i++)
		if (!strcmp(use->events.data[i], name))
			return;
	vec_push(&use->events, name);
}

/* Whether the machine knows the event; parsed into a temporary list. */
static bool is_known(const struct sys *sys, const char *event)
{
	struct event_list scratch;
	event_list_init(&scratch);
	_cleanup_error_ struct strobe_error *err = event_parse(&scratch, sys, event);
	event_list_deinit(&scratch);
	return !err;
}

static bool is_perfs(const struct metric *m)
{
	return text_has_prefix(m->groups, "Default");
}

/* *ret has its events and the missing ones. */
static struct strobe_error *resolve(struct metric_set *s, const struct sys *sys, const struct metric *m, struct metric_options o,
				    struct metric_use *ret)
{
	*ret = (struct metric_use){ .metric = *m };
	TRY(metric_parse(&s->arena, m->expr, &ret->value));
	if (o.of_cpus && is_perfs(m))
		metric_rename(ret->value, "task-clock", "cpu-clock");
	if (m->threshold)
		TRY(metric_parse(&s->arena, m->threshold, &ret->threshold));
	metric_each_name(ret->value, collect, ret);
	struct strbuf missing = {};
	for (size_t i = 0; i < ret->events.len; i++)
		if (!is_known(sys, ret->events.data[i]))
			strbuf_addf(&missing, "%s%s", missing.len ? ", " : "", ret->events.data[i]);
	ret->missing = missing.len ? arena_strdup(&s->arena, strbuf_str(&missing)) : NULL;
	strbuf_deinit(&missing);
	return NULL;
}

static bool has_event(const struct event_list *events, const char *name)
{
	for (size_t i = 0; i < events->events.len; i++)
		if (!strcmp(events->events.data[i].name, name))
			return true;
	return false;
}

/* Adds events that are not counted yet: as a weak group if they share the counters of the CPU. */
static struct strobe_error *add_events(struct event_list *events, const struct sys *sys, const struct metric_use *use,
				       struct metric_options o)
{
	_cleanup_strbuf_ struct strbuf text = {};
	unsigned hardware = 0, added = 0;
	for (size_t i = 0; i < use->events.len; i++) {
		if (!o.no_merge && has_event(events, use->events.data[i]))
			continue;
		struct event_list one;
		event_list_init(&one);
		struct strobe_error *err = event_parse(&one, sys, use->events.data[i]);
		hardware += !err && one.events.len == 1 && one.events.data[0].kind != EVENT_SOFTWARE &&
			    one.events.data[0].kind != EVENT_TOOL && one.events.data[0].kind != EVENT_TRACEPOINT;
		event_list_deinit(&one);
		TRY(err);
		strbuf_addf(&text, "%s%s", text.len ? "," : "", use->events.data[i]);
		added++;
	}
	if (!added)
		return NULL;
	if (hardware == added && added > 1 && !o.no_group) {
		_cleanup_free_ char *group = xasprintf("{%s}:W", strbuf_str(&text));
		return event_parse(events, sys, group);
	}
	return event_parse(events, sys, strbuf_str(&text));
}

static bool is_used(const struct metric_set *s, const char *name)
{
	for (size_t i = 0; i < s->uses.len; i++)
		if (!strcasecmp(s->uses.data[i].metric.name, name))
			return true;
	return false;
}

/* perf's metrics have its labels, "faults/sec  page_faults_per_second"; others have their names. */
static const char *label_of(struct metric_set *s, const struct metric *m)
{
	return is_perfs(m) && *m->unit ? arena_printf(&s->arena, "%s  %s", m->unit, m->name) : m->name;
}

/* Adds the first definition of the name whose events all exist; else the first one, with its missing events. */
static struct strobe_error *add_metric(struct metric_set *s, struct event_list *events, const struct sys *sys, const char *name,
				       const struct metric *table, size_t nr, struct metric_options o, bool *ret_found)
{
	struct metric_use best = {};
	*ret_found = false;
	for (size_t i = 0; i < nr; i++) {
		struct metric_use use;
		if (strcasecmp(table[i].name, name) != 0)
			continue;
		struct strobe_error *err = resolve(s, sys, &table[i], o, &use);
		if (err || (*ret_found && use.missing)) {
			vec_deinit(&use.events);
			if (err) {
				vec_deinit(&best.events);
				return err;
			}
			continue;
		}
		vec_deinit(&best.events);
		best = use;
		*ret_found = true;
		if (!use.missing)
			break;
	}
	if (!*ret_found)
		return NULL;
	if (is_used(s, name)) {
		vec_deinit(&best.events);
		return NULL;
	}
	best.label = label_of(s, &best.metric);
	if (o.no_threshold)
		best.threshold = NULL;
	vec_push(&s->uses, best);
	return best.missing ? NULL : add_events(events, sys, &best, o);
}

static struct strobe_error *add_group(struct metric_set *s, struct event_list *events, const struct sys *sys, const char *name,
				      struct metric_options o, bool *ret_found)
{
	bool all = !strcasecmp(name, "all");
	*ret_found = false;
	for (size_t i = 0; i < metrics_builtin_nr; i++) {
		bool found;
		if (!all && !metric_is_in_group(&metrics_builtin[i], name))
			continue;
		*ret_found = true;
		if (!is_used(s, metrics_builtin[i].name))
			TRY(add_metric(s, events, sys, metrics_builtin[i].name, metrics_builtin, metrics_builtin_nr, o, &found));
	}
	return NULL;
}

static struct strobe_error *no_such_metric(const struct metric_set *s, const char *name)
{
	VEC(const char *) names = {};
	for (size_t i = 0; i < metrics_builtin_nr; i++)
		vec_push(&names, metrics_builtin[i].name);
	for (size_t i = 0; i < s->own.len; i++)
		vec_push(&names, s->own.data[i].name);
	const char *near = text_nearest(name, names.data, names.len);
	struct strobe_error *err =
		near ? error_create(ERROR_USAGE, "no metric '%s'; did you mean '%s'?", name, near) :
		       error_create(ERROR_USAGE, "no metric or metric group '%s'; see 'strobe list metric'", name);
	vec_deinit(&names);
	return err;
}

/* One item of the list. */
static struct strobe_error *add_item(struct metric_set *s, struct event_list *events, const struct sys *sys, char *item,
				     struct metric_options o)
{
	bool found;
	char *equals = strchr(item, '=');
	/* "a = b / c" defines; "a == b" is never at the beginning. */
	if (equals && equals[1] != '=' && equals > item && !strchr("<>!", equals[-1])) {
		size_t n = (size_t)(equals - item);
		while (n && isspace((unsigned char)item[n - 1]))
			n--;
		const char *name = arena_strndup(&s->arena, item, n);
		metric_set_define(s, name, arena_strdup(&s->arena, equals + 1 + strspn(equals + 1, " ")));
		return add_metric(s, events, sys, name, &vec_last(&s->own), 1, o, &found);
	}
	TRY(add_metric(s, events, sys, item, s->own.data, s->own.len, o, &found));
	if (!found)
		TRY(add_metric(s, events, sys, item, metrics_builtin, metrics_builtin_nr, o, &found));
	if (!found)
		TRY(add_group(s, events, sys, item, o, &found));
	return found ? NULL : no_such_metric(s, item);
}

struct strobe_error *metric_set_add(struct metric_set *s, struct event_list *events, const struct sys *sys, const char *text,
				    struct metric_options o)
{
	_cleanup_free_ char *copy = xstrdup(text);
	int depth = 0;
	char *item = copy;
	for (char *at = copy;; at++) {
		/* Commas inside brackets separate arguments. */
		depth += *at == '(';
		depth -= *at == ')';
		if (*at && (*at != ',' || depth > 0))
			continue;
		bool end = !*at;
		*at = '\0';
		item += strspn(item, " ");
		for (size_t n = strlen(item); n && item[n - 1] == ' '; n--)
			item[n - 1] = '\0';
		if (*item)
			TRY(add_item(s, events, sys, item, o));
		if (end)
			return NULL;
		item = at + 1;
	}
}

/* The scope of an evaluation. */
struct scope {
	const struct tally *t;
	uint32_t place;
	const char *cgroup;
	const struct metric_use *use;
	double value; /* of the metric, for its threshold */
	const char *uncounted; /* a name that had no count */
};

static bool same_cgroup(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool lookup(void *ctx, const char *name, double *ret)
{
	struct scope *scope = ctx;
	const struct counter_set *set = scope->t->set;
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		if (strcmp(e->event->name, name) != 0 || !same_cgroup(e->event->cgroup, scope->cgroup))
			continue;
		const struct tally_cell *cell = tally_cell(scope->t, scope->t->event_of_event[i], scope->place);
		/* Times are the same for all places. */
		if (e->event->kind == EVENT_TOOL)
			cell = tally_cell(scope->t, i, scope->t->place_of_slot[e->first_slot]);
		if (!e->supported || !cell->used || !(cell->running.mean > 0))
			break;
		*ret = cell->value.mean * e->scale;
		return true;
	}
	scope->uncounted = name;
	return false;
}

static bool lookup_own(void *ctx, const char *name, double *ret)
{
	const struct scope *scope = ctx;
	*ret = scope->value;
	return !strcasecmp(name, scope->use->metric.name);
}

static struct counts_figure figure_of(const struct metric_use *use, double value, struct scope *scope)
{
	struct counts_figure f = { .value = value, .width = 8, .decimals = 3,
				    .suffix = *use->metric.unit == '%' && !is_perfs(&use->metric) ? "%" : "", .unit = use->label };
	scope->value = value;
	if (use->threshold)
		f.mark = metric_eval(use->threshold, lookup_own, scope) == 1 ? COUNTS_BAD : COUNTS_GOOD;
	return f;
}

/* The row of the first event of the metric in this place with room for a figure; NULL: none. */
static struct counts_row *row_for(struct counts *c, const struct metric_use *use, const struct counts_place *place,
				  const char *cgroup)
{
	for (size_t k = 0; k < use->events.len; k++)
		for (size_t i = 0; i < c->rows.len; i++) {
			struct counts_row *row = &c->rows.data[i];
			if (!row->is_metric && !strcmp(row->event, use->events.data[k]) && row->state == COUNTS_COUNTED &&
			    counts_same_place(&row->place, place) && same_cgroup(row->cgroup, cgroup) && row->figures_nr < COUNTS_FIGURES)
				return row;
		}
	return NULL;
}

static void show_in(struct metric_use *use, struct scope *scope, const char *missing, struct counts *c)
{
	const struct counts_place *place = &scope->t->places.data[scope->place];
	double value = missing ? NAN : metric_eval(use->value, lookup, scope);
	if (!missing && isnan(value))
		missing = scope->uncounted ? scope->uncounted : "a divisor that is not 0";
	struct counts_figure f = figure_of(use, value, scope);
	struct counts_row *row = missing ? NULL : row_for(c, use, place, scope->cgroup);
	if (row) {
		row->metric = row->metric ? row->metric : use->metric.name;
		row->figures[row->figures_nr++] = f;
		return;
	}
	struct counts_row own = { .place = *place, .event = "", .unit = "", .cgroup = scope->cgroup, .is_metric = true,
				  .metric = use->metric.name, .missing = missing, .figures = { f }, .figures_nr = !missing };
	vec_push(&c->rows, own);
}

/* Whether an earlier event has the same cgroup. */
static bool is_repeated_cgroup(const struct tally *t, uint32_t event)
{
	for (uint32_t k = 0; k < event; k++)
		if (same_cgroup(t->set->events.data[k].event->cgroup, t->set->events.data[event].event->cgroup))
			return true;
	return false;
}

static void show_all_in(struct metric_set *s, const struct tally *t, uint32_t place, const char *cgroup, struct counts *c)
{
	for (size_t i = 0; i < s->uses.len; i++) {
		struct metric_use *use = &s->uses.data[i];
		struct scope scope = { .t = t, .place = place, .cgroup = cgroup, .use = use };
		/* Missing events are the same in all places: shown once, unless all places need the same columns. */
		if (!use->missing || !place || c->metrics_only)
			show_in(use, &scope, use->missing, c);
	}
}

void metric_set_show(struct metric_set *s, const struct tally *t, struct counts *c)
{
	uint32_t events = (uint32_t)t->set->events.len;
	if (!s->uses.len)
		return;
	/* Only metrics: a row for each, place by place. */
	if (c->metrics_only)
		vec_clear(&c->rows);
	for (uint32_t p = 0; p < t->places.len; p++) {
		if (!events)
			show_all_in(s, t, p, NULL, c);
		for (uint32_t e = 0; e < events; e++)
			if (!is_repeated_cgroup(t, e))
				show_all_in(s, t, p, t->set->events.data[e].event->cgroup, c);
	}
}
