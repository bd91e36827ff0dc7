/* report: which columns there are, out of -s and -F. */
#include <string.h>

#include "base/text.h"
#include "cmd/report/report.h"

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

/* Shares of processor time and of the elapsed time: what a report is sorted by comes first. */
static void add_pair(const struct report_run *r, struct key_list *l, enum column_id cpu, enum column_id elapsed)
{
	if (r->o->grouping.latency)
		report_add_key(l, report_key_of(elapsed));
	report_add_key(l, report_key_of(cpu));
	if (r->shows_latency)
		report_add_key(l, report_key_of(elapsed));
}

/* As in perf, keys that name shares say which there are, where there are two kinds of them. */
static bool names_shares(const struct report_run *r)
{
	const char *sort = r->o->grouping.sort;
	return r->shows_latency && !r->o->grouping.latency && sort && (strstr(sort, "overhead") || strstr(sort, "latency"));
}

static bool is_share(enum column_id id)
{
	return id == COLUMN_OVERHEAD || id == COLUMN_LATENCY || id == COLUMN_OVERHEAD_CHILDREN || id == COLUMN_LATENCY_CHILDREN;
}

static void add_shares(const struct report_run *r, struct key_list *l)
{
	if (names_shares(r))
		return;
	if (r->children)
		add_pair(r, l, COLUMN_OVERHEAD_CHILDREN, COLUMN_LATENCY_CHILDREN);
	add_pair(r, l, COLUMN_OVERHEAD, COLUMN_LATENCY);
}

/* The sums that stand before the keys, in their order. */
static void add_sums(const struct report_run *r, struct key_list *l)
{
	const struct report_options *o = r->o;
	add_shares(r, l);
	if (o->grouping.show_ci)
		report_add_key(l, report_key_of(COLUMN_CI));
	if (o->grouping.show_cpu_modes) {
		report_add_key(l, report_key_of(COLUMN_OVERHEAD_SYS));
		report_add_key(l, report_key_of(COLUMN_OVERHEAD_US));
	}
	if (o->grouping.show_samples)
		report_add_key(l, report_key_of(COLUMN_SAMPLE));
	if (o->grouping.show_period)
		report_add_key(l, report_key_of(COLUMN_PERIOD));
}

static struct strobe_error *check_set(const struct report_run *r, const struct column *c, const char *what)
{
	if (c->set == COLUMN_SET_BRANCH && !r->branch_mode)
		return error_create(ERROR_USAGE, "%s key '%s' is for branch records: record with -b, or use -b here", what, c->name);
	if (c->set == COLUMN_SET_MEMORY && !r->o->selection.mem_mode)
		return error_create(ERROR_USAGE, "%s key '%s' is for memory accesses: use --mem-mode", what, c->name);
	if (column_needs(c, COLUMN_NEEDS_SWITCHES) && !r->has_switches)
		return report_needs_switches(r);
	return NULL;
}

/* Only the reference's own machinery adds these, beside a symbol. */
static struct strobe_error *check_ipc(const char *words, const char *what)
{
	if (words && strstr(words, "ipc"))
		return error_create(ERROR_USAGE, "--%s: the columns of instructions per cycle stand beside symbols and cannot be asked for",
				    what);
	return NULL;
}

static struct strobe_error *add_words(struct report_run *r, struct key_list *l, const char *words, const char *what)
{
	for (const char *at = words; *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		if (!n)
			continue;
		const struct column *c = column_find(at, n);
		if (!c) {
			bool any;
			TRY(report_add_fields(r, l, at, n, &any));
			if (!any)
				return error_create(ERROR_USAGE, "Unknown --%s key: `%.*s'", what, (int)n, at);
			at += n;
			continue;
		}
		TRY(check_set(r, c, what));
		/* Of the default keys this one has something to say of one architecture only. */
		if (c->id == COLUMN_LOCAL_P_STAGE_CYC && !r->o->grouping.sort && !r->o->grouping.fields &&
		    !(r->env->arch && text_has_prefix(r->env->arch, "ppc"))) {
			at += n;
			continue;
		}
		report_add_key(l, report_key_of(c->id));
		at += n;
	}
	return NULL;
}

static const char *default_sort(const struct report_run *r)
{
	if (r->o->selection.mem_mode)
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_stage_cyc";
	if (r->o->selection.branch_history)
		return "srcline,symbol,dso";
	if (r->branch_mode)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	return r->only_tracepoints ? r->o->grouping.raw_trace ? "trace_fields" : "trace" :
	       r->default_sort	   ? r->default_sort :
					     "comm,dso,symbol";
}

