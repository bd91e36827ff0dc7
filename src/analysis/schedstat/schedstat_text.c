#include "analysis/schedstat/schedstat_text.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/schedstat/schedstat_fields.h"
#include "base/mem.h"

#define RULE_WIDTH 100
#define NAME_WIDTH 65

/* ---- a walk over CPUs, domains and fields: for text and table alike ---- */

/* Counters of one CPU or domain, for one period or two. */
struct block {
	const struct schedstat_cpu *cpu;       /* NULL: the mean of all */
	const struct schedstat_domain *domain; /* NULL: of the CPU itself */
	const struct schedstat_field *fields;
	size_t fields_nr;
	const uint64_t *counters, *other;      /* other: NULL with one period */
	uint64_t jiffies, other_jiffies;
};

struct walk {
	const struct schedstat_view *v;
	struct schedstat mean, other_mean;
	schedstat_fields domain_fields;
	struct arena arena;
	void (*put)(void *ctx, const struct block *b);
	void *ctx;
};

struct strobe_error *schedstat_check(const struct schedstat_view *v)
{
	const struct schedstat *a = v->s, *b = v->other;
	bool is_same = !b || (a->version == b->version && a->cpus.len == b->cpus.len);
	for (size_t i = 0; b && is_same && i < a->cpus.len; i++)
		is_same = a->cpus.data[i].cpu == b->cpus.data[i].cpu && a->cpus.data[i].domains_nr == b->cpus.data[i].domains_nr;
	return is_same ? NULL : error_create(ERROR_FORMAT, "the recordings are not of the same CPUs and scheduling domains");
}

static void put_cpu(struct walk *w, const struct schedstat *s, const struct schedstat *other, size_t index, bool is_mean)
{
	const struct schedstat_cpu *cpu = &s->cpus.data[index], *o = other ? &other->cpus.data[index] : NULL;
	struct block b = {
		.cpu = is_mean ? NULL : cpu,
		.fields = schedstat_cpu_fields,
		.fields_nr = schedstat_cpu_fields_nr,
		.counters = cpu->counters,
		.other = o ? o->counters : NULL,
		.jiffies = s->jiffies,
		.other_jiffies = other ? other->jiffies : 0,
	};
	w->put(w->ctx, &b);
	b.fields = w->domain_fields.data;
	b.fields_nr = w->domain_fields.len;
	for (size_t i = 0; i < cpu->domains_nr; i++) {
		b.domain = &s->domains.data[cpu->first_domain + i];
		b.counters = b.domain->counters;
		b.other = o ? other->domains.data[o->first_domain + i].counters : NULL;
		w->put(w->ctx, &b);
	}
}

static void walk(struct walk *w)
{
	const struct schedstat *s = w->v->s, *other = w->v->other;
	arena_init(&w->arena);
	schedstat_domain_fields(s->version, &w->arena, &w->domain_fields);
	schedstat_mean(&w->mean, s);
	if (other)
		schedstat_mean(&w->other_mean, other);
	put_cpu(w, &w->mean, other ? &w->other_mean : NULL, 0, true);
	for (size_t i = 0; !w->v->summary_only && i < s->cpus.len; i++)
		put_cpu(w, s, other, i, false);
	schedstat_deinit(&w->mean);
	schedstat_deinit(&w->other_mean);
	vec_deinit(&w->domain_fields);
	arena_deinit(&w->arena);
}

static double change_percent(double from, double to)
{
	return from != 0 ? (to - from) / from * 100 : 0;
}

static double ratio(double part, double base)
{
	return base != 0 ? part / base : 0;
}

/* ---- text ---- */

struct text {
	struct out *out;
	const struct schedstat_view *v;
};

static void put_rule(struct out *out, const char *text)
{
	size_t width = text ? strlen(text) + 2 : 0, before = (RULE_WIDTH - width) / 2;
	out_fill(out, '-', before);
	if (text)
		out_f(out, " %s ", text);
	out_fill(out, '-', RULE_WIDTH - width - before);
	out_ch(out, '\n');
}

