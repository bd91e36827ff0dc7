/* Filters on names, which hide rows and do not change the totals. */
#include <string.h>

#include "base/lists.h"
#include "report/query.h"

struct report_filters {
	struct list_strings comms, dsos, symbols;
	struct list_numbers pids, tids, levels;
	uint32_t comm, pid, tid, socket, parallelism; /* label columns */
	bool by_socket;
	uint64_t of_socket;
	uint32_t branch_from, branch_to;
	bool exclude_other;
};

static bool listed(const struct list_strings *l, const char *name)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (!strcmp(l->data[i], name))
			return true;
	return false;
}

static bool listed_number(const struct list_numbers *l, uint64_t v)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (l->data[i] == v)
			return true;
	return false;
}

/* Numbers of threads in the format of CPU lists. */
static struct strobe_error *parse_levels(struct report_query *q, const char *text, struct list_numbers *ret)
{
	struct strobe_error *err = list_cpus_parse(&q->arena, text, ret);
	bool is_bad = err || (text && !ret->nr) || listed_number(ret, 0);
	error_destroy(err);
	return is_bad ? error_create(ERROR_USAGE, "--parallelism: invalid list '%s': expected numbers from 1, such as 1,3-5", text) : NULL;
}

struct strobe_error *report_filters_create(struct report_query *q)
{
	const struct report_filter *o = q->filter;
	struct report_filters *f = q->filters = arena_new(&q->arena, struct report_filters);
	TRY(list_strings_parse(&q->arena, o->comms, &f->comms));
	TRY(list_strings_parse(&q->arena, o->dsos, &f->dsos));
	TRY(list_strings_parse(&q->arena, o->symbols, &f->symbols));
	TRY(list_numbers_parse(&q->arena, "process", o->pids, &f->pids));
	TRY(list_numbers_parse(&q->arena, "thread", o->tids, &f->tids));
	TRY(parse_levels(q, o->parallelism, &f->levels));
	f->exclude_other = o->exclude_other;
	f->by_socket = o->socket_set;
	f->of_socket = o->socket;
	return NULL;
}

static bool frame_hidden(const struct report_filters *f, const struct profile *p, frame_id id)
{
	const struct profile_frame *frame = id == PROFILE_NONE ? NULL : &p->frames.data[id];
	const struct profile_mapping *m = frame && frame->mapping != PROFILE_NONE ? &p->mappings.data[frame->mapping] : NULL;
	if (f->dsos.nr && !(m && (listed(&f->dsos, profile_str(p, m->name)) || listed(&f->dsos, profile_str(p, m->path)))))
		return true;
	if (!f->symbols.nr)
		return false;
	return !frame || frame->function == PROFILE_NONE ||
	       !listed(&f->symbols, profile_str(p, p->functions.data[frame->function].name));
}

bool report_row_hidden(void *ctx, const struct profile *p, const struct profile_row *row)
{
	const struct report_query *q = ctx;
	const struct report_filters *f = q->filters;
	const uint64_t *labels = profile_label_values(p, row->labels);
	uint32_t comm = f->comm, pid = f->pid, tid = f->tid;
	if (f->comms.nr && (comm == PROFILE_NONE || !listed(&f->comms, profile_str(p, (str_id)labels[comm]))))
		return true;
	if (f->pids.nr && (pid == PROFILE_NONE || !listed_number(&f->pids, labels[pid])))
		return true;
	if (f->tids.nr && (tid == PROFILE_NONE || !listed_number(&f->tids, labels[tid])))
		return true;
	if (f->by_socket && (f->socket == PROFILE_NONE || labels[f->socket] != f->of_socket))
		return true;
	if (f->exclude_other && (row->stack == PROFILE_NONE || !q->parents || !q->parents[row->stack]))
		return true;
	if (!f->dsos.nr && !f->symbols.nr)
		return false;
	if (q->branch_mode && f->branch_from != PROFILE_NONE && f->branch_to != PROFILE_NONE)
		return frame_hidden(f, p, (frame_id)labels[f->branch_from]) &&
		       frame_hidden(f, p, (frame_id)labels[f->branch_to]);
	return frame_hidden(f, p, profile_self_frame(p, row->stack));
}

