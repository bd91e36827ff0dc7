/* Keys and columns from -s and -F. */
#include <string.h>

#include "base/text.h"
#include "report/query.h"

static bool same_key(const struct hist_key *a, const struct hist_key *b)
{
	if (a->column != b->column)
		return false;
	return a->column->id != COLUMN_FIELD || (a->only_event == b->only_event && !strcmp(a->label_name, b->label_name));
}

static bool has_key(const struct key_list *l, const struct hist_key *k)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (same_key(&l->data[i], k))
			return true;
	return false;
}

void report_add_key(struct key_list *l, struct hist_key k)
{
	if (has_key(l, &k))
		return;
	if (l->nr == l->cap) {
		struct hist_key *more = arena_new_array(l->arena, struct hist_key, l->cap * 2 + 8);
		if (l->nr)
			memcpy(more, l->data, l->nr * sizeof(*more));
		l->data = more;
		l->cap = l->cap * 2 + 8;
	}
	l->data[l->nr++] = k;
}

struct hist_key report_key_of(enum column_id id)
{
	return (struct hist_key){ .column = &columns[id], .header = columns[id].header, .label = PROFILE_NONE,
				  .label2 = PROFILE_NONE };
}

/* Shares of processor time and of elapsed time: the one that the report is sorted by is first. */
static void add_pair(const struct report_query *q, struct key_list *l, enum column_id cpu, enum column_id elapsed)
{
	if (q->grouping->latency)
		report_add_key(l, report_key_of(elapsed));
	report_add_key(l, report_key_of(cpu));
	if (q->shows_latency)
		report_add_key(l, report_key_of(elapsed));
}

/* As in perf, keys that name shares select them if there are two kinds. */
static bool names_shares(const struct report_query *q)
{
	const char *sort = q->grouping->sort;
	return q->shows_latency && !q->grouping->latency && sort && (strstr(sort, "overhead") || strstr(sort, "latency"));
}

static bool is_share(enum column_id id)
{
	return id == COLUMN_OVERHEAD || id == COLUMN_LATENCY || id == COLUMN_OVERHEAD_CHILDREN || id == COLUMN_LATENCY_CHILDREN;
}

static void add_shares(const struct report_query *q, struct key_list *l)
{
	if (names_shares(q))
		return;
	if (q->children)
		add_pair(q, l, COLUMN_OVERHEAD_CHILDREN, COLUMN_LATENCY_CHILDREN);
	add_pair(q, l, COLUMN_OVERHEAD, COLUMN_LATENCY);
}

/* Adds the sums before the keys, in their order. */
static void add_sums(const struct report_query *q, struct key_list *l)
{
	const struct report_grouping *g = q->grouping;
	add_shares(q, l);
	if (g->show_ci)
		report_add_key(l, report_key_of(COLUMN_CI));
	if (g->show_cpu_modes) {
		report_add_key(l, report_key_of(COLUMN_OVERHEAD_SYS));
		report_add_key(l, report_key_of(COLUMN_OVERHEAD_US));
	}
	if (g->show_samples)
		report_add_key(l, report_key_of(COLUMN_SAMPLE));
	if (g->show_period)
		report_add_key(l, report_key_of(COLUMN_PERIOD));
}

struct strobe_error *report_switches_missing(const struct report_query *q)
{
	return error_create(ERROR_USAGE, "latency and parallelism require context switches with timestamps: record with '%s "
		"record --latency'", q->program);
}

static struct strobe_error *check_set(const struct report_query *q, const struct column *c, const char *what)
{
	if (c->set == COLUMN_SET_BRANCH && !q->branch_mode)
		return error_create(ERROR_USAGE, "%s key '%s' requires branch records: record with -b, or use -b here", what, c->name);
	if (c->set == COLUMN_SET_MEMORY && !q->mem_mode)
		return error_create(ERROR_USAGE, "%s key '%s' requires --mem-mode", what, c->name);
	if (column_needs(c, COLUMN_NEEDS_SWITCHES) && !q->has_switches)
		return report_switches_missing(q);
	return NULL;
}

