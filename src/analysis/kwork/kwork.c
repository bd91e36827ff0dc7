#include "analysis/kwork/kwork.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kwork/kwork_text.h"
#include "analysis/lock_symbols.h"
#include "analysis/sched/sched_window.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "decode/tracepoint.h"

/* The events, and their fields for the number and name of a work. */
static const struct kwork_event {
	const char *system, *name;
	enum kwork_kind kind;
	enum kwork_point point;
	const char *id, *text; /* fields; text: of the name, or of the function that has it; or NULL */
} events[] = {
	{ "irq", "irq_handler_entry", KWORK_IRQ, KWORK_ENTRY, "irq", "name" },
	{ "irq", "irq_handler_exit", KWORK_IRQ, KWORK_EXIT, "irq", NULL },
	{ "irq", "softirq_raise", KWORK_SOFTIRQ, KWORK_RAISE, "vec", NULL },
	{ "irq", "softirq_entry", KWORK_SOFTIRQ, KWORK_ENTRY, "vec", NULL },
	{ "irq", "softirq_exit", KWORK_SOFTIRQ, KWORK_EXIT, "vec", NULL },
	{ "workqueue", "workqueue_activate_work", KWORK_WORKQUEUE, KWORK_RAISE, "work", "function" },
	{ "workqueue", "workqueue_execute_start", KWORK_WORKQUEUE, KWORK_ENTRY, "work", "function" },
	{ "workqueue", "workqueue_execute_end", KWORK_WORKQUEUE, KWORK_EXIT, "work", "function" },
	{ "sched", "sched_switch", KWORK_SCHED, KWORK_EXIT, "prev_pid", "prev_comm" },
};
#define EVENTS (sizeof(events) / sizeof(*events))

#define SOFTIRQS 32
#define CPUS_MAX 4096 /* events of CPUs from this number on are ignored */

/* An event of the recording, and the offsets of its fields. */
struct reader {
	const struct kwork_event *event; /* NULL: not one of these */
	const struct tracepoint_field *id, *text, *pid, *next_pid, *next_comm;
	const char *softirqs[SOFTIRQS];
};

struct kwork {
	struct kwork_request q;
	struct session session;
	struct arena arena;
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	struct lock_symbols symbols;
	struct kwork_works works;
	struct sched_window window;
	struct resolve_filter filter;
	struct u64map functions; /* const char *, by address */
	struct strtab names;
	struct sched_rows rows;
	bool is_ready;
};

/* ---- the recording's events ---- */

/* … __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" }, …) */
static void read_softirqs(struct kwork *k, struct reader *d, const char *print_fmt)
{
	const char *at = print_fmt ? strstr(print_fmt, "__print_symbolic") : NULL;
	while (at && (at = strchr(at, '{'))) {
		char *end;
		unsigned long number = strtoul(at + 1, &end, 0);
		const char *name = strchr(end, '"'), *close = name ? strchr(name + 1, '"') : NULL;
		if (!close || number >= SOFTIRQS)
			return;
		d->softirqs[number] = strtab_get(&k->names, strtab_add_n(&k->names, name + 1, (size_t)(close - name - 1)));
		at = close;
	}
}

static bool is_chosen_kind(const struct kwork *k, enum kwork_kind kind)
{
	for (uint32_t i = 0; i < k->q.question.kinds_nr; i++)
		if (k->q.question.kinds[i] == kind)
			return kind != KWORK_SCHED || k->q.question.report == KWORK_TOP;
	return false;
}

static void add_reader(void *ctx, const struct env_event *e)
{
	struct kwork *k = ctx;
	struct reader d = {};
	const struct tracepoint *point = tracepoints_of_event(k->formats, e);
	for (size_t i = 0; point && i < EVENTS; i++)
		if (!strcmp(point->system, events[i].system) && !strcmp(point->name, events[i].name))
			d.event = &events[i];
	if (d.event) {
		d.id = tracepoint_field(point, d.event->id);
		d.text = d.event->text ? tracepoint_field(point, d.event->text) : NULL;
		d.pid = tracepoint_field(point, "common_pid");
		d.next_pid = tracepoint_field(point, "next_pid");
		d.next_comm = tracepoint_field(point, "next_comm");
		if (d.event->kind == KWORK_SOFTIRQ)
			read_softirqs(k, &d, point->print_fmt);
	}
	vec_push(&k->readers, d);
}

static struct strobe_error *read_events(struct kwork *k)
{
	return tracepoints_learn_events(&k->formats, k->session.env, k->readers.len, add_reader, k);
}

void kwork_recorded_events(const struct kwork_question *q, struct recorded_events *ret)
{
	for (uint32_t k = 0; k < q->kinds_nr; k++)
		for (size_t i = 0; i < EVENTS; i++)
			if (events[i].kind == q->kinds[k])
				recorded_events_add(ret, events[i].system, events[i].name, "");
}

