/* Columns of tasks, of their spans as gaps and lengths, of wakeups, and of stacks as names of frames. */
#include "view/html/chart.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "view/html/chart_page.inc"
#include "view/html/html_priv.h"

typedef VEC(uint64_t) column_t;

#define NAMES_MAX 3 /* for a task that had several */
/* After the kinds of spans come those of input and output, in the order of enum time_io_kind, and what failed. */
#define KIND_OF_IO(kind) (TIME_SPAN_KINDS + (kind))
#define KIND_OF_ERROR	 KIND_OF_IO(TIME_IO_POLL + 1)
#define FROM_INTERRUPT	 0
#define FROM_UNKNOWN	 1
#define FROM_TASK	 2 /* and its index */

struct chart_columns {
	struct strtab *strings;
	const struct time_chart *c;
	column_t name, tid, process, spans;
	column_t gap, ns, kind, cpu, stack, reason, waits, preempted;
	column_t wake_ns, wake_from, wake_to, wake_stack;
	struct u64map tasks; /* by thread ID: index in the page + 1 */
};

static void put(struct pack *k, const char *name, column_t *column, enum pack_coding coding)
{
	pack_numbers(k, name, column->data, column->len, coding);
	vec_deinit(column);
}

/* ---- tasks ---- */

static bool has_spans(const struct time_task *t)
{
	for (size_t i = 0; i < t->rows.len; i++)
		if (t->rows.data[i].is_shown && (t->rows.data[i].spans.len || t->rows.data[i].ios.len))
			return true;
	return false;
}

/* Its names, the current one last; if there are many, only that one. */
static uint64_t name_of(struct chart_columns *k, const struct time_task *t)
{
	_cleanup_strbuf_ struct strbuf name = {};
	const char *last = t->current ? t->rows.data[t->current - 1].name : NULL;
	for (size_t i = 0; i < t->rows.len && t->rows.len <= NAMES_MAX; i++)
		if (t->rows.data[i].name && i + 1 != t->current)
			strbuf_addf(&name, "%s \u2192 ", t->rows.data[i].name);
	strbuf_addf(&name, "%s", last ? last : "");
	return strtab_add(k->strings, strbuf_str(&name));
}

static void push_span(struct chart_columns *k, uint64_t *at_ns, uint64_t start_ns, uint64_t end_ns, uint64_t kind)
{
	vec_push(&k->gap, start_ns - *at_ns);
	vec_push(&k->ns, end_ns - start_ns);
	vec_push(&k->kind, kind);
	*at_ns = end_ns;
}

static void push_state(struct chart_columns *k, uint64_t *at_ns, const struct time_span *s)
{
	push_span(k, at_ns, s->start_ns, s->end_ns, s->kind);
	vec_push(&k->cpu, s->cpu == TIME_NO_CPU ? 0 : (uint64_t)s->cpu + 1);
	vec_push(&k->stack, s->stack ? (uint64_t)s->stack->number + 1 : 0);
	vec_push(&k->reason, (uint64_t)strtab_add(k->strings, s->reason ? s->reason : ""));
	vec_push(&k->waits, (uint64_t)s->waits);
	vec_push(&k->preempted, (uint64_t)s->is_preempted);
}

static void push_io(struct chart_columns *k, uint64_t *at_ns, const struct time_io *io)
{
	_cleanup_strbuf_ struct strbuf text = {};
	strbuf_addf(&text, "fd %" PRId32, io->fd);
	if (io->error)
		strbuf_addf(&text, ": %s", strerrorname_np(-io->error) ? strerrorname_np(-io->error) : "error");
	else if (io->kind != TIME_IO_SYNC && io->kind != TIME_IO_POLL)
		strbuf_addf(&text, ": %" PRIu64 " bytes", io->bytes);
	push_span(k, at_ns, io->start_ns, io->end_ns, io->error ? KIND_OF_ERROR : (uint64_t)KIND_OF_IO(io->kind));
	vec_push(&k->cpu, 0);
	vec_push(&k->stack, 0);
	vec_push(&k->reason, (uint64_t)strtab_add(k->strings, strbuf_str(&text)));
	vec_push(&k->waits, io->merges ? (uint64_t)io->merges + 1 : 0);
	vec_push(&k->preempted, 0);
}

