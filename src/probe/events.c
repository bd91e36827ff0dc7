#include "probe/events.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "probe/names.h"
#include "sys/tracefs.h"

/* In tracefs' README if several probes can share an event. */
#define SHARES_NAMES "Create/append/"

static bool can_share_names(const struct sys *sys)
{
	_cleanup_free_ char *tracefs = NULL, *path = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_tracefs(sys, &tracefs);
	if (err)
		return false;
	path = xasprintf("%s/README", tracefs);
	_cleanup_error_ struct strobe_error *unread = sys_read(sys, path, &text, 0);
	return !unread && strstr(strbuf_str(&text), SHARES_NAMES);
}

struct strobe_error *probe_events_init(const struct sys *sys, bool for_display, bool has_force, struct probe_events *ret)
{
	*ret = (struct probe_events){ .for_display = for_display, .has_force = has_force, .shares_names = for_display };
	if (!for_display) {
		TRY(probe_list_read(sys, &ret->installed));
		ret->shares_names = can_share_names(sys);
	}
	arena_init(&ret->arena);
	return NULL;
}

void probe_events_deinit(struct probe_events *e)
{
	vec_deinit(&e->list);
	probe_list_deinit(&e->installed);
	arena_deinit(&e->arena);
}

/* ---- names ---- */

/* Taken by the kernel, or by an event of this list; by one of the same definition only if they cannot share it. */
static bool is_taken(void *ctx, const char *group, const char *event)
{
	const struct probe_events *e = ctx;
	if (probe_list_find(&e->installed, group, event))
		return true;
	for (size_t i = 0; i < e->list.len; i++) {
		const struct probe_event *other = &e->list.data[i];
		bool may_share = e->for_display || (e->shares_names && other->definition == e->definitions);
		if (!may_share && !strcmp(other->group, group) && !strcmp(other->event, event))
			return true;
	}
	return false;
}

static struct strobe_error *name_event(struct probe_events *e, const struct probe_target *t, const struct probe_definition *d,
				       const struct probe_place *p, struct probe_event *ret)
{
	_cleanup_strbuf_ struct strbuf group = {}, event = {};
	const char *function = d->point.function;
	bool is_fixed = function && !strpbrk(function, "*?[");
	if (d->group || p->group)
		strbuf_addstr(&group, d->group ? d->group : p->group);
	else
		probe_group_name(t->kind == PROBE_PROGRAM ? t->name : NULL, &group);
	probe_event_name(d, is_fixed ? function : p->name, &event);
	if (group.len > PROBE_NAME_MAX)
		return error_create(ERROR_USAGE, "'%s' is too long for the name of a group (%d letters): choose another: GROUP:NAME=…",
				    strbuf_str(&group), PROBE_NAME_MAX);
	bool is_first = !e->list.len || vec_last(&e->list).definition != e->definitions;
	TRY(probe_unique_name(strbuf_str(&group), &event, e->has_force || !is_first, is_taken, e));
	ret->group = arena_strdup(&e->arena, strbuf_str(&group));
	ret->event = arena_strdup(&e->arena, strbuf_str(&event));
	return NULL;
}

/* ---- adding ---- */

static const char *arguments_text(struct probe_events *e, const struct probe_definition *d)
{
	_cleanup_strbuf_ struct strbuf text = {};
	for (size_t i = 0; i < d->arguments.len; i++) {
		strbuf_addch(&text, ' ');
		probe_argument_text(&d->arguments.data[i], &text);
	}
	return arena_strdup(&e->arena, strbuf_str(&text));
}

static struct strobe_error *add_place(struct probe_events *e, struct probe_target *t, const struct probe_definition *d,
				      const struct probe_place *p)
{
	_cleanup_strbuf_ struct strbuf line = {}, place = {};
	struct probe_event event = { .kind = t->kind, .target = arena_strdup(&e->arena, t->name), .definition = e->definitions,
				     .is_return = d->point.is_return, .is_after_prologue = p->is_after_prologue };
	TRY(name_event(e, t, d, p, &event));
	TRY(probe_place_line(t, d, p, event.group, event.event, &line));
	probe_point_text(&d->point, &place);
	event.line = arena_strdup(&e->arena, strbuf_str(&line));
	event.place = arena_strdup(&e->arena, strbuf_str(&place));
	event.arguments = arguments_text(e, d);
	if (p->function && p->function->is_resolver && !p->offset && !p->is_inlined)
		event.resolver = arena_strdup(&e->arena, p->function->name);
	vec_push(&e->list, event);
	return NULL;
}

/* Adds the failing place of a definition to the error. */
static struct strobe_error *at_place(struct strobe_error *err, struct probe_target *t, const struct probe_place *p)
{
	_cleanup_strbuf_ struct strbuf text = {};
	probe_address_text(t, p->address, false, &text);
	return error_prefix(err, "at %s", strbuf_str(&text));
}

struct strobe_error *probe_events_add(struct probe_events *e, struct probe_target *t, const struct probe_definition *d,
				      const struct probe_search *search)
{
	struct probe_places places;
	TRY(probe_places_find(t, d, search, &places));
	struct strobe_error *err = NULL;
	for (size_t i = 0; i < places.list.len && !err; i++) {
		err = add_place(e, t, d, &places.list.data[i]);
		if (err && places.list.len > 1)
			err = at_place(err, t, &places.list.data[i]);
	}
	probe_places_deinit(&places);
	e->definitions++;
	return err;
}

/* ---- installing ---- */

static void remove_first(const struct sys *sys, const struct probe_events *e, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		const struct probe_event *p = &e->list.data[i], *before = i ? p - 1 : NULL;
		/* one removal takes all probes of an event */
		if (!before || strcmp(before->group, p->group) || strcmp(before->event, p->event))
			error_destroy(probe_remove(sys, p->kind, p->group, p->event));
	}
}

struct strobe_error *probe_events_install(const struct sys *sys, const struct probe_events *e)
{
	sigset_t all, before;
	struct strobe_error *err = NULL;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < e->list.len && !err; i++) {
		err = probe_install(sys, e->list.data[i].kind, e->list.data[i].line);
		if (err)
			remove_first(sys, e, i);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