/* ---- fields ---- */

static uint64_t number(const struct kwork *k, const struct tracepoint_field *f, const struct sample *s)
{
	return f ? field_number(k->formats, f, s->raw, s->raw_bytes) : 0;
}

static const char *string(struct kwork *k, const struct tracepoint_field *f, const struct sample *s)
{
	struct field_span span = f ? field_bytes(k->formats, f, s->raw, s->raw_bytes) : (struct field_span){};
	const char *text = (const char *)span.data;
	return text ? strtab_get(&k->names, strtab_add_n(&k->names, text, strnlen(text, span.bytes))) : NULL;
}

static const char *function_name(struct kwork *k, uint64_t address)
{
	bool is_new;
	uint64_t *at = u64map_put(&k->functions, address, &is_new);
	const struct symbol *s = is_new && address ? lock_symbols_at(&k->symbols, address) : NULL;
	if (s)
		*at = (uintptr_t)dso_symbol_name(k->symbols.kernel, s);
	return (const char *)(uintptr_t)*at;
}

static const char *name_of(struct kwork *k, const struct reader *d, uint64_t id, const struct sample *s)
{
	switch (d->event->kind) {
	case KWORK_SOFTIRQ:
		return id < SOFTIRQS ? d->softirqs[id] : NULL;
	case KWORK_WORKQUEUE:
		return function_name(k, number(k, d->text, s));
	default:
		return string(k, d->text, s);
	}
}

/* ---- chains ---- */

static bool is_softirq(const char *name)
{
	return !strcmp(name, "__softirqentry_text_start") || !strcmp(name, "__do_softirq");
}

static const char *chain_of(struct kwork *k, const struct resolved_sample *s)
{
	_cleanup_strbuf_ struct strbuf b = {};
	uint64_t left = k->q.max_stack + 2;
	for (uint32_t i = 0; i < s->chain_nr && left; i++, left--) {
		const struct resolved_frame *f = &s->chain[i];
		const char *name = f->symbol ? dso_symbol_name(f->dso, f->symbol) : "[unknown]";
		if (!is_softirq(name))
			strbuf_addf(&b, "%s%s", b.len ? " <- " : "", name);
	}
	return strtab_get(&k->names, strtab_add(&k->names, strbuf_str(&b)));
}

/* ---- samples ---- */

static bool is_chosen(struct kwork *k, uint32_t work, uint64_t time_ns)
{
	const struct kwork_work *w = &k->works.works.data[work];
	const char *name = k->q.question.name;
	bool has_cpu = !k->filter.cpus_nr;
	for (uint32_t i = 0; i < k->filter.cpus_nr; i++)
		has_cpu |= k->filter.cpus[i] == w->cpu;
	if (!has_cpu || !sched_window_has(&k->window, time_ns))
		return false;
	if (k->q.question.report != KWORK_TOP && name && w->name && strcmp(w->name, name) != 0)
		return false;
	if (!k->works.first_ns || time_ns < k->works.first_ns)
		k->works.first_ns = time_ns;
	if (time_ns > k->works.last_ns)
		k->works.last_ns = time_ns;
	return true;
}

static void put_ended(struct kwork *k, const struct kwork_work *w, uint64_t end_ns)
{
	if (k->q.question.report != KWORK_TIMEHIST)
		return;
	if (k->q.format == TABLE_AS_TEXT)
		kwork_line(k->q.out, w, end_ns, k->q.with_chains);
	else
		kwork_line_row(&k->rows, w, end_ns);
}

static void take_point(struct kwork *k, enum kwork_point point, uint32_t work, const struct resolved_sample *s)
{
	uint64_t time_ns = s->sample.time;
	enum kwork_report report = k->q.question.report;
	bool is_needed = point == KWORK_RAISE ? report == KWORK_LATENCY || report == KWORK_TIMEHIST :
		point == KWORK_EXIT ? report != KWORK_LATENCY : true;
	if (!is_needed || !is_chosen(k, work, time_ns))
		return;
	if (point == KWORK_RAISE) {
		kwork_raise(&k->works, &k->q.question, work, time_ns);
	} else if (point == KWORK_ENTRY) {
		kwork_entry(&k->works, &k->q.question, work, time_ns);
		if (k->q.with_chains)
			k->works.works.data[work].chain = chain_of(k, s);
	} else if (kwork_exit(&k->works, &k->q.question, work, time_ns)) {
		put_ended(k, &k->works.works.data[work], time_ns);
	}
}

