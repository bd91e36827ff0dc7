#include "ftrace/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "table/table.h"

void ftrace_functions_init(struct ftrace_functions *f)
{
	*f = (struct ftrace_functions){};
	strtab_init(&f->names);
}

void ftrace_functions_deinit(struct ftrace_functions *f)
{
	strtab_deinit(&f->names);
	vec_deinit(&f->all);
}

void ftrace_functions_add(struct ftrace_functions *f, const char *name, size_t name_bytes, double us)
{
	uint32_t id = strtab_add_n(&f->names, name, name_bytes);
	for (uint32_t next = (uint32_t)f->all.len; next <= id; next++) {
		struct ftrace_function function = { .name = next };
		vec_push(&f->all, function);
	}
	struct ftrace_function *at = &f->all.data[id];
	at->calls++;
	at->total_us += us;
	at->max_us = us > at->max_us ? us : at->max_us;
}

/* ---- order ---- */

static const char *const sorts[] = {
	[FTRACE_BY_TOTAL] = "total", [FTRACE_BY_AVERAGE] = "avg", [FTRACE_BY_MAX] = "max",
	[FTRACE_BY_COUNT] = "count", [FTRACE_BY_NAME] = "name",
};

struct strobe_error *ftrace_sort_parse(const char *text, enum ftrace_sort *ret)
{
	*ret = FTRACE_BY_TOTAL;
	for (unsigned i = 0; text && i < sizeof(sorts) / sizeof(*sorts); i++) {
		*ret = i;
		if (!strcmp(text, sorts[i]))
			return NULL;
	}
	return text ? error_create(ERROR_USAGE, "unknown sort key '%s': expected total, avg, max, count or name", text) : NULL;
}

static double average_us(const struct ftrace_function *f)
{
	return f->calls ? f->total_us / (double)f->calls : 0;
}

static double key_of(const struct ftrace_function *f, enum ftrace_sort by)
{
	switch (by) {
	case FTRACE_BY_AVERAGE:
		return average_us(f);
	case FTRACE_BY_MAX:
		return f->max_us;
	case FTRACE_BY_COUNT:
		return (double)f->calls;
	case FTRACE_BY_NAME:
		return 0;
	default:
		return f->total_us;
	}
}

struct order {
	const struct strtab *names;
	enum ftrace_sort by;
};

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct order *o = ctx;
	const struct ftrace_function *a = pa, *b = pb;
	double x = key_of(a, o->by), y = key_of(b, o->by);
	return x != y ? (x > y ? -1 : 1) : strcmp(strtab_get(o->names, a->name), strtab_get(o->names, b->name));
}

void ftrace_functions_sort(struct ftrace_functions *f, enum ftrace_sort by)
{
	struct order o = { .names = &f->names, .by = by };
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->all.len; i++)
		if (f->all.data[i].calls)
			f->all.data[n++] = f->all.data[i];
	f->all.len = n;
	if (n)
		qsort_r(f->all.data, n, sizeof(*f->all.data), compare, &o);
}

/* ---- output ---- */

enum { FUNCTION, CALLS, TOTAL, AVERAGE, MAX, TOTAL_US, AVERAGE_US, MAX_US, COUNT, NAME };

/* Text has perf's order and unit; decimals are rounded only once. */
static const struct table_column columns[] = {
	[FUNCTION] = { .key = "function", .type = TABLE_TEXT, .data_only = true },
	[CALLS] = { .key = "calls", .type = TABLE_COUNT, .data_only = true },
	[TOTAL] = { .key = "total_ns", .type = TABLE_NUMBER, .data_only = true },
	[AVERAGE] = { .key = "average_ns", .type = TABLE_NUMBER, .data_only = true },
	[MAX] = { .key = "max_ns", .type = TABLE_NUMBER, .data_only = true },
	[TOTAL_US] = { "total", "# Total (us)", TABLE_NUMBER, 3, .text_only = true, .width = 12, .is_fixed = true },
	[AVERAGE_US] = { "average", "Avg (us)", TABLE_NUMBER, 3, .text_only = true, .width = 10, .is_fixed = true },
	[MAX_US] = { "max", "Max (us)", TABLE_NUMBER, 3, .text_only = true, .width = 10, .is_fixed = true },
	[COUNT] = { "count", "Count", TABLE_COUNT, .text_only = true, .width = 10, .is_fixed = true },
	[NAME] = { "name", "  Function", TABLE_TEXT, .text_only = true },
};

void ftrace_functions_table(struct table *t, const struct ftrace_functions *f)
{
	table_init(t, "strobe-ftrace-profile", 1);
	t->layout = (struct table_layout){ .head = "", .row = "", .gap = " ", .has_no_titles = !f->all.len };
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
	for (uint32_t i = 0; i < f->all.len; i++) {
		const struct ftrace_function *at = &f->all.data[i];
		table_row(t);
		const char *name = strtab_get(&f->names, at->name);
		table_set_text(t, FUNCTION, name);
		table_set_count(t, CALLS, at->calls);
		table_set_number(t, TOTAL, round(at->total_us * 1000));
		table_set_number(t, AVERAGE, round(average_us(at) * 1000));
		table_set_number(t, MAX, round(at->max_us * 1000));
		table_set_number(t, TOTAL_US, at->total_us);
		table_set_number(t, AVERAGE_US, average_us(at));
		table_set_number(t, MAX_US, at->max_us);
		table_set_count(t, COUNT, at->calls);
		table_set_text(t, NAME, name);
		table_show(t, NAME, "  %s", name);
	}
}
