/*
 * Raw rows of all workers → a profile: each distinct stack, label set and piece of tracepoint data is created once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "resolve/fill_priv.h"

/* ---- labels ---- */

static str_id comm_label(struct fill *f, str_id comm)
{
	struct strtab *strings = machine_strings(f->r->machine);
	if (!f->comms[comm])
		f->comms[comm] = strtab_add_n(&f->p->strings, strtab_get(strings, comm), strtab_length(strings, comm)) + 1;
	return f->comms[comm] - 1;
}

static const char *kernel_symbol(void *ctx, uint64_t addr, uint64_t *ret_offset)
{
	struct resolver *r = ctx;
	/* The text of a tracepoint may contain kernel functions, whose addresses do not change while the kernel runs. */
	const struct thread *idle = machine_thread(r->machine, 0, 0, UINT64_MAX);
	const struct map *map = machine_map(r->machine, idle, PERF_RECORD_MISC_KERNEL, addr, UINT64_MAX);
	struct dso *dso = map ? symbols_dso(r->symbols, map->file) : NULL;
	if (!dso)
		return NULL;
	uint64_t in_dso = dso_address(dso, map, addr);
	const struct symbol *sym = dso_symbol(dso, in_dso);
	*ret_offset = sym ? in_dso - sym->start : 0;
	return sym ? dso_symbol_name(dso, sym) : NULL;
}

/*
 * The value that perf shows for a field: from the first word of the event's text that begins with the field's name and
 * one separating character, up to a blank; NULL: none.
 */
static const char *find_field(const char *text, size_t bytes, const char *field, size_t *ret_bytes)
{
	size_t n = strlen(field);
	for (size_t at = 0; at < bytes;) {
		const char *blank = memchr(text + at, ' ', bytes - at);
		size_t end = blank ? (size_t)(blank - text) : bytes;
		if (end - at > n && !memcmp(text + at, field, n)) {
			*ret_bytes = end - at - n - 1;
			return text + at + n + 1;
		}
		at = end + 1;
	}
	return NULL;
}

static uint64_t bytes_label(struct fill *f, struct fill_worker *of, uint32_t column, uint64_t raw)
{
	if (!raw)
		return 0;
	uint64_t *memo = &of->bytes[raw - 1];
	if (*memo)
		return *memo - 1;
	const struct raw_bytes *b = &of->w->tab.bytes.data[raw - 1];
	struct tracepoints *all = resolver_tracepoints(f->r);
	const struct tracepoint *tp = tracepoints_by_id(all, (uint32_t)f->r->env->events.data[b->event].attr.config);
	struct trace_names names = { .symbol = kernel_symbol, .ctx = f->r };
	const struct column *c = &f->r->columns[column];
	const struct tracepoint_field *field = tp && c->field ? tracepoint_field(tp, c->field) : NULL;
	struct out text;
	size_t bytes = 0;
	const char *s = NULL;
	out_init_mem(&text);
	if (tp && c->key->id == KEY_TRACE && f->r->options.raw_trace)
		fields_text(&text, all, tp, b->payload, b->payload_bytes);
	else if (tp && (c->key->id == KEY_TRACE || (field && !c->raw)))
		trace_text(&text, all, tp, b->payload, b->payload_bytes, &names);
	if (field) {
		s = out_mem(&text, &bytes);
		s = find_field(s, bytes, c->field, &bytes);
		if (!s) {
			text.len = 0;
			field_text(&text, all, field, b->payload, b->payload_bytes);
		}
	}
	if (!s)
		s = out_mem(&text, &bytes);
	*memo = (uint64_t)strtab_add_n(&f->p->strings, s, bytes) + 1;
	error_destroy(out_close(&text));
	return *memo - 1;
}

static uint64_t wait_label(struct fill *f, struct fill_worker *of, enum key_id key, uint64_t raw)
{
	uint64_t *memo = raw ? &of->bytes[raw - 1] : NULL;
	if (memo && *memo)
		return *memo - 1;
	const struct raw_bytes *b = raw ? &of->w->tab.bytes.data[raw - 1] : NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	wait_text(key_wait_part(key), arch_or_native(f->r->env->arch), b ? b->payload : NULL, b ? b->payload_bytes : 0, &text);
	uint64_t id = (uint64_t)strtab_add(&f->p->strings, strbuf_str(&text));
	if (memo)
		*memo = id + 1;
	return id;
}