/* Added to symbols automatically, as in perf; cannot be selected. */
static struct strobe_error *check_ipc(const char *words, const char *what)
{
	if (words && strstr(words, "ipc"))
		return error_create(ERROR_USAGE, "--%s: IPC columns are shown with symbols and cannot be selected",
				    what);
	return NULL;
}

static struct strobe_error *unknown_key(const char *word, size_t length, const char *what)
{
	const char *near = column_nearest(word, length);
	return error_create(ERROR_USAGE, "Unknown --%s key: `%.*s'%s%s%s", what, (int)length, word, near ? "; did you mean '" : "",
			    near ? near : "", near ? "'?" : "");
}

static struct strobe_error *add_words(struct report_query *q, struct key_list *l, const char *words, const char *what)
{
	bool is_field = !strcmp(what, "fields");
	for (const char *at = words; *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		if (!n)
			continue;
		const struct column *c = is_field && q->mem_mode ? column_find_divided(at, n) : NULL;
		c = c ? c : column_find(at, n);
		if (!c) {
			bool any = false;
			if (q->add_fields)
				TRY(q->add_fields(q->fields_ctx, l, at, n, &any));
			if (!any)
				return unknown_key(at, n, what);
			at += n;
			continue;
		}
		TRY(check_set(q, c, what));
		/* This default key has values on one architecture only. */
		if (c->id == COLUMN_LOCAL_P_STAGE_CYC && !q->grouping->sort && !q->grouping->fields && !q->is_powerpc) {
			at += n;
			continue;
		}
		report_add_key(l, report_key_of(c->id));
		at += n;
	}
	return NULL;
}

static const char *default_sort(const struct report_query *q)
{
	if (q->mem_mode)
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_stage_cyc";
	if (q->branch_history)
		return "srcline,symbol,dso";
	if (q->branch_mode)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	return q->only_tracepoints ? q->grouping->raw_trace ? "trace_fields" : "trace" :
	       q->default_sort	   ? q->default_sort :
					     "comm,dso,symbol";
}

struct strobe_error *report_choose_columns(struct report_query *q)
{
	const struct report_grouping *g = q->grouping;
	bool strict_sort = g->sort && *g->sort != '+', strict_fields = g->fields && *g->fields != '+';
	TRY(check_ipc(g->sort, "sort"));
	struct key_list by = { .arena = &q->arena }, fields = { .arena = &q->arena }, keys = { .arena = &q->arena };
	const char *sort = g->sort;
	if (!strict_sort)
		sort = g->sort ? arena_printf(&q->arena, "%s,%s", default_sort(q), g->sort + 1) :
		       strict_fields ? NULL : default_sort(q);
	/* perf shows this column if the key is given explicitly. */
	if (g->sort && strstr(g->sort, "symbol"))
		sort = arena_printf(&q->arena, "%s,%s", sort, q->branch_mode ? "ipc_lbr" : "ipc_null");
	q->sort_order = sort;

	if (strict_fields)
		TRY(add_words(q, &fields, g->fields, "fields"));
	else
		add_sums(q, &fields);
	if (sort) {
		if (!strict_fields)
			add_shares(q, &by);
		TRY(add_words(q, &by, sort, "sort"));
		if (g->parent)
			report_add_key(&by, report_key_of(COLUMN_PARENT));
	}
	if (g->fields && !strict_fields)
		TRY(add_words(q, &fields, g->fields + 1, "fields"));
	/* Named shares are nevertheless the first columns. */
	for (uint32_t i = 0; names_shares(q) && i < by.nr; i++)
		if (is_share(by.data[i].column->id))
			report_add_key(&fields, by.data[i]);
	for (uint32_t i = 0; i < by.nr; i++)
		report_add_key(&fields, by.data[i]);
	for (uint32_t i = 0; i < fields.nr; i++)
		report_add_key(&by, fields.data[i]);
	for (uint32_t i = 0; i < by.nr; i++)
		if (by.data[i].column->from != COLUMN_FROM_VALUES)
			report_add_key(&keys, by.data[i]);
	q->by = by.data;
	q->by_nr = by.nr;
	q->fields = fields.data;
	q->fields_nr = fields.nr;
	q->keys = keys.data;
	q->keys_nr = keys.nr;
	return NULL;
}

