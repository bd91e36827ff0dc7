#include "probe/inline.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "probe/definition.h"
#include "probe/fetch_filter.h"
#include "probe/fetch_parse.h"
#include "probe/names.h"
#include "probe/place.h"

/* IDs of formats, descending from the last one that the kernel could assign to a tracepoint. */
#define FORMAT_ID_LAST 65535

struct resolving {
	struct event_list *list;
	const struct sys *sys;
	const struct probe_files *files;
	struct strtab taken;      /* names, as "GROUP:EVENT" */
	VEC(struct event) events; /* to replace those of the list */
	size_t places_nr;
	/* The last target, since most probes share one. */
	struct probe_target target;
	const char *path;
	bool has_target;
};

bool probe_inline_is_any(const struct event_list *list)
{
	for (size_t i = 0; i < list->events.len; i++)
		if (list->events.data[i].probe && !list->events.data[i].code)
			return true;
	return false;
}

/* ---- targets ---- */

static bool is_same_path(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct strobe_error *open_target(struct resolving *r, const char *path)
{
	if (r->has_target && is_same_path(r->path, path))
		return NULL;
	if (r->has_target)
		probe_target_close(&r->target);
	r->has_target = false;
	TRY(path ? probe_target_program(path, r->files, &r->target) : probe_target_kernel(r->sys, NULL, r->files, &r->target));
	r->has_target = r->target.is_inline = true;
	r->path = path;
	TRY(probe_target_need_functions(&r->target));
	probe_functions_sort(&r->target.functions);
	return NULL;
}

static bool find_symbol(void *ctx, const char *name, uint64_t *ret)
{
	const struct probe_target *t = ctx;
	for (size_t i = 0; i < t->functions.list.len; i++)
		if (!strcmp(t->functions.list.data[i].name, name)) {
			*ret = t->functions.list.data[i].address;
			return true;
		}
	return false;
}

/* ---- names ---- */

static bool is_taken(void *ctx, const char *group, const char *event)
{
	const struct resolving *r = ctx;
	_cleanup_strbuf_ struct strbuf name = {};
	strbuf_addf(&name, "%s:%s", group, event);
	return strtab_find(&r->taken, strbuf_str(&name)) != IDSET_NONE;
}

static void take_name(struct resolving *r, const struct event *e)
{
	_cleanup_strbuf_ struct strbuf name = {};
	strbuf_addf(&name, "%s:%s", e->system, e->tracepoint);
	strtab_add(&r->taken, strbuf_str(&name));
}

static struct strobe_error *name_event(struct resolving *r, const struct probe_definition *d, const char *event_name,
				       const struct probe_place *p, struct event *e)
{
	_cleanup_strbuf_ struct strbuf group = {}, event = {};
	struct arena *arena = &r->list->arena;
	if (d->group || p->group)
		strbuf_addstr(&group, d->group ? d->group : p->group);
	else
		probe_group_name(r->path ? r->target.name : NULL, &group);
	strbuf_addstr(&event, event_name);
	TRY(probe_unique_name(strbuf_str(&group), &event, true, is_taken, r));
	e->system = arena_strdup(arena, strbuf_str(&group));
	e->tracepoint = arena_strdup(arena, strbuf_str(&event));
	take_name(r, e);
	if (!(e->terms.set & EVENT_TERM_NAME))
		e->name = arena_printf(arena, "%s:%s", e->system, e->tracepoint);
	return NULL;
}

/* ---- places ---- */

/* An event being made: the places that share its name. */
struct making {
	struct resolving *r;
	const struct probe_definition *definition;
	struct fetch_format format;
	VEC(uint64_t) at;
	VEC(uint64_t) semaphores;
	VEC(struct fetch_plan) plans;
};

static struct strobe_error *plan_arguments(struct making *m, const struct probe_place *p, const struct fetch_place *where,
					   struct fetch_plan *plan, struct fetch_format *format)
{
	_cleanup_strbuf_ struct strbuf text = {};
	fetch_plan_begin(plan, where);
	TRY(probe_place_arguments(&m->r->target, m->definition, p, &text));
	char *rest = text.data;
	for (char *word; rest && (word = strsep(&rest, " "));)
		if (*word)
			TRY(fetch_plan_add(plan, format, word, where, &m->r->list->arena));
	return NULL;
}

static struct strobe_error *add_place(struct making *m, const struct probe_place *p)
{
	struct probe_target *t = &m->r->target;
	struct fetch_place where = { .is_kernel = t->kind == PROBE_KERNEL, .is_return = m->definition->point.is_return,
				     .is_entry = p->function && !p->offset && !p->is_inlined, .symbol = find_symbol, .ctx = t };
	struct fetch_plan plan;
	struct fetch_format format = {};
	uint64_t at = p->address;
	where.arch = where.is_kernel ? arch_native() : object_header(t->object)->arch;
	if (!where.is_kernel && !object_offset_of_vaddr(t->object, p->address, &at))
		return error_create(ERROR_USAGE, "it is outside of the file %s", t->name);
	where.offset = at;
	TRY(plan_arguments(m, p, &where, &plan, &format));
	if (!m->plans.len)
		m->format = format;
	else if (!fetch_plan_is_alike(&m->plans.data[0], &plan))
		return error_create(ERROR_UNSUPPORTED, "its values have other types there: give each a type, as n:x64");
	vec_push(&m->at, at);
	vec_push(&m->semaphores, p->semaphore);
	vec_push(&m->plans, plan);
	return NULL;
}

static struct strobe_error *add_place_named(struct making *m, const struct probe_place *p, bool is_one_of_many)
{
	_cleanup_strbuf_ struct strbuf where = {};
	struct strobe_error *err = add_place(m, p);
	if (!err || !is_one_of_many)
		return err;
	probe_address_text(&m->r->target, p->address, false, &where);
	return error_prefix(err, "at %s", strbuf_str(&where));
}

static void *keep(struct arena *a, const void *data, size_t bytes)
{
	return arena_memdup(a, data, bytes);
}

/* Copies the event's data into the list's arena. */
static struct strobe_error *finish_event(struct making *m, struct event *e)
{
	struct arena *arena = &m->r->list->arena;
	struct probe_inline code = { .is_return = m->definition->point.is_return, .nr = (uint32_t)m->at.len };
	bool has_semaphores = false;
	_cleanup_strbuf_ struct strbuf format = {};
	for (size_t i = 0; i < m->semaphores.len; i++)
		has_semaphores |= m->semaphores.data[i] != 0;
	code.path = m->r->path ? arena_strdup(arena, m->r->target.name) : NULL;
	code.at = keep(arena, m->at.data, m->at.len * sizeof(*m->at.data));
	code.semaphores = has_semaphores ? keep(arena, m->semaphores.data, m->semaphores.len * sizeof(*m->semaphores.data)) : NULL;
	code.plans = keep(arena, m->plans.data, m->plans.len * sizeof(*m->plans.data));
	if (e->filter)
		TRY(fetch_filter_parse(e->filter, &m->plans.data[0], &m->format, &code.filter));
	e->code = keep(arena, &code, sizeof(code));
	e->attr.config = FORMAT_ID_LAST - m->r->events.len;
	fetch_format_text(&m->plans.data[0], &m->format, e->tracepoint, (uint32_t)e->attr.config, &format);
	e->format = arena_strdup(arena, strbuf_str(&format));
	return NULL;
}

/* Base names of events, by place. */
struct place_names {
	struct strtab table;
	str_id *ids;
};

static void name_places(const struct probe_definition *d, const struct probe_places *places, struct place_names *ret)
{
	const char *function = d->point.function;
	bool is_fixed = function && !strpbrk(function, "*?[");
	strtab_init(&ret->table);
	ret->ids = xcalloc(places->list.len, sizeof(*ret->ids));
	for (size_t i = 0; i < places->list.len; i++) {
		_cleanup_strbuf_ struct strbuf name = {};
		probe_event_name(d, is_fixed ? function : places->list.data[i].name, &name);
		ret->ids[i] = strtab_add(&ret->table, strbuf_str(&name));
	}
}

/* The event of all places with the name of `first`, the first of them; names are interned. */
static struct strobe_error *make_event(struct resolving *r, const struct probe_definition *d, const struct probe_places *places,
				       const struct place_names *names, size_t first, struct event *e)
{
	struct making m = { .r = r, .definition = d };
	struct strobe_error *err = name_event(r, d, strtab_get(&names->table, names->ids[first]), &places->list.data[first], e);
	for (size_t i = first; i < places->list.len && !err; i++)
		if (names->ids[i] == names->ids[first])
			err = add_place_named(&m, &places->list.data[i], places->list.len > 1);
	err = err ? err : finish_event(&m, e);
	vec_deinit(&m.at);
	vec_deinit(&m.semaphores);
	vec_deinit(&m.plans);
	return err;
}

static struct strobe_error *make_events(struct resolving *r, const struct probe_definition *d, const struct probe_places *places,
					const struct event *of)
{
	struct place_names names;
	struct strobe_error *err = NULL;
	str_id known = 0;
	name_places(d, places, &names);
	for (size_t i = 0; i < places->list.len && !err; i++) {
		struct event e = *of;
		if (names.ids[i] <= known) /* IDs ascend: an event has it already */
			continue;
		known = names.ids[i];
		err = make_event(r, d, places, &names, i, &e);
		if (!err)
			vec_push(&r->events, e);
	}
	strtab_deinit(&names.table);
	free(names.ids);
	return err;
}

static struct strobe_error *resolve_definition(struct resolving *r, const struct event *e, const struct probe_definition *d)
{
	const struct probe_search search = { .max_places = UINT32_MAX };
	struct probe_places places;
	TRY(open_target(r, e->probe->path));
	TRY(probe_places_find(&r->target, d, &search, &places));
	struct strobe_error *err = NULL;
	r->places_nr += places.list.len;
	if (r->places_nr > PROBE_INLINE_PLACES_MAX)
		err = error_create(ERROR_LIMIT, "there are %zu places to probe: name fewer functions (%d places are possible)",
				   r->places_nr, PROBE_INLINE_PLACES_MAX);
	err = err ? err : make_events(r, d, &places, e);
	probe_places_deinit(&places);
	return err;
}

static struct strobe_error *resolve_event(struct resolving *r, const struct event *e)
{
	struct probe_definition d;
	struct strobe_error *err = probe_definition_parse(e->probe->definition, &r->list->arena, &d);
	err = err ? err : resolve_definition(r, e, &d);
	probe_definition_deinit(&d);
	return error_prefix(err, "event '%s'", e->name);
}

/* ---- the list ---- */

static bool is_open(const struct event *e)
{
	return e->probe && !e->code;
}

/*
 * The events of a group, a range. Probes are not counted by the kernel, and so not in its groups: they are moved after the other members,
 * the first of which is the leader.
 */
static struct strobe_error *resolve_group(struct resolving *r, size_t first, size_t end)
{
	uint32_t leader = (uint32_t)r->events.len;
	for (size_t i = first; i < end; i++) {
		struct event e = r->list->events.data[i];
		e.leader = leader;
		if (is_open(&e))
			continue;
		vec_push(&r->events, e);
		if (e.tracepoint)
			take_name(r, &e);
	}
	for (size_t i = first; i < end; i++) {
		const struct event *e = &r->list->events.data[i];
		size_t before = r->events.len;
		if (!is_open(e))
			continue;
		if (e->sample_read)
			return error_create(ERROR_USAGE, "event '%s': a probe cannot be read with a group (:S)", e->name);
		TRY(resolve_event(r, e));
		for (size_t k = before; k < r->events.len; k++) {
			r->events.data[k].leader = (uint32_t)k;
			r->events.data[k].group_name = NULL;
		}
	}
	return NULL;
}

static struct strobe_error *resolve_all(struct resolving *r)
{
	size_t n = r->list->events.len, end;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && r->list->events.data[end].leader == i; end++)
			;
		TRY(resolve_group(r, i, end));
	}
	return NULL;
}

struct strobe_error *probe_inline_resolve(struct event_list *list, const struct sys *sys, const struct probe_files *files)
{
	struct resolving r = { .list = list, .sys = sys, .files = files };
	if (!probe_inline_is_any(list))
		return NULL;
	strtab_init(&r.taken);
	struct strobe_error *err = resolve_all(&r);
	if (!err) {
		vec_clear(&list->events);
		for (size_t i = 0; i < r.events.len; i++)
			vec_push(&list->events, r.events.data[i]);
	}
	strtab_deinit(&r.taken);
	vec_deinit(&r.events);
	if (r.has_target)
		probe_target_close(&r.target);
	return err;
}