/* The waker's frames, innermost first, as bytes. */
static uint64_t waker_label(struct fill *f, struct fill_worker *of, uint64_t raw)
{
	frame_id frames[WAIT_WAKER_MAX];
	uint64_t *memo = raw ? &of->bytes[raw - 1] : NULL;
	if (!memo || *memo)
		return memo ? *memo - 1 : 0;
	const struct raw_bytes *b = &of->w->tab.bytes.data[raw - 1];
	const uint32_t *raw_frames = b->payload;
	uint32_t nr = b->payload_bytes / (uint32_t)sizeof(*raw_frames);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t cached = cached_frame(&f->r->frames, &of->w->tab.frames.data[raw_frames[i]]);
		frames[i] = fill_frame(f, &f->r->frames.frames.data[cached], f->r->options.by_address, FRAME_WAKER);
	}
	*memo = (uint64_t)strtab_add_n(&f->p->strings, (const char *)frames, nr * sizeof(*frames)) + 1;
	return *memo - 1;
}

static uint64_t cgroup_label(struct fill *f, uint64_t id)
{
	const char *path = machine_cgroup(f->r->machine, id);
	return strtab_add(&f->p->strings, path ? path : id ? "unknown" : "N/A");
}

static bool is_shared_data(const struct resolved_frame *at)
{
	const struct map *m = at->map;
	return at->cpumode == PERF_RECORD_MISC_USER && m && !(m->prot & PROT_EXEC) && m->flags & MAP_SHARED &&
	       (m->file->maj || m->file->min || m->file->ino || m->file->ino_generation);
}

/* Data and branch addresses keep their exact address: a column may show it. */
static uint64_t address_label(struct fill *f, struct fill_worker *of, uint64_t raw)
{
	if (!raw)
		return PROFILE_NONE;
	frame_id *memo = &of->exact[raw - 1];
	if (!*memo) {
		const struct raw_frame *rf = &of->w->tab.frames.data[raw - 1];
		uint32_t i = cached_frame(&f->r->frames, rf);
		const struct resolved_frame *at = &f->r->frames.frames.data[i];
		*memo = fill_frame(f, at, true, is_shared_data(at) ? FRAME_SHARED : 0) + 1;
	}
	return *memo - 1;
}

/* Of the mapping alone, without the symbol at the address; the kernel, too, touches memory of programs. */
static uint64_t backing_label(struct fill *f, struct fill_worker *of, uint64_t raw)
{
	const struct raw_frame *rf = raw ? &of->w->tab.frames.data[raw - 1] : NULL;
	const struct map *m = rf ? machine_space_map(f->r->machine, rf->where.space, rf->where.cpumode, rf->ip) : NULL;
	return strtab_add(&f->p->strings, map_backing(m));
}

static uint64_t label_of(struct fill *f, struct fill_worker *of, uint32_t column, uint64_t raw)
{
	const struct key *key = f->r->columns[column].key;
	switch (key->id) {
	case KEY_COMM:
		return comm_label(f, (str_id)raw);
	case KEY_TRACE:
	case KEY_TRACE_FIELD:
		return bytes_label(f, of, column, raw);
	case KEY_CGROUP:
		return cgroup_label(f, raw);
	case KEY_WAIT_STATE:
	case KEY_WAIT_REASON:
	case KEY_WAKER:
		return wait_label(f, of, key->id, raw);
	case KEY_WAKER_STACK:
		return waker_label(f, of, raw);
	case KEY_BACKING:
		return backing_label(f, of, raw);
	default:
		return key->type == COLUMN_FRAME ? address_label(f, of, raw) : raw;
	}
}

/* sub: the labels of samples; NULL: there are only those of the group. */
static labels_id labels_of(struct fill *f, struct fill_worker *of, uint32_t group, const uint64_t *sub)
{
	const struct resolver *r = f->r;
	labels_id *memo = &of->labels[group];
	if (!sub && *memo)
		return *memo - 1;
	const uint64_t *thread = of->w->step.groups.data + (size_t)group * r->thread_columns;
	for (uint32_t i = 0; i < r->columns_nr; i++)
		f->labels[i] = label_of(f, of, i, i < r->thread_columns ? thread[i] : sub[i - r->thread_columns]);
	labels_id id = profile_labels(f->p, f->labels);
	if (!sub)
		*memo = id + 1;
	return id;
}

/* ---- rows ---- */

static void add_events(struct fill *f)
{
	const struct resolver *r = f->r;
	for (uint32_t i = (uint32_t)f->p->events.len; i < r->env->events.len; i++) {
		const struct env_event *ev = &r->env->events.data[i];
		struct profile_event e = {
			.name = strtab_add(&f->p->strings, i == f->waits.clock_event ? WAIT_WALL_NAME : ev->name),
			.unit = strtab_add(&f->p->strings, ev->unit ? ev->unit : ""),
			.leader = ev->leader,
			.is_tracepoint = ev->attr.type == PERF_TYPE_TRACEPOINT,
		};
		vec_push(&f->p->events, e);
	}
	for (uint32_t i = 0; i < r->env->events.len && i < r->stats.events_nr; i++)
		f->p->events.data[i].lost = r->event_stats[i].lost_samples;
}