struct strobe_error *report_choose_columns(struct report_run *r)
{
	const struct report_options *o = r->o;
	bool strict_sort = o->grouping.sort && *o->grouping.sort != '+', strict_fields = o->grouping.fields && *o->grouping.fields != '+';
	TRY(check_ipc(o->grouping.sort, "sort"));
	struct key_list by = { .arena = &r->arena }, fields = { .arena = &r->arena }, keys = { .arena = &r->arena };
	const char *sort = o->grouping.sort;
	if (!strict_sort)
		sort = o->grouping.sort ? arena_printf(&r->arena, "%s,%s", default_sort(r), o->grouping.sort + 1) :
		       strict_fields ? NULL : default_sort(r);
	/* The reference shows this column wherever the key is spelled out. */
	if (o->grouping.sort && strstr(o->grouping.sort, "symbol"))
		sort = arena_printf(&r->arena, "%s,%s", sort, r->branch_mode ? "ipc_lbr" : "ipc_null");
	r->sort_order = sort;

	if (strict_fields)
		TRY(add_words(r, &fields, o->grouping.fields, "fields"));
	else
		add_sums(r, &fields);
	if (sort) {
		if (!strict_fields)
			add_shares(r, &by);
		TRY(add_words(r, &by, sort, "sort"));
		if (o->grouping.parent)
			report_add_key(&by, report_key_of(COLUMN_PARENT));
	}
	if (o->grouping.fields && !strict_fields)
		TRY(add_words(r, &fields, o->grouping.fields + 1, "fields"));
	/* Those that are named are first in a row nevertheless. */
	for (uint32_t i = 0; names_shares(r) && i < by.nr; i++)
		if (is_share(by.data[i].column->id))
			report_add_key(&fields, by.data[i]);
	for (uint32_t i = 0; i < by.nr; i++)
		report_add_key(&fields, by.data[i]);
	for (uint32_t i = 0; i < fields.nr; i++)
		report_add_key(&by, fields.data[i]);
	for (uint32_t i = 0; i < by.nr; i++)
		if (by.data[i].column->from != COLUMN_FROM_VALUES)
			report_add_key(&keys, by.data[i]);
	r->by = by.data;
	r->by_nr = by.nr;
	r->fields = fields.data;
	r->fields_nr = fields.nr;
	r->keys = keys.data;
	r->keys_nr = keys.nr;
	return NULL;
}

static void add_label(struct report_run *r, const char **labels, uint32_t *nr, const char *name, size_t n)
{
	char *copy = arena_strndup(&r->arena, name, n);
	for (uint32_t i = 0; i < *nr; i++)
		if (!strcmp(labels[i], copy))
			return;
	if (resolve_key_known(copy))
		labels[(*nr)++] = copy;
}

static bool needs_parallelism(const struct report_run *r)
{
	bool needs = r->o->filter.parallelism != NULL;
	for (uint32_t i = 0; i < r->by_nr; i++)
		needs |= column_needs(r->by[i].column, COLUMN_NEEDS_SWITCHES);
	return needs;
}

const char *const *report_labels(struct report_run *r, uint32_t *ret_nr)
{
	const char **labels = arena_new_array(&r->arena, const char *, r->keys_nr * 2 + 10);
	const struct report_options *o = r->o;
	*ret_nr = 0;
	for (uint32_t i = 0; i < r->keys_nr; i++) {
		struct hist_key *k = &r->keys[i];
		if (k->column->id == COLUMN_FIELD) {
			add_label(r, labels, ret_nr, k->label_name, strlen(k->label_name));
			continue;
		}
		for (const char *at = k->column->labels; *at; at += strspn(at, " ")) {
			size_t n = strcspn(at, " ");
			add_label(r, labels, ret_nr, at, n);
			at += n;
		}
	}
	if (o->filter.comms || report_draws(o) || r->wants_threads)
		add_label(r, labels, ret_nr, "comm", 4);
	if (o->filter.pids || r->wants_threads || report_pages(o))
		add_label(r, labels, ret_nr, "pid", 3);
	if (needs_parallelism(r))
		add_label(r, labels, ret_nr, "parallelism", 11);
	if (o->filter.socket_set)
		add_label(r, labels, ret_nr, "socket", 6);
	if (r->wants_times)
		add_label(r, labels, ret_nr, "time", 4);
	if (r->branch_mode)
		add_label(r, labels, ret_nr, "cpumode", 7);
	/* Rows with equal shares are put in order by thread, and a column of names is as wide as threads' last names. */
	bool by_thread = false;
	for (uint32_t i = 0; i < r->keys_nr; i++)
		by_thread |= column_needs(r->keys[i].column, COLUMN_NEEDS_THREADS);
	if (o->filter.tids || by_thread || report_pages(o) || r->wants_threads || (r->children && o->grouping.chains.mode != CALLTREE_NONE))
		add_label(r, labels, ret_nr, "tid", 3);
	return labels;
}

static void bind(struct hist_key *keys, uint32_t n, const struct profile *p)
{
	for (uint32_t i = 0; i < n; i++)
		hist_key_bind(&keys[i], p);
}

void report_bind_columns(struct report_run *r)
{
	bind(r->keys, r->keys_nr, r->profile);
	bind(r->by, r->by_nr, r->profile);
	bind(r->fields, r->fields_nr, r->profile);
}
