#include "probe/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "demangle/demangle.h"

/* An event and its probe in perf's layout: the name is padded to 20 characters. */
static void add_text(struct strbuf *ret, const char *group, const char *event, const char *place, const char *target, const char *arguments)
{
	size_t start = ret->len;
	strbuf_addf(ret, "%s:%s", group, event);
	while (ret->len - start < 20)
		strbuf_addch(ret, ' ');
	strbuf_addf(ret, " (on %s", place);
	if (*target)
		strbuf_addf(ret, " in %s", target);
	if (*arguments)
		strbuf_addf(ret, " with%s", arguments);
	strbuf_addch(ret, ')');
}

void probe_event_text(const struct probe_event *e, struct strbuf *ret)
{
	add_text(ret, e->group, e->event, e->place, e->target, e->arguments);
}

/* ---- functions ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void probe_functions_table(const struct probe_target *t, const struct probe_filter *filter, bool demangle, struct table *ret)
{
	VEC(const char *) names = {};
	struct arena arena;
	arena_init(&arena);
	table_init(ret, "strobe-probe-functions", 1);
	ret->layout = (struct table_layout){ .head = "", .row = "", .has_no_titles = true };
	table_column(ret, (struct table_column){ .key = "function", .type = TABLE_TEXT, .is_fixed = true });
	for (size_t i = 0; i < t->functions.list.len; i++) {
		const struct probe_function *f = &t->functions.list.data[i];
		_cleanup_free_ char *shown = f->is_code && demangle && demangle_is_mangled(f->name) ? demangle_name(f->name) : NULL;
		const char *name = shown ? arena_strdup(&arena, shown) : f->name;
		if (f->is_code && probe_filter_matches(filter, name))
			vec_push(&names, name);
	}
	if (names.len)
		qsort(names.data, names.len, sizeof(*names.data), by_name);
	table_reserve(ret, names.len);
	for (size_t i = 0; i < names.len; i++) {
		table_row(ret);
		table_set_text(ret, 0, names.data[i]);
	}
	vec_deinit(&names);
	arena_deinit(&arena);
}

/* ---- probes of the kernel ---- */

struct targets {
	const struct sys *sys;
	const struct probe_files *files;
	VEC(struct opened { enum probe_kind kind; const char *name; bool is_open; struct probe_target target; } *) list;
};

/* Opened once. NULL: failed. */
static struct probe_target *target_of(struct targets *t, const struct probe_installed *event)
{
	for (size_t i = 0; i < t->list.len; i++) {
		struct opened *o = t->list.data[i];
		if (o->kind == event->kind && !strcmp(o->name, event->target))
			return o->is_open ? &o->target : NULL;
	}
	struct opened *fresh = xcalloc(1, sizeof(*fresh));
	fresh->kind = event->kind;
	fresh->name = event->target;
	_cleanup_error_ struct strobe_error *err =
		event->kind == PROBE_PROGRAM ? probe_target_program(event->target, t->files, &fresh->target) :
					       probe_target_kernel(t->sys, *event->target ? event->target : NULL, t->files, &fresh->target);
	fresh->is_open = !err;
	if (fresh->is_open && (err = probe_target_need_functions(&fresh->target))) {
		probe_target_close(&fresh->target);
		fresh->is_open = false;
	}
	vec_push(&t->list, fresh);
	return err ? NULL : &fresh->target;
}

static void close_targets(struct targets *t)
{
	for (size_t i = 0; i < t->list.len; i++) {
		if (t->list.data[i]->is_open)
			probe_target_close(&t->list.data[i]->target);
		free(t->list.data[i]);
	}
	vec_deinit(&t->list);
}

static void add_place(struct targets *targets, const struct probe_installed *e, struct strbuf *ret)
{
	struct probe_target *t = target_of(targets, e);
	uint64_t address;
	if (t && probe_place_of_installed(t, e, &address))
		probe_address_text(t, address, e->is_return, ret);
	else if (*e->symbol && e->offset)
		strbuf_addf(ret, "%s+%llu%s", e->symbol, (unsigned long long)e->offset, e->is_return ? "%return" : "");
	else if (*e->symbol)
		strbuf_addf(ret, "%s%s", e->symbol, e->is_return ? "%return" : "");
	else
		strbuf_addf(ret, "%#llx%s", (unsigned long long)e->offset, e->is_return ? "%return" : "");
}