/* The place of the first sample of the worker's next row or sub; UINT64_MAX: no more. */
static uint64_t next_place(const struct fill_worker *of)
{
	if (of->w->sub_columns)
		return of->next < of->w->tab.subs.len ? of->w->tab.subs.data[of->next].first : UINT64_MAX;
	return of->next < of->rows.len ? of->rows.data[of->next].first : UINT64_MAX;
}

static stack_id stack_of(const struct fill_worker *of, uint32_t node)
{
	return node == PROFILE_NONE ? PROFILE_NONE : of->nodes.data[node].stack;
}

static stack_id push_text(struct fill *f, stack_id stack, const struct strbuf *text, uint8_t flags)
{
	str_id name = strtab_add(&f->p->strings, strbuf_str(text));
	struct profile_function function = { .mapping = PROFILE_NONE, .name = name, .system_name = name };
	struct profile_frame frame = { .mapping = PROFILE_NONE, .function = profile_function(f->p, &function), .flags = flags };
	return profile_stack(f->p, stack, profile_frame(f->p, &frame));
}

/* Puts the waker's stack on top of the wait, innermost frame last. */
static stack_id waker_stack(struct fill *f, stack_id stack, const uint64_t *values)
{
	uint32_t waker = profile_find_column(f->p, "waker"), frames = profile_find_column(f->p, "waker_stack");
	if (waker == PROFILE_NONE || frames == PROFILE_NONE || !values[waker])
		return stack;
	_cleanup_strbuf_ struct strbuf text = {};
	const char *name = profile_str(f->p, (str_id)values[waker]);
	strbuf_addf(&text, strcmp(name, "[interrupt]") ? "[woken by %s]" : "[woken by an interrupt]", name);
	stack = push_text(f, stack, &text, FRAME_WAIT | FRAME_WAKER);
	size_t nr = strtab_length(&f->p->strings, (str_id)values[frames]) / sizeof(frame_id);
	for (size_t i = 0; i < nr; i++) {
		frame_id frame;
		memcpy(&frame, strtab_get(&f->p->strings, (str_id)values[frames]) + i * sizeof(frame), sizeof(frame));
		stack = profile_stack(f->p, stack, frame);
	}
	return stack;
}

/* The stack of a wait, with its reason as the innermost frame. */
static stack_id wait_stack(struct fill *f, stack_id stack, labels_id labels)
{
	uint32_t state = profile_find_column(f->p, "state"), reason = profile_find_column(f->p, "reason");
	if (state == PROFILE_NONE || reason == PROFILE_NONE)
		return stack;
	const uint64_t *values = profile_label_values(f->p, labels);
	_cleanup_strbuf_ struct strbuf text = {};
	strbuf_addf(&text, "[%s: %s]", profile_str(f->p, (str_id)values[state]), profile_str(f->p, (str_id)values[reason]));
	return waker_stack(f, push_text(f, stack, &text, FRAME_WAIT), values);
}

/* Adds counts to the row with these labels; returns the profile's row. Running and waiting are one event: time. */
static uint32_t add_row(struct fill *f, const struct fill_worker *of, const struct fill_row *row, labels_id labels, uint64_t samples,
			uint64_t value, uint64_t weight)
{
	bool is_wait = row->event == f->waits.wait_event;
	stack_id stack = stack_of(of, row->node);
	if (is_wait && f->r->options.waits_as_frames)
		stack = wait_stack(f, stack, labels);
	return profile_add(f->p, stack, labels, is_wait ? f->waits.clock_event : row->event, samples, value, weight);
}

static void add_next(struct fill *f, struct fill_worker *of)
{
	struct rawtab *tab = &of->w->tab;
	uint32_t i = of->next++;
	if (!of->w->sub_columns) {
		struct fill_row *row = &of->rows.data[i];
		labels_id labels = labels_of(f, of, row->group, NULL);
		row->result = add_row(f, of, row, labels, row->samples, row->value, row->weight);
		return;
	}
	struct raw_sub *sub = &tab->subs.data[i];
	uint32_t at = rawtab_row(tab, sub->row)->result;
	sub->result = PROFILE_NONE;
	if (at == FILL_DROPPED) {
		f->r->stats.unresolved_samples += sub->samples;
		return;
	}
	const struct fill_row *row = &of->rows.data[at];
	labels_id labels = labels_of(f, of, row->group, tab->sub_labels.data + (size_t)i * tab->sub_labels_nr);
	sub->result = add_row(f, of, row, labels, sub->samples, sub->value, sub->weight);
}

