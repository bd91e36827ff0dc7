/* A report as JSON. */
#include "base/json.h"
#include "view/data/data.h"

static void add_cell(struct json *j, const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	json_key(j, k->column->id == COLUMN_FIELD ? k->header : k->column->name);
	if (column_is_number(h, k)) {
		json_i64(j, (int64_t)hist_label(h, e, k->label, 0));
		return;
	}
	struct strbuf b = {};
	column_format_plain(h, k, e, &b);
	json_str_n(j, strbuf_str(&b), b.len);
	strbuf_deinit(&b);
}

static void add_sum(struct json *j, const char *name, uint64_t period, uint64_t samples, uint64_t total)
{
	json_key(j, name);
	json_object(j);
	json_key(j, "percent");
	json_f64(j, report_percent(period, total));
	json_key(j, "period");
	json_u64(j, period);
	json_key(j, "samples");
	json_u64(j, samples);
	json_end(j);
}

/* Shares of the elapsed time, if the recording has the number of threads that ran at once. */
static void add_latency(struct json *j, const struct report *r, const struct report_part *p, const struct hist_stat *s,
			uint32_t event)
{
	uint64_t total = report_column_total(r, p, event, &columns[COLUMN_LATENCY]);
	add_sum(j, "latency", s->latency, s->samples, total);
	if (p->hist->options.children)
		add_sum(j, "latency_children", s->latency_children, s->children_samples, total);
}

/* Periods by kind of memory access, without those that do not occur. */
static void add_kinds(struct json *j, const struct hist_stat *s, const struct column *c)
{
	const struct access_kinds *d = &access_kinds[c->sum->division];
	json_key(j, c->name);
	json_object(j);
	for (unsigned i = 0; i < d->nr; i++) {
		if (!s->kinds[d->first + i])
			continue;
		json_key(j, d->names[i]);
		json_u64(j, s->kinds[d->first + i]);
	}
	json_end(j);
}

static void add_value(struct json *j, const struct report *r, const struct report_part *p, const struct hist_stat *s,
		      uint32_t event)
{
	const struct hist *h = p->hist;
	uint64_t total = report_total(r, p, event);
	struct report_interval ci = report_interval(s->period, total, h->totals[event].samples);
	json_object(j);
	json_key(j, "event");
	json_str(j, profile_str(h->profile, h->profile->events.data[h->options.events[event]].name));
	add_sum(j, "self", s->period, s->samples, total);
	if (h->options.children)
		add_sum(j, "children", s->children, s->children_samples, total);
	if (h->parallelism_label != PROFILE_NONE)
		add_latency(j, r, p, s, event);
	for (uint32_t i = 0; s->kinds && i < r->fields_nr; i++)
		if (r->fields[i].column->from == COLUMN_FROM_VALUES && r->fields[i].column->sum->kind == COLUMN_DIVIDED)
			add_kinds(j, s, r->fields[i].column);
	json_key(j, "interval95");
	json_array(j);
	json_f64(j, ci.low);
	json_f64(j, ci.high);
	json_end(j);
	json_end(j);
}

/* A node of a call tree with those below it; a node with a run of frames is written as a node per frame. */
static void add_nodes(struct json *j, const struct report *r, const struct report_part *p, const struct calltree_node *first,
		      uint64_t total, unsigned depth);

static void add_node(struct json *j, const struct report *r, const struct report_part *p, const struct calltree_node *n,
		     uint64_t total, unsigned depth)
{
	struct strbuf name = {};
	json_object(j);
	json_key(j, "frames");
	json_array(j);
	for (uint32_t i = 0; i < n->frames_nr; i++) {
		strbuf_reset(&name);
		report_frame_name(p->hist, n->frames[i], r->chains.by_address, &name);
		json_str_n(j, strbuf_str(&name), name.len);
	}
	json_end(j);
	strbuf_deinit(&name);
	json_key(j, "percent");
	json_f64(j, report_percent(calltree_total(n), total));
	json_key(j, "period");
	json_u64(j, calltree_total(n));
	json_key(j, "samples");
	json_u64(j, n->hits_samples + n->below_samples);
	json_key(j, "self_period");
	json_u64(j, n->hits);
	if (n->child) {
		json_key(j, "children");
		add_nodes(j, r, p, n->child, total, depth + 1);
	}
	json_end(j);
}