static void put_block_title(struct out *out, const struct block *b)
{
	if (!b->domain)
		put_rule(out, NULL);
	if (b->cpu)
		out_f(out, "CPU: %" PRIu32, b->cpu->cpu);
	else
		out_str(out, "CPU: <ALL CPUS SUMMARY>");
	if (b->domain) {
		out_str(out, " | DOMAIN: ");
		if (b->domain->name)
			out_text_str(out, b->domain->name);
		else
			out_u64(out, b->domain->number);
	}
	if (b->domain && b->cpu) {
		out_str(out, " | DOMAIN_CPUS: ");
		out_text_str(out, b->domain->cpus);
	}
	out_ch(out, '\n');
	put_rule(out, NULL);
}

static void put_column_titles(struct out *out, const struct block *b)
{
	out_f(out, "%-*s ", NAME_WIDTH, "DESC");
	if (!b->other)
		out_f(out, b->domain ? "%12s %14s\n" : "%12s %12s\n", "COUNT", b->domain ? "AVG_JIFFIES" : "PCT_CHANGE");
	else if (b->domain)
		out_f(out, "%12s %11s %12s %16s %12s\n", "COUNT1", "COUNT2", "PCT_CHANGE", "AVG_JIFFIES1", "AVG_JIFFIES2");
	else
		out_f(out, "%12s %11s %12s %14s %10s\n", "COUNT1", "COUNT2", "PCT_CHANGE", "PCT_CHANGE1", "PCT_CHANGE2");
	if (!b->domain)
		put_rule(out, NULL);
}

static void put_value(struct out *out, const struct schedstat_field *f, double value)
{
	out_f(out, "%11.*f", f->kind == SCHEDSTAT_MEAN_PULLED ? 2 : 0, value);
}

static void put_share(struct out *out, const struct schedstat_field *f, const struct block *b)
{
	out_f(out, "  ( %8.2f%%", 100 * ratio((double)b->counters[f->at], (double)b->counters[f->base]));
	if (b->other)
		out_f(out, ",  %8.2f%%", 100 * ratio((double)b->other[f->at], (double)b->other[f->base]));
	out_str(out, " )");
}

static void put_interval(struct out *out, const struct schedstat_field *f, const struct block *b)
{
	out_f(out, "  $ %11.2f", ratio((double)b->jiffies, (double)b->counters[f->at]));
	if (b->other)
		out_f(out, ", %11.2f", ratio((double)b->other_jiffies, (double)b->other[f->at]));
	out_str(out, " $");
}

static void put_field(const struct text *t, const struct schedstat_field *f, const struct block *b)
{
	bool is_derived = f->kind != SCHEDSTAT_COUNTER;
	double value = schedstat_value(f, b->counters), other = b->other ? schedstat_value(f, b->other) : 0;
	if (is_derived)
		out_ch(t->out, '*');
	out_f(t->out, "%-*s: ", NAME_WIDTH - is_derived, t->v->explains ? f->meaning : f->name);
	put_value(t->out, f, value);
	if (b->other) {
		out_ch(t->out, ',');
		put_value(t->out, f, other);
		out_f(t->out, "  | %8.2f%% |", change_percent(value, other));
	}
	if (f->has_base)
		put_share(t->out, f, b);
	if (f->has_interval)
		put_interval(t->out, f, b);
	out_ch(t->out, '\n');
}

static void put_block(void *ctx, const struct block *b)
{
	const struct text *t = ctx;
	put_block_title(t->out, b);
	put_column_titles(t->out, b);
	for (size_t i = 0; i < b->fields_nr; i++) {
		if (b->fields[i].kind == SCHEDSTAT_HEADING)
			put_rule(t->out, b->fields[i].name);
		else
			put_field(t, &b->fields[i], b);
	}
	put_rule(t->out, NULL);
}