/* Names of arguments, each after a blank, without their definitions. */
static void add_names(const char *arguments, struct strbuf *ret)
{
	for (const char *at = arguments; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		size_t n = strcspn(at, " ="), all = strcspn(at, " ");
		strbuf_addf(ret, " %.*s", (int)(at[n] == '=' ? n : all), at);
	}
}

void probe_installed_table(const struct sys *sys, const struct probe_list *list, const struct probe_filter *filter,
			   const struct probe_files *files, struct table *ret)
{
	enum { TEXT, GROUP, EVENT, PLACE, TARGET, ARGUMENTS };
	static const char *const keys[] = { "group", "event", "place", "target", "arguments" };
	struct targets targets = { .sys = sys, .files = files };
	table_init(ret, "strobe-probe-list", 1);
	ret->layout = (struct table_layout){ .row = "  ", .has_no_titles = true };
	table_column(ret, (struct table_column){ .key = "text", .type = TABLE_TEXT, .is_fixed = true, .text_only = true });
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		table_column(ret, (struct table_column){ .key = keys[i], .type = TABLE_TEXT, .data_only = true });
	for (size_t i = 0; i < list->events.len; i++) {
		const struct probe_installed *e = &list->events.data[i];
		_cleanup_strbuf_ struct strbuf text = {}, place = {}, names = {};
		if (!probe_filter_matches_event(filter, e->group, e->event))
			continue;
		add_place(&targets, e, &place);
		add_names(e->arguments, &names);
		add_text(&text, e->group, e->event, strbuf_str(&place), e->target, strbuf_str(&names));
		table_row(ret);
		table_set_text(ret, TEXT, strbuf_str(&text));
		table_set_text(ret, GROUP, e->group);
		table_set_text(ret, EVENT, e->event);
		table_set_text(ret, PLACE, strbuf_str(&place));
		table_set_text(ret, TARGET, e->target);
		table_set_text(ret, ARGUMENTS, e->arguments);
	}
	close_targets(&targets);
}

/* ---- variables ---- */

enum { VARIABLE_PLACE, VARIABLE_KIND, VARIABLE_TYPE, VARIABLE_NAME, VARIABLE_IS_ALIVE, VARIABLE_RANGES };