bool report_row_left_out(void *ctx, const struct profile *p, const struct profile_row *row)
{
	const struct report_filters *f = ((const struct report_query *)ctx)->filters;
	if (!f->levels.nr)
		return false;
	return f->parallelism == PROFILE_NONE || !listed_number(&f->levels, profile_label_values(p, row->labels)[f->parallelism]);
}

bool report_row_kept(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return !report_row_hidden(ctx, p, row) && !report_row_left_out(ctx, p, row);
}

void report_filters_bind(struct report_filters *f, const struct profile *p)
{
	f->comm = profile_find_column(p, "comm");
	f->pid = profile_find_column(p, "pid");
	f->tid = profile_find_column(p, "tid");
	f->parallelism = profile_find_column(p, "parallelism");
	f->socket = profile_find_column(p, "socket");
	f->branch_from = profile_find_column(p, "branch_from");
	f->branch_to = profile_find_column(p, "branch_to");
}

/* The only value that the filter of a column allows, or NULL. */
static const char *only_value(const struct report_filters *f, const struct column *c)
{
	const struct list_strings *lists[] = { [COLUMN_FILTER_COMM] = &f->comms, [COLUMN_FILTER_DSO] = &f->dsos,
					       [COLUMN_FILTER_SYMBOL] = &f->symbols };
	const struct list_strings *list = c->cells ? lists[c->cells->filter] : NULL;
	return list && list->nr == 1 ? list->data[0] : NULL;
}

unsigned report_only(const struct report_query *q, struct report_only ret[REPORT_ONLY_MAX])
{
	static const enum column_id order[REPORT_ONLY_MAX] = { COLUMN_COMM, COLUMN_DSO, COLUMN_SYMBOL };
	unsigned n = 0;
	for (unsigned i = 0; i < REPORT_ONLY_MAX; i++) {
		const char *value = only_value(q->filters, &columns[order[i]]);
		if (value)
			ret[n++] = (struct report_only){ columns[order[i]].name, value };
	}
	return n;
}

/* If a single thread ran nearly all the time, elapsed time is processor time: perf's threshold. */
#define SINGLE_THREADED_PERCENT 99

static bool is_single_threaded(const struct profile *p)
{
	uint32_t label = profile_find_column(p, "parallelism");
	uint64_t samples = 0, alone = 0;
	if (label == PROFILE_NONE)
		return false;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		samples += row->samples;
		if (profile_label_values(p, row->labels)[label] <= 1)
			alone += row->samples;
	}
	return samples && alone * 100 / samples >= SINGLE_THREADED_PERCENT;
}

static bool names_latency(const struct report_query *q)
{
	const struct report_grouping *g = q->grouping;
	const char *fields = g->fields ? g->fields : "+";
	return g->latency_set || (g->sort && strstr(g->sort, "latency")) || *fields != '+' || strstr(fields, "latency");
}

void report_elide(struct report_query *q, const struct profile *p)
{
	bool needless_latency = q->shows_latency && !names_latency(q) && is_single_threaded(p);
	uint32_t left = 0;
	for (uint32_t i = 0; i < q->fields_nr; i++)
		left += q->fields[i].column->from != COLUMN_FROM_VALUES && !only_value(q->filters, q->fields[i].column);
	for (uint32_t i = 0; i < q->fields_nr; i++) {
		enum column_id id = q->fields[i].column->id;
		q->fields[i].elided = needless_latency && (id == COLUMN_LATENCY || id == COLUMN_LATENCY_CHILDREN);
		/* A table without any key would not identify its rows. */
		q->fields[i].elided |= left && only_value(q->filters, q->fields[i].column);
	}
}