static void take_switch(struct kwork *k, const struct reader *d, const struct resolved_sample *s)
{
	uint32_t cpu = s->sample.cpu;
	uint32_t prev = kwork_works_find(&k->works, KWORK_SCHED, cpu, (uint32_t)number(k, d->id, &s->sample),
					 string(k, d->text, &s->sample));
	take_point(k, KWORK_EXIT, prev, s);
	uint32_t next = kwork_works_find(&k->works, KWORK_SCHED, cpu, (uint32_t)number(k, d->next_pid, &s->sample),
					 string(k, d->next_comm, &s->sample));
	take_point(k, KWORK_ENTRY, next, s);
}

/* The kernel's mapping is a record, which precedes all samples. */
static struct strobe_error *make_ready(struct kwork *k)
{
	if (k->is_ready && k->readers.len == k->session.env->events.len)
		return NULL;
	k->is_ready = true;
	TRY(read_events(k));
	lock_symbols_load(&k->symbols, lock_symbols_kernel(k->session.resolver));
	return NULL;
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct kwork *k = ctx;
	k->works.records++;
	TRY(make_ready(k));
	const struct reader *d = s->sample.event < k->readers.len ? &k->readers.data[s->sample.event] : NULL;
	if (!d || !d->event || !is_chosen_kind(k, d->event->kind) || s->sample.cpu >= CPUS_MAX)
		return NULL;
	if (d->event->kind == KWORK_SCHED) {
		take_switch(k, d, s);
		return NULL;
	}
	bool by_task = k->q.question.report == KWORK_TOP;
	uint64_t id = by_task ? (uint32_t)number(k, d->pid, &s->sample) : number(k, d->id, &s->sample);
	const char *name = by_task ? NULL : name_of(k, d, id, &s->sample);
	uint32_t work = kwork_works_find(&k->works, d->event->kind, s->sample.cpu, id, name);
	take_point(k, d->event->point, work, s);
	return k->q.out && out_failed(k->q.out) ? error_create(ERROR_STOPPED, "no more output") : NULL;
}

static struct strobe_error *take_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct kwork *k = ctx;
	struct record_lost lost;
	(void)time_ns;
	k->works.records++;
	if (r.hdr->type == PERF_RECORD_LOST && record_decode_lost(r, &lost)) {
		k->works.lost_records++;
		k->works.lost += lost.lost;
	}
	return NULL;
}

static bool knows_stack(void *ctx, const struct resolved_sample *s)
{
	const struct kwork *k = ctx;
	(void)s;
	return !k->q.with_chains;
}

/* ---- the whole ---- */

static bool has_events(const struct kwork *k)
{
	for (size_t i = 0; i < k->readers.len; i++)
		if (k->readers.data[i].event && is_chosen_kind(k, k->readers.data[i].event->kind))
			return true;
	return false;
}

static void begin_lines(struct kwork *k)
{
	if (k->q.question.report != KWORK_TIMEHIST)
		return;
	if (k->q.format == TABLE_AS_TEXT)
		kwork_line_titles(k->q.out);
	else
		sched_rows_begin(&k->rows, k->q.out, k->q.format, "strobe-kwork-timehist", kwork_line_keys);
}

static struct strobe_error *run(struct kwork *k)
{
	const struct sample_choice choice = { .cpus = k->q.cpus };
	struct session_request request = { .symbols = k->q.symbols, .resolve = { .with_chains = k->q.with_chains } };
	struct resolve_callbacks callbacks = { .sample = take_sample, .record = take_record, .knows_stack = knows_stack, .ctx = k };
	TRY(sched_window_parse(k->q.times, &k->window));
	TRY(session_open(&k->session, k->q.host, k->q.input, k->q.force));
	TRY(sample_choice_parse(&choice, k->session.env, &k->arena, &k->filter));
	TRY(session_resolve(&k->session, &request));
	begin_lines(k);
	struct strobe_error *err = resolve_stream(k->session.resolver, callbacks);
	if (k->q.question.report == KWORK_TIMEHIST && k->q.format != TABLE_AS_TEXT)
		sched_rows_end(&k->rows);
	err = error_first(err, read_events(k));
	if (!err && !has_events(k))
		return error_create(ERROR_NOT_FOUND, "this recording has no events of this kind of work: record them with 'kwork record'");
	return err;
}

struct strobe_error *kwork_run(const struct kwork_request *q, struct kwork **ret)
{
	struct kwork *k = *ret = xcalloc(1, sizeof(*k));
	k->q = *q;
	strtab_init(&k->names);
	return run(k);
}

void kwork_destroy(struct kwork *k)
{
	if (!k)
		return;
	kwork_works_deinit(&k->works);
	tracepoints_destroy(k->formats);
	vec_deinit(&k->readers);
	u64map_deinit(&k->functions);
	session_close(&k->session);
	strtab_deinit(&k->names);
	arena_deinit(&k->arena);
	free(k);
}

struct kwork_works *kwork_works(struct kwork *k)
{
	return &k->works;
}

void kwork_remarks(const struct kwork *k)
{
	session_remarks(&k->session, false);
}