static void begin_variables(struct table *t)
{
	static const char *const keys[] = { "place", "kind", "type", "name", "is_alive", "ranges" };
	table_init(t, "strobe-probe-variables", 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		table_column(t, (struct table_column){ .key = keys[i], .type = i == VARIABLE_IS_ALIVE ? TABLE_BOOL : TABLE_TEXT,
						       .is_optional = i == VARIABLE_RANGES });
}

static void add_variable(struct table *t, const char *place, const struct probe_variable *v)
{
	static const char *const kinds[] = { [PROBE_PARAMETER] = "parameter", [PROBE_LOCAL] = "local", [PROBE_GLOBAL] = "global" };
	table_row(t);
	table_set_text(t, VARIABLE_PLACE, place);
	table_set_text(t, VARIABLE_KIND, kinds[v->kind]);
	table_set_text(t, VARIABLE_TYPE, v->type);
	table_set_text(t, VARIABLE_NAME, v->name);
	table_set_bool(t, VARIABLE_IS_ALIVE, v->is_alive);
	if (v->ranges)
		table_set_text(t, VARIABLE_RANGES, v->ranges);
}

/* The column for variables without a value is only shown with ranges: some may have none then. */
static void add_variable_text(struct strbuf *text, const struct probe_variable *v, struct probe_variable_options options)
{
	const char *mark = v->kind == PROBE_GLOBAL ? "[EXT]" : v->is_alive ? "[VAL]" : "[INV]";
	bool is_marked = options.ranges;
	strbuf_addf(text, "\t\t%s%s%s\t%s", is_marked ? mark : "", is_marked ? "\t" : "", v->type, v->name);
	strbuf_addf(text, "%s%s\n", v->ranges ? "\t" : "", v->ranges ? v->ranges : "");
}

static struct strobe_error *add_place_variables(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
						const struct probe_filter *filter, struct probe_variable_options options,
						struct table *table, struct strbuf *text)
{
	struct probe_variables *variables;
	probe_variable_list list = {};
	struct arena arena;
	TRY(probe_target_variables(t, &variables));
	arena_init(&arena);
	const struct probe_site site = probe_place_site(t, d, p);
	const char *place = p->function ? arena_printf(&arena, "%s+%llu", p->function->name, (unsigned long long)p->offset) :
					  arena_printf(&arena, "%#llx", (unsigned long long)p->address);
	struct strobe_error *err = probe_variables_list(variables, &site, options, &arena, &list);
	size_t before = table->rows.len;
	strbuf_addf(text, "\t@<%s>\n", place);
	for (size_t i = 0; i < list.len && !err; i++) {
		const struct probe_variable *v = &list.data[i];
		if (!probe_filter_matches(filter, v->name))
			continue;
		add_variable(table, place, v);
		add_variable_text(text, v, options);
	}
	if (table->rows.len == before)
		strbuf_addstr(text, "\t\t(No matched variables)\n");
	vec_deinit(&list);
	arena_deinit(&arena);
	return err;
}

/*
 * Parameters of a function of the running kernel by its BTF, which has them by name: nothing else is known of them at its places, and the
 * kernel takes long to list its symbols. False: another way may know.
 */
static bool add_by_name(struct probe_target *t, const struct probe_definition *d, const struct probe_filter *filter,
			struct probe_variable_options options, struct table *table, struct strbuf *text)
{
	const struct probe_point *p = &d->point;
	bool is_running = t->kind == PROBE_KERNEL && !t->object && !*t->name;
	bool is_entry = p->function && probe_name_alone(p->function) && !p->file && !p->line && !p->offset && !p->pattern && !p->is_return;
	if (!is_running || !is_entry || probe_target_dwarf(t))
		return false;
	const struct probe_function function = { .name = p->function };
	const struct probe_place place = { .function = &function };
	_cleanup_strbuf_ struct strbuf added = {};
	_cleanup_error_ struct strobe_error *err = add_place_variables(t, d, &place, filter, options, table, &added);
	if (err)
		return false;
	strbuf_addstr(text, strbuf_str(&added));
	return true;
}

struct strobe_error *probe_variables_table(struct probe_target *t, const struct probe_definition *d, const struct probe_search *search,
					   const struct probe_filter *filter, struct probe_variable_options options, struct table *ret,
					   struct strbuf *text)
{
	struct probe_places places = {};
	begin_variables(ret);
	if (add_by_name(t, d, filter, options, ret, text))
		return NULL;
	struct strobe_error *err = probe_places_find(t, d, search, &places);
	for (size_t i = 0; i < places.list.len && !err; i++)
		err = add_place_variables(t, d, &places.list.data[i], filter, options, ret, text);
	if (err)
		table_deinit(ret);
	probe_places_deinit(&places);
	return err;
}

/* ---- definitions ---- */

/* "p:GROUP/EVENT PLACE …" → "ftrace.event.kprobes.EVENT.probe = 'PLACE …'" (bootconfig.rst) */
static struct strobe_error *add_boot_line(const struct probe_event *e, struct strbuf *ret)
{
	const char *blank = strchr(e->line, ' ');
	if (e->kind == PROBE_PROGRAM)
		return error_create(ERROR_USAGE, "--bootconfig: only probes of the kernel can be set as it starts");
	strbuf_addf(ret, "ftrace.event.kprobes.%s.probe = '%s'", e->event, blank ? blank + 1 : "");
	return NULL;
}

struct strobe_error *probe_events_table(const struct probe_events *e, bool for_boot, struct table *ret)
{
	table_init(ret, "strobe-probe-definitions", 1);
	ret->layout = (struct table_layout){ .row = "", .has_no_titles = true };
	table_column(ret, (struct table_column){ .key = "definition", .type = TABLE_TEXT, .is_fixed = true });
	struct strobe_error *err = NULL;
	for (size_t i = 0; i < e->list.len && !err; i++) {
		_cleanup_strbuf_ struct strbuf line = {};
		if (for_boot)
			err = add_boot_line(&e->list.data[i], &line);
		table_row(ret);
		table_set_text(ret, 0, for_boot ? strbuf_str(&line) : e->list.data[i].line);
	}
	if (err)
		table_deinit(ret);
	return err;
}