/* Adds the rows of all workers in the order of their first samples; equal ones are merged in the profile. */
static void add_all_rows(struct fill *f)
{
	for (;;) {
		uint64_t least = UINT64_MAX;
		struct fill_worker *best = NULL;
		for (unsigned i = 0; i < f->n; i++) {
			uint64_t place = next_place(&f->of[i]);
			if (place < least) {
				least = place;
				best = &f->of[i];
			}
		}
		if (!best)
			return;
		add_next(f, best);
	}
}

/* ---- the log ---- */

static uint32_t logged_row(const struct fill_worker *of, uint32_t id)
{
	const struct rawtab *tab = &of->w->tab;
	if (of->w->sub_columns)
		return tab->subs.data[id].result;
	uint32_t at = rawtab_row(tab, id)->result;
	return at == FILL_DROPPED ? PROFILE_NONE : of->rows.data[at].result;
}

#define LOG_WORKER_SHIFT 40

static void take_log(struct fill *f)
{
	VEC(struct sort_pair) order = {};
	for (unsigned i = 0; i < f->n; i++) {
		const struct worker *w = f->of[i].w;
		for (size_t j = 0; j < w->log.len; j++) {
			struct sort_pair pair = { .key = w->log.data[j].time_ns, .value = (uint64_t)i << LOG_WORKER_SHIFT | j };
			vec_push(&order, pair);
		}
		f->p->log_dropped += w->log_dropped;
	}
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++) {
		const struct fill_worker *of = &f->of[order.data[i].value >> LOG_WORKER_SHIFT];
		struct profile_log_entry e = of->w->log.data[order.data[i].value & ((1ull << LOG_WORKER_SHIFT) - 1)];
		e.row = logged_row(of, e.row);
		if (e.row != PROFILE_NONE)
			vec_push(&f->p->log, e);
	}
	vec_deinit(&order);
}

/* ---- all of it ---- */

static void fill_init(struct fill *f, struct worker *workers)
{
	struct resolver *r = f->r;
	f->of = xcalloc_apart(f->n, sizeof(*f->of));
	for (unsigned i = 0; i < f->n; i++) {
		struct fill_worker *of = &f->of[i];
		const struct rawtab *tab = &workers[i].tab;
		of->w = &workers[i];
		of->frames = xcalloc(tab->frames.len + 1, sizeof(*of->frames));
		of->exact = xcalloc(tab->frames.len + 1, sizeof(*of->exact));
		of->bytes = xcalloc(tab->bytes.len + 1, sizeof(*of->bytes));
		of->labels = xcalloc((size_t)workers[i].step.groups_nr + 1, sizeof(*of->labels));
	}
	f->comms = xcalloc(machine_strings(r->machine)->strings.len + 1, sizeof(*f->comms));
	f->labels = xcalloc(r->columns_nr + 1, sizeof(*f->labels));
	for (uint32_t i = 0; i < r->columns_nr; i++)
		profile_column(f->p, r->columns[i].name, r->columns[i].key->type);
}

static void fill_deinit(struct fill *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		struct fill_worker *of = &f->of[i];
		free(of->frames);
		free(of->exact);
		free(of->bytes);
		free(of->labels);
		vec_deinit(&of->nodes);
		vec_deinit(&of->rows);
		idset_deinit(&of->node_index);
		idset_deinit(&of->row_index);
		vec_deinit(&of->path);
		vec_deinit(&of->last_path);
		vec_deinit(&of->last_nodes);
		vec_deinit(&of->depths);
	}
	free(f->of);
	u64map_deinit(&f->frames);
	vec_deinit(&f->mappings);
	vec_deinit(&f->lists);
	free(f->comms);
	free(f->labels);
}

void fill_profile(struct resolver *r, struct worker *workers, unsigned n, struct profile *p)
{
	struct fill f = { .r = r, .p = p, .n = n, .waits = wait_events_of(r->env) };
	uint64_t lap_ns;
	resolver_lap(&lap_ns, NULL);
	fill_init(&f, workers);
	add_events(&f);
	if (r->options.program_first)
		fill_program(&f);
	fill_frames(&f);
	if (!r->symbols_options.live)
		resolver_forget_frames(r); /* each is looked up once, except the few in labels */
	resolver_lap(&lap_ns, &r->stats.times.name_ns);
	fill_stacks(&f);
	add_all_rows(&f);
	if (r->options.keep_time_log)
		take_log(&f);
	if (r->stats.last_ns) {
		f.p->start_ns = r->stats.first_ns;
		f.p->duration_ns = r->stats.last_ns - r->stats.first_ns;
	}
	fill_deinit(&f);
	resolver_lap(&lap_ns, &r->stats.times.join_ns);
}