bool report_has_key(const struct report_query *q, enum column_id id)
{
	for (uint32_t i = 0; i < q->keys_nr; i++)
		if (q->keys[i].column->id == id)
			return true;
	return false;
}

bool report_keys_need(const struct report_query *q, enum column_needs what)
{
	for (uint32_t i = 0; i < q->keys_nr; i++)
		if (column_needs(q->keys[i].column, what))
			return true;
	return false;
}

static bool is_type(const struct hist_key *k)
{
	return k->column->id >= COLUMN_TYPE && k->column->id <= COLUMN_TYPECLN;
}

bool report_has_types(const struct report_query *q)
{
	bool has = false;
	for (uint32_t i = 0; i < q->keys_nr; i++)
		has |= is_type(&q->keys[i]);
	return has;
}

bool report_divides_accesses(const struct report_query *q)
{
	bool divides = false;
	for (uint32_t i = 0; i < q->fields_nr; i++)
		divides |= q->fields[i].column->from == COLUMN_FROM_VALUES && q->fields[i].column->sum->kind == COLUMN_DIVIDED;
	return divides;
}

bool report_by_labels(const struct report_query *q)
{
	bool by_labels = !q->has_chains && !q->filter->dsos && !q->filter->symbols;
	for (uint32_t i = 0; i < q->keys_nr; i++)
		by_labels &= q->keys[i].column->from == COLUMN_FROM_LABELS;
	return by_labels;
}

static void add_label(struct report_query *q, const char **labels, uint32_t *nr, const char *name, size_t n)
{
	char *copy = arena_strndup(&q->arena, name, n);
	for (uint32_t i = 0; i < *nr; i++)
		if (!strcmp(labels[i], copy))
			return;
	labels[(*nr)++] = copy;
}

static bool needs_parallelism(const struct report_query *q)
{
	bool needs = q->filter->parallelism != NULL;
	for (uint32_t i = 0; i < q->by_nr; i++)
		needs |= column_needs(q->by[i].column, COLUMN_NEEDS_SWITCHES);
	return needs;
}

const char *const *report_labels(struct report_query *q, uint32_t *ret_nr)
{
	const char **labels = arena_new_array(&q->arena, const char *, q->keys_nr * 2 + 10);
	*ret_nr = 0;
	for (uint32_t i = 0; i < q->keys_nr; i++) {
		struct hist_key *k = &q->keys[i];
		if (k->column->id == COLUMN_FIELD) {
			add_label(q, labels, ret_nr, k->label_name, strlen(k->label_name));
			continue;
		}
		/* Types are found after aggregation, by the addresses of code and of data. */
		if (is_type(k)) {
			add_label(q, labels, ret_nr, "daddr", 5);
			continue;
		}
		for (const char *at = k->column->labels; *at; at += strspn(at, " ")) {
			size_t n = strcspn(at, " ");
			add_label(q, labels, ret_nr, at, n);
			at += n;
		}
	}
	if (q->filter->comms || q->needs_comm || q->needs_threads)
		add_label(q, labels, ret_nr, "comm", 4);
	if (q->filter->pids || q->needs_threads)
		add_label(q, labels, ret_nr, "pid", 3);
	if (needs_parallelism(q))
		add_label(q, labels, ret_nr, "parallelism", 11);
	if (q->filter->socket_set)
		add_label(q, labels, ret_nr, "socket", 6);
	if (q->needs_times)
		add_label(q, labels, ret_nr, "time", 4);
	if (q->branch_mode)
		add_label(q, labels, ret_nr, "cpumode", 7);
	if (report_divides_accesses(q))
		add_label(q, labels, ret_nr, "data_src", 8);
	/* Rows with equal shares are sorted by thread, and the width of the comm column follows threads' last names. */
	bool by_thread = report_keys_need(q, COLUMN_NEEDS_THREADS);
	bool by_tree = q->children && q->grouping->chains.mode != CALLTREE_NONE;
	if (q->filter->tids || by_thread || by_tree || q->needs_threads)
		add_label(q, labels, ret_nr, "tid", 3);
	return labels;
}
