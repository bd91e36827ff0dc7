/*
 * The events of a recording as a table: a line for each, with its attributes in data.
 */
#pragma once
#include "decode/tracepoint.h"
#include "record/env.h"
#include "table/table.h"

/* Text of an event besides its name. */
struct event_list_options {
	bool attributes;   /* all fields of the attr that are set */
	bool freq;         /* frequency or period */
	bool trace_fields; /* names of the fields of tracepoints */
	bool by_group;     /* rows are groups, with only the names of their members */
};

/*
 * Initialises and fills the table, which the caller destroys: a row for each event, or each group. Options only affect text; data have
 * everything. formats: of tracepoints; missing ones have no fields.
 */
void event_list_table(const struct env *env, const struct tracepoints *formats, const struct event_list_options *options,
		      struct table *ret);
bool event_list_has_tracepoints(const struct env *env);