/* The rows of one task follow each other in time, except when a task got an earlier name again. */
static void push_rows(struct chart_columns *k, const struct time_task *t)
{
	VEC(struct sort_pair) order = {};
	uint64_t at_ns = k->c->first_ns;
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct time_row *r = &t->rows.data[i];
		for (size_t j = 0; r->is_shown && j < r->spans.len; j++)
			vec_push(&order, ((struct sort_pair){ .key = r->spans.data[j].start_ns, .value = (uint64_t)i << 32 | j }));
		for (size_t j = 0; r->is_shown && !r->spans.len && j < r->ios.len; j++)
			if (r->ios.data[j].end_ns)
				vec_push(&order, ((struct sort_pair){ .key = r->ios.data[j].start_ns, .value = (uint64_t)i << 32 | j }));
	}
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++) {
		const struct time_row *r = &t->rows.data[order.data[i].value >> 32];
		uint32_t at = (uint32_t)order.data[i].value;
		if (r->spans.len)
			push_state(k, &at_ns, &r->spans.data[at]);
		else
			push_io(k, &at_ns, &r->ios.data[at]);
	}
	vec_push(&k->spans, (uint64_t)order.len);
	vec_deinit(&order);
}

static void push_tasks(struct chart_columns *k)
{
	for (size_t i = 0; i < k->c->tasks.len; i++) {
		const struct time_task *t = &k->c->tasks.data[i];
		if (!has_spans(t))
			continue;
		vec_push(&k->name, name_of(k, t));
		vec_push(&k->tid, (uint64_t)t->pid);
		vec_push(&k->process, t->process ? (uint64_t)t->process : 0);
		*u64map_put(&k->tasks, (uint32_t)t->pid, NULL) = k->name.len;
		push_rows(k, t);
	}
}

/* ---- wakeups ---- */

static void push_wake(struct chart_columns *k, const struct time_wake *w)
{
	const uint64_t *to = u64map_get(&k->tasks, (uint32_t)w->wakee);
	const uint64_t *from = w->waker < 0 ? NULL : u64map_get(&k->tasks, (uint32_t)w->waker);
	if (!to)
		return;
	vec_push(&k->wake_ns, w->time_ns - k->c->first_ns);
	vec_push(&k->wake_to, *to - 1);
	vec_push(&k->wake_from, w->waker < 0 ? FROM_INTERRUPT : !from ? FROM_UNKNOWN : FROM_TASK + *from - 1);
	vec_push(&k->wake_stack, w->stack ? (uint64_t)w->stack->number + 1 : 0);
}

/* Sorts wakeups by time: the waker of a wait is recorded when the wait ends. */
static void push_wakes(struct chart_columns *k)
{
	VEC(struct sort_pair) order = {};
	for (size_t i = 0; i < k->c->wakes.len; i++)
		vec_push(&order, ((struct sort_pair){ .key = k->c->wakes.data[i].time_ns, .value = i }));
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++)
		push_wake(k, &k->c->wakes.data[order.data[i].value]);
	vec_deinit(&order);
}

/* ---- the rest ---- */

static void pack_stacks(struct pack *k, struct strtab *strings, const struct time_chart *c)
{
	column_t nr = {}, frames = {};
	for (size_t i = 0; i < c->stacks.len; i++) {
		const struct time_stack *s = c->stacks.data[i];
		vec_push(&nr, (uint64_t)s->nr);
		for (uint32_t j = 0; j < s->nr; j++) {
			_cleanup_strbuf_ struct strbuf address = {};
			if (!*s->frames[j].name)
				strbuf_addf(&address, "0x%" PRIx64, s->frames[j].ip);
			vec_push(&frames, (uint64_t)strtab_add(strings, address.len ? strbuf_str(&address) : s->frames[j].name));
		}
	}
	put(k, "stack.frames", &nr, PACK_PLAIN);
	put(k, "frame.text", &frames, PACK_PLAIN);
}

