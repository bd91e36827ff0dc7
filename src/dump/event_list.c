#include "dump/event_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/attr_text.h"

#define KEY_BYTES 40

enum column { NAME, TYPE, CONFIG, FREQ, PERIOD, ATTR, IDS, LEADER, UNIT, TRACE_FIELDS };

static void add_columns(struct table *t)
{
	static const struct table_column columns[] = {
		[NAME] = { "name", NULL, TABLE_TEXT },
		[TYPE] = { "type", NULL, TABLE_COUNT, .data_only = true },
		[CONFIG] = { "config", NULL, TABLE_TEXT, .data_only = true },
		[FREQ] = { "sample_freq", NULL, TABLE_COUNT, .data_only = true, .is_optional = true },
		[PERIOD] = { "sample_period", NULL, TABLE_COUNT, .data_only = true, .is_optional = true },
		[ATTR] = { "attr", NULL, TABLE_ITEMS, .data_only = true },
		[IDS] = { "ids", NULL, TABLE_ITEMS, .data_only = true, .items = TABLE_ITEMS_LIST },
		[LEADER] = { "leader", NULL, TABLE_COUNT, .data_only = true },
		[UNIT] = { "unit", NULL, TABLE_TEXT, .data_only = true, .is_optional = true },
		[TRACE_FIELDS] = { "trace_fields", NULL, TABLE_ITEMS, .data_only = true, .is_optional = true, .items = TABLE_ITEMS_LIST },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
}

static bool is_tracepoint(const struct env_event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT;
}

bool event_list_has_tracepoints(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (is_tracepoint(&env->events.data[i]))
			return true;
	return false;
}

/* ---- text ---- */

/* The line of an event: ": " before the first field, ", " before the others. */
struct line {
	struct strbuf text;
	bool has_fields;
};

static void add_gap(struct line *l)
{
	strbuf_addstr(&l->text, l->has_fields ? ", " : ": ");
	l->has_fields = true;
}

static void add_field(void *ctx, const char *name, const char *value)
{
	struct line *l = ctx;
	add_gap(l);
	strbuf_addf(&l->text, "%s: %s", name, value);
}

static void add_trace_fields(struct line *l, const struct env_event *ev, const struct tracepoints *formats)
{
	const struct tracepoint *tp = tracepoints_of_event(formats, ev);
	if (!tp) {
		add_gap(l);
		strbuf_addstr(&l->text, is_tracepoint(ev) ? "(no trace field)" : "(not a tracepoint)");
		return;
	}
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++) {
		if (i == tp->common_nr)
			add_field(l, "trace_fields", tp->fields[i].name);
		else
			strbuf_addf(&l->text, ",%s", tp->fields[i].name);
	}
}

static void add_event_line(struct line *l, const struct event_list_options *o, const struct env *env, const struct env_event *ev,
			   const struct tracepoints *formats)
{
	struct attr_names names = env_attr_names(env, ev);
	strbuf_addstr(&l->text, ev->name);
	if (o->attributes) {
		attr_each_field(&ev->attr, &names, add_field, l);
	} else if (o->freq) {
		add_gap(l);
		strbuf_addf(&l->text, "%s=%" PRIu64, ev->attr.freq ? "sample_freq" : "sample_period", (uint64_t)ev->attr.sample_period);
	}
	if (o->trace_fields)
		add_trace_fields(l, ev, formats);
}

/* "name{leader,member}", for the leader. */
static void add_group_line(struct line *l, const struct env_event *ev)
{
	bool is_group = ev->group_members > 1;
	if (is_group)
		strbuf_addf(&l->text, "%s{", ev->group_name ? ev->group_name : "");
	strbuf_addstr(&l->text, ev->name);
	for (uint32_t i = 1; is_group && i < ev->group_members; i++)
		strbuf_addf(&l->text, ",%s", ev[i].name);
	strbuf_addstr(&l->text, is_group ? "}" : "");
}

/* ---- data ---- */

struct items {
	struct table *t;
	VEC(struct table_item) items;
};

static void set_items(struct items *list, enum column column)
{
	table_set_items(list->t, column, list->items.data, (uint32_t)list->items.len);
	vec_clear(&list->items);
}

/* Decimal numbers become JSON numbers, hexadecimal ones remain strings. */
static void add_attr_item(void *ctx, const char *name, const char *value)
{
	struct items *list = ctx;
	struct table_item item = {};
	/* "{ sample_period, sample_freq }": two names of one field; the first is the key. */
	name += *name == '{' ? 2 : 0;
	size_t n = strcspn(name, ",");
	if (n >= KEY_BYTES)
		return;
	item.name = arena_strndup(&list->t->arena, name, n);
	if (!text_to_u64(value, &item.count) || value[1] == 'x')
		item.text = arena_strdup(&list->t->arena, value);
	vec_push(&list->items, item);
}

static void set_trace_fields(struct items *list, const struct tracepoint *tp)
{
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++)
		vec_push(&list->items, ((struct table_item){ .text = tp->fields[i].name }));
	set_items(list, TRACE_FIELDS);
}

static void set_data(struct items *list, const struct env_event *ev, const struct tracepoint *tp)
{
	struct table *t = list->t;
	char config[24];
	snprintf(config, sizeof(config), "0x%" PRIx64, (uint64_t)ev->attr.config);
	table_set_text(t, NAME, ev->name);
	table_set_count(t, TYPE, ev->attr.type);
	table_set_text(t, CONFIG, config);
	table_set_count(t, ev->attr.freq ? FREQ : PERIOD, ev->attr.sample_period);
	attr_each_field(&ev->attr, NULL, add_attr_item, list);
	set_items(list, ATTR);
	for (uint32_t i = 0; i < ev->ids_nr; i++)
		vec_push(&list->items, ((struct table_item){ .count = ev->ids[i] }));
	set_items(list, IDS);
	table_set_count(t, LEADER, ev->leader);
	if (ev->unit)
		table_set_text(t, UNIT, ev->unit);
	if (tp)
		set_trace_fields(list, tp);
}

/* The text line of an event in place of its name. */
static void show_line(struct table *t, const struct env *env, const struct env_event *ev, const struct event_list_options *o,
		      const struct tracepoints *formats)
{
	struct line l = {};
	if (o->by_group)
		add_group_line(&l, ev);
	else
		add_event_line(&l, o, env, ev, formats);
	table_show(t, NAME, "%s", strbuf_str(&l.text));
	strbuf_deinit(&l.text);
}

void event_list_table(const struct env *env, const struct tracepoints *formats, const struct event_list_options *options,
		      struct table *t)
{
	struct items items = { .t = t };
	table_init(t, "strobe-evlist", 1);
	t->rows_key = "events";
	t->has_no_notes = true;
	t->layout = (struct table_layout){ .row = "", .has_no_titles = true };
	add_columns(t);
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *ev = &env->events.data[i];
		if (options->by_group && ev->leader != i)
			continue;
		table_row(t);
		set_data(&items, ev, tracepoints_of_event(formats, ev));
		show_line(t, env, ev, options, formats);
	}
	vec_deinit(&items.items);
}