/* The depth of the JSON is limited: deeper nodes are left out, but included in the sums of the nodes above. */
#define DEPTH_MAX ((JSON_DEPTH - 12) / 2)

static void add_nodes(struct json *j, const struct report *r, const struct report_part *p, const struct calltree_node *first,
		      uint64_t total, unsigned depth)
{
	json_array(j);
	for (const struct calltree_node *n = first; n && depth < DEPTH_MAX; n = n->next)
		add_node(j, r, p, n, total, depth);
	json_end(j);
}

static void add_row(struct json *j, const struct report *r, const struct report_part *p, const struct report_rows *rows,
		    uint32_t entry)
{
	const struct hist *h = p->hist;
	const struct hist_entry *e = &h->entries.data[entry];
	json_object(j);
	for (uint32_t i = 0; i < r->fields_nr; i++)
		if (r->fields[i].column->from != COLUMN_FROM_VALUES && report_part_has(p, &r->fields[i]))
			add_cell(j, h, &r->fields[i], e);
	json_key(j, "values");
	json_array(j);
	for (uint32_t i = 0; i < h->options.events_nr; i++)
		add_value(j, r, p, &hist_stats(h, e)[i], i);
	json_end(j);
	const struct calltree_node *root = rows->trees ? calltrees_get(rows->trees, entry) : NULL;
	if (root && root->child) {
		json_key(j, "calls");
		add_nodes(j, r, p, root->child, report_total(r, p, 0), 0);
	}
	json_end(j);
}

static void add_part(struct json *j, const struct report *r, const struct report_part *p)
{
	struct report_rows rows;
	json_object(j);
	json_key(j, "name");
	json_str(j, p->event_name);
	json_key(j, "samples");
	json_u64(j, p->samples);
	json_key(j, "period");
	json_u64(j, p->period);
	json_key(j, "rows");
	json_array(j);
	report_rows_init(&rows, r, p);
	for (uint32_t i = 0; i < rows.nr && !out_failed(j->out); i++)
		add_row(j, r, p, &rows, rows.entries[i]);
	report_rows_deinit(&rows);
	json_end(j);
	json_end(j);
}

static void add_report(struct json *j, const struct report *r)
{
	json_object(j);
	json_format(j, DATA_REPORT_FORMAT, DATA_REPORT_VERSION);
	json_key(j, "lost_samples");
	json_u64(j, r->lost_samples);
	json_key(j, "call_order");
	json_str(j, !r->show_chains ? "none" : r->chains.callee_first ? "callee" : "caller");
	json_key(j, "events");
	json_array(j);
	for (uint32_t i = 0; i < r->parts_nr; i++)
		add_part(j, r, &r->parts[i]);
	json_end(j);
	json_end(j);
}

void data_report_json(struct out *o, const struct report *r)
{
	struct json j;
	json_init(&j, o, true);
	add_report(&j, r);
	out_ch(o, '\n');
}

void data_refresh_json(struct out *o, const struct report_refresh *f, const struct report *r)
{
	struct json j;
	json_init(&j, o, false);
	json_object(&j);
	json_format(&j, DATA_REFRESH_FORMAT, DATA_REFRESH_VERSION);
	json_key(&j, "refresh");
	json_u64(&j, f->number);
	json_key(&j, "seconds");
	json_f64(&j, f->seconds);
	json_key(&j, "samples");
	json_u64(&j, f->samples);
	json_key(&j, "kernel_samples");
	json_u64(&j, f->kernel_samples);
	json_key(&j, "lost");
	json_u64(&j, f->lost);
	json_key(&j, "lost_total");
	json_u64(&j, f->lost_total);
	json_key(&j, "dropped");
	json_u64(&j, f->dropped);
	json_key(&j, "dropped_total");
	json_u64(&j, f->dropped_total);
	json_key(&j, "counted");
	json_str(&j, f->in_kernel ? "kernel" : "rings");
	json_key(&j, "report");
	add_report(&j, r);
	json_end(&j);
	out_ch(o, '\n');
}