static void pack_power(struct pack *k, const struct time_chart *c)
{
	column_t cpu = {}, start = {}, ns = {}, state = {}, is_frequency = {};
	for (size_t i = 0; i < c->power.len; i++) {
		const struct time_power *p = &c->power.data[i];
		vec_push(&cpu, (uint64_t)p->cpu);
		vec_push(&start, p->start_ns - c->first_ns);
		vec_push(&ns, p->end_ns - p->start_ns);
		vec_push(&state, p->state);
		vec_push(&is_frequency, (uint64_t)p->is_frequency);
	}
	put(k, "power.cpu", &cpu, PACK_PLAIN);
	put(k, "power.start", &start, PACK_DELTA);
	put(k, "power.ns", &ns, PACK_PLAIN);
	put(k, "power.state", &state, PACK_PLAIN);
	put(k, "power.isFrequency", &is_frequency, PACK_PLAIN);
}

static void pack_head(struct pack *k, const struct time_chart *c, uint64_t zero_ns)
{
	struct json *head = &k->head;
	json_key(head, "chart");
	json_object(head);
	json_key(head, "offsetNs");
	json_i64(head, (int64_t)(c->first_ns - zero_ns));
	json_key(head, "ns");
	json_u64(head, c->last_ns - c->first_ns);
	json_key(head, "isSampled");
	json_bool(head, c->is_sampled);
	json_key(head, "cpus");
	json_array(head);
	for (uint32_t i = 0; i < c->cpus_nr; i++)
		json_u64(head, c->cpu_places ? c->cpu_places[i] : i);
	json_end(head);
	json_end(head);
}

void chart_pack(struct pack *k, struct strtab *strings, const struct time_chart *c, uint64_t zero_ns)
{
	struct chart_columns columns = { .strings = strings, .c = c };
	push_tasks(&columns);
	push_wakes(&columns);
	pack_head(k, c, zero_ns);
	put(k, "task.name", &columns.name, PACK_PLAIN);
	put(k, "task.tid", &columns.tid, PACK_PLAIN);
	put(k, "task.process", &columns.process, PACK_PLAIN);
	put(k, "task.spans", &columns.spans, PACK_PLAIN);
	put(k, "span.gap", &columns.gap, PACK_SIGNED);
	put(k, "span.ns", &columns.ns, PACK_PLAIN);
	put(k, "span.kind", &columns.kind, PACK_PLAIN);
	put(k, "span.cpu", &columns.cpu, PACK_PLAIN);
	put(k, "span.stack", &columns.stack, PACK_PLAIN);
	put(k, "span.reason", &columns.reason, PACK_PLAIN);
	put(k, "span.waits", &columns.waits, PACK_PLAIN);
	put(k, "span.isPreempted", &columns.preempted, PACK_PLAIN);
	put(k, "wake.ns", &columns.wake_ns, PACK_DELTA);
	put(k, "wake.from", &columns.wake_from, PACK_PLAIN);
	put(k, "wake.to", &columns.wake_to, PACK_PLAIN);
	put(k, "wake.stack", &columns.wake_stack, PACK_PLAIN);
	pack_stacks(k, strings, c);
	pack_power(k, c);
	u64map_deinit(&columns.tasks);
}

/* ---- a page of its own ---- */

static const struct page_parts parts = {
	chart_page_head, chart_page_style, chart_page_body, chart_page_script, CHART_PAGE_SCRIPT_HASH, CHART_PAGE_STYLE_HASH,
};

static struct strobe_error *write_data(const void *ctx, const struct html_options *o, struct out *data)
{
	const struct time_chart *c = ctx;
	struct pack pack;
	struct strtab strings;
	pack_init(&pack);
	strtab_init(&strings);
	html_pack_facts(&pack, o);
	chart_pack(&pack, &strings, c, c->first_ns);
	html_pack_strings(&pack, &strings);
	pack_finish(&pack, data);
	strtab_deinit(&strings);
	pack_deinit(&pack);
	return NULL;
}

struct strobe_error *view_html_chart(const struct time_chart *c, const struct html_options *o, struct out *out)
{
	return html_write_page(&parts, o, write_data, c, out);
}