static void put_legend(struct out *out)
{
	static const char *const words[][2] = {
		{ "DESC", "Description of the field" },
		{ "COUNT", "Value of the field" },
		{ "PCT_CHANGE", "Percent change with corresponding base value" },
		{ "AVG_JIFFIES", "Avg time in jiffies between two consecutive occurrence of event" },
	};
	out_str(out, "Description\n");
	put_rule(out, NULL);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		out_f(out, "%-30s-> %s\n", words[i][0], words[i][1]);
	put_rule(out, NULL);
	out_ch(out, '\n');
}

void schedstat_text(struct out *out, const struct schedstat_view *v)
{
	struct text t = { .out = out, .v = v };
	struct walk w = { .v = v, .put = put_block, .ctx = &t };
	put_legend(out);
	out_f(out, "%-*s: %11" PRIu64, NAME_WIDTH, "Time elapsed (in jiffies)", v->s->jiffies);
	if (v->other)
		out_f(out, ",%11" PRIu64, v->other->jiffies);
	out_ch(out, '\n');
	walk(&w);
}

/* ---- table ---- */

enum { CPU, DOMAIN, DOMAIN_NAME, DOMAIN_CPUS, COUNTER, COUNT, PERCENT, INTERVAL, OTHER_COUNT, CHANGE };

static void add_columns(struct table *t, const struct schedstat_view *v)
{
	const struct table_column columns[] = {
		{ .key = "cpu", .type = TABLE_COUNT },
		{ .key = "domain", .type = TABLE_COUNT },
		{ .key = "domain_name", .type = TABLE_TEXT },
		{ .key = "domain_cpus", .type = TABLE_TEXT },
		{ .key = "counter", .type = TABLE_TEXT },
		{ .key = "count", .type = TABLE_NUMBER },
		{ .key = "percent_of_base", .type = TABLE_NUMBER },
		{ .key = "interval_jiffies", .type = TABLE_NUMBER },
		{ .key = "other_count", .type = TABLE_NUMBER },
		{ .key = "change_percent", .type = TABLE_NUMBER },
	};
	for (size_t i = 0; i < (v->other ? CHANGE + 1 : INTERVAL + 1); i++)
		table_column(t, columns[i]);
}

static void add_row(struct table *t, const struct schedstat_field *f, const struct block *b)
{
	double value = schedstat_value(f, b->counters);
	table_row(t);
	if (b->cpu)
		table_set_count(t, CPU, b->cpu->cpu);
	if (b->domain) {
		table_set_count(t, DOMAIN, b->domain->number);
		if (b->domain->name)
			table_set_text(t, DOMAIN_NAME, b->domain->name);
		if (b->cpu)
			table_set_text(t, DOMAIN_CPUS, b->domain->cpus);
	}
	table_set_text(t, COUNTER, f->name);
	table_set_number(t, COUNT, value);
	if (f->has_base)
		table_set_number(t, PERCENT, 100 * ratio(value, (double)b->counters[f->base]));
	if (f->has_interval)
		table_set_number(t, INTERVAL, ratio((double)b->jiffies, value));
	if (b->other) {
		table_set_number(t, OTHER_COUNT, schedstat_value(f, b->other));
		table_set_number(t, CHANGE, change_percent(value, schedstat_value(f, b->other)));
	}
}

static void add_block(void *ctx, const struct block *b)
{
	for (size_t i = 0; i < b->fields_nr; i++)
		if (b->fields[i].kind != SCHEDSTAT_HEADING)
			add_row(ctx, &b->fields[i], b);
}

void schedstat_table(struct table *t, const struct schedstat_view *v)
{
	struct walk w = { .v = v, .put = add_block, .ctx = t };
	table_init(t, "strobe-sched-stats", 1);
	table_fact_number(t, "jiffies", (double)v->s->jiffies, "%" PRIu64, v->s->jiffies);
	if (v->other)
		table_fact_number(t, "other_jiffies", (double)v->other->jiffies, "%" PRIu64, v->other->jiffies);
	add_columns(t, v);
	walk(&w);
}
