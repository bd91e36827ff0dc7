/*
 * Raw rows of all workers → a profile: each distinct stack, label set and piece of tracepoint data is resolved once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "resolve/chain.h"
#include "resolve/resolver_priv.h"

struct fill {
	struct resolver *r;
	struct profile *p;
	struct worker *w;           /* whose rows are at hand: what is by raw number is the worker's own */
	struct fill_worker {
		frame_id *frames;   /* by raw frame: frame + 1 */
		uint64_t *bytes;    /* by raw bytes: string + 1 */
		labels_id *labels;  /* by group: label set + 1, where there are no labels of samples */
		raw_id next;        /* the next row, or */
		uint32_t next_sub;
	} *of, *all;
	VEC(mapping_id) mappings;   /* by mapped_file.id: mapping + 1 */
	VEC(frame_id) cached;       /* by index in the frame cache: frame + 1 */
	str_id *comms;              /* by string of the machine: string + 1 */
	VEC(frame_id) path, last_path; /* outermost first */
	VEC(stack_id) last_nodes;
	uint64_t *labels;
};

/* In raw_row.result: the stack is not made yet; its leaf has no symbol and those are hidden. Else the stack + 2. */
#define STACK_NEW     UINT32_MAX
#define STACK_DROPPED 0
#define STACK_FIRST   2

static bool is_bytes(const struct column *c)
{
	return c->key->id == KEY_TRACE || c->key->id == KEY_TRACE_FIELD;
}

/* ---- addresses ---- */

static enum mapping_space space_of(uint16_t cpumode, const struct map *map)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return SPACE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return SPACE_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return SPACE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return SPACE_GUEST_USER;
	case PERF_RECORD_MISC_HYPERVISOR:
		return SPACE_HYPERVISOR;
	default: /* found by trying */
		if (!map)
			return SPACE_UNKNOWN;
		return map->file->kind >= MAPPED_KERNEL && map->file->kind <= MAPPED_OTHER_KERNEL ? SPACE_KERNEL : SPACE_USER;
	}
}

static str_id build_id_string(struct profile *p, const uint8_t *id, unsigned bytes)
{
	char hex[2 * RECORD_BUILD_ID_MAX];
	for (unsigned i = 0; i < bytes && i < RECORD_BUILD_ID_MAX; i++) {
		hex[2 * i] = "0123456789abcdef"[id[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
	}
	return strtab_add_n(&p->strings, hex, 2 * (bytes < RECORD_BUILD_ID_MAX ? bytes : RECORD_BUILD_ID_MAX));
}

static mapping_id add_mapping(struct fill *f, const struct resolved_frame *from, enum mapping_space space)
{
	const struct mapped_file *file = from->map->file;
	struct profile *p = f->p;
	struct dso_facts facts = from->dso ? dso_facts(from->dso) : (struct dso_facts){};
	bool own_id = file->build_id_len || !facts.build_id_len;
	struct profile_mapping m = {
		.name = strtab_add(&p->strings, file->name),
		.path = strtab_add(&p->strings, facts.long_name && file->kind == MAPPED_KERNEL ? facts.long_name : file->path),
		.build_id = own_id ? build_id_string(p, file->build_id, file->build_id_len)
				   : build_id_string(p, facts.build_id, facts.build_id_len),
		.start = from->map->start,
		.end = from->map->end,
		.offset = from->map->pgoff,
		.space = space,
		.kind = (uint8_t)file->kind,
	};
	return profile_mapping(p, &m);
}

static mapping_id mapping_of(struct fill *f, const struct resolved_frame *from, enum mapping_space space)
{
	if (!from->map)
		return PROFILE_NONE;
	uint32_t id = from->map->file->id;
	while (f->mappings.len <= id)
		vec_push(&f->mappings, 0);
	if (!f->mappings.data[id])
		f->mappings.data[id] = add_mapping(f, from, space) + 1;
	return f->mappings.data[id] - 1;
}

static function_id function_of(struct fill *f, const struct resolved_frame *from, mapping_id mapping)
{
	if (!from->symbol)
		return PROFILE_NONE;
	struct profile *p = f->p;
	const struct symbol *sym = from->symbol;
	struct profile_function fn = {
		.mapping = mapping,
		.name = strtab_add(&p->strings, dso_symbol_name(from->dso, sym)),
		.system_name = strtab_add(&p->strings, sym->raw_name),
		.start = sym->start,
		.size = sym->end - sym->start,
		.binding = sym->binding,
	};
	return profile_function(p, &fn);
}

static frame_id make_frame(struct fill *f, const struct resolved_frame *from, bool by_address)
{
	enum mapping_space space = space_of(from->cpumode, from->map);
	struct profile_frame fr = { .ip = from->ip, .addr = from->addr, .space = space };
	fr.mapping = mapping_of(f, from, space);
	fr.function = function_of(f, from, fr.mapping);
	if (fr.function != PROFILE_NONE && !by_address)
		fr.addr = from->symbol->start;
	return profile_frame(f->p, &fr);
}

static frame_id frame_of_where(struct fill *f, struct frame_where where, uint64_t ip)
{
	struct frame_cache *c = &f->r->frames;
	uint32_t i = frame_cache_find(c, where, ip);
	while (f->cached.len <= i)
		vec_push(&f->cached, 0);
	if (!f->cached.data[i])
		f->cached.data[i] = make_frame(f, &c->frames.data[i], f->r->options.by_address) + 1;
	return f->cached.data[i] - 1;
}

static inline frame_id frame_of(struct fill *f, uint32_t raw)
{
	frame_id *memo = &f->of->frames[raw];
	if (__builtin_expect(!*memo, 0)) {
		const struct raw_frame *rf = &f->w->tab.frames.data[raw];
		*memo = frame_of_where(f, rf->where, rf->ip) + 1;
	}
	return *memo - 1;
}

/* Data and branch addresses keep their exact address: a column may show it. 0 is no address. */
static uint64_t address_label(struct fill *f, uint32_t space, uint64_t address)
{
	if (!address)
		return PROFILE_NONE;
	struct frame_cache *c = &f->r->frames;
	uint32_t i = frame_cache_find(c, (struct frame_where){ .space = space, .cpumode = CPUMODE_UNKNOWN }, address);
	return make_frame(f, &c->frames.data[i], true);
}

/* ---- stacks ---- */

/* Frames of a row, outermost first, into f->path. False where its leaf is unresolved and such are hidden. */
static bool find_path(struct fill *f, struct raw_row *row)
{
	const uint32_t *raw = raw_path(row);
	bool hide = f->r->options.hide_unresolved;
	vec_clear(&f->path);
	vec_reserve(&f->path, row->path_nr);
	for (uint32_t i = row->path_nr; i-- > 0;) {
		frame_id id = frame_of(f, raw[i]);
		bool unresolved = hide && f->p->frames.data[id].function == PROFILE_NONE;
		if (unresolved && !i)
			return false;
		if (!unresolved)
			f->path.data[f->path.len++] = id;
	}
	return true;
}

/* Stacks that were met one after the other mostly share their outer frames: those nodes need no look-up. */
static stack_id intern_path(struct fill *f)
{
	size_t n = f->path.len, same = 0;
	stack_id node = PROFILE_NONE;
	while (same < n && same < f->last_path.len && f->path.data[same] == f->last_path.data[same])
		same++;
	if (same)
		node = f->last_nodes.data[same - 1];
	vec_reserve(&f->last_path, n);
	vec_reserve(&f->last_nodes, n);
	for (size_t i = same; i < n; i++) {
		node = profile_stack(f->p, node, f->path.data[i]);
		f->last_path.data[i] = f->path.data[i];
		f->last_nodes.data[i] = node;
	}
	f->last_path.len = f->last_nodes.len = n;
	return node;
}

/* False where rows of this stack are to be left out. */
static bool stack_of(struct fill *f, struct raw_row *row, stack_id *ret)
{
	if (row->result == STACK_NEW)
		row->result = find_path(f, row) ? intern_path(f) + STACK_FIRST : STACK_DROPPED;
	*ret = row->result - STACK_FIRST; /* PROFILE_NONE + 2 is 1: no address at all */
	return row->result != STACK_DROPPED;
}

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
	/* The text of a tracepoint names kernel functions; they do not move while the kernel runs. */
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

static uint64_t bytes_label(struct fill *f, uint32_t column, uint64_t raw)
{
	if (!raw)
		return 0;
	uint64_t *memo = &f->of->bytes[raw - 1];
	if (*memo)
		return *memo - 1;
	const struct raw_bytes *b = &f->w->tab.bytes.data[raw - 1];
	struct tracepoints *all = resolver_tracepoints(f->r);
	const struct tracepoint *tp = tracepoints_by_id(all, (uint32_t)f->r->env->events.data[b->event].attr.config);
	struct trace_names names = { .symbol = kernel_symbol, .ctx = f->r };
	struct out text;
	size_t bytes = 0;
	out_init_mem(&text);
	if (tp && f->r->columns[column].key->id == KEY_TRACE) {
		trace_text(&text, all, tp, b->payload, b->payload_bytes, &names);
	} else if (tp) {
		const struct tracepoint_field *field = tracepoint_field(tp, strchr(f->r->columns[column].name, ':') + 1);
		if (field)
			field_text(&text, all, field, b->payload, b->payload_bytes);
	}
	const char *s = out_mem(&text, &bytes);
	*memo = (uint64_t)strtab_add_n(&f->p->strings, s, bytes) + 1;
	error_destroy(out_close(&text));
	return *memo - 1;
}

static uint64_t cgroup_label(struct fill *f, uint64_t id)
{
	const char *path = machine_cgroup(f->r->machine, id);
	return strtab_add(&f->p->strings, path ? path : id ? "unknown" : "N/A");
}

static uint64_t label_of(struct fill *f, uint32_t column, const struct raw_row *row, uint64_t raw)
{
	enum key_id id = f->r->columns[column].key->id;
	if (id == KEY_COMM)
		return comm_label(f, (str_id)raw);
	if (is_bytes(&f->r->columns[column]))
		return bytes_label(f, column, raw);
	if (id == KEY_CGROUP)
		return cgroup_label(f, raw);
	if (f->r->columns[column].key->type == COLUMN_FRAME)
		return address_label(f, raw_context_space(row->context), raw);
	return raw;
}

/* sub: the labels of samples, NULL where there are none and all is told by the row. */
static labels_id labels_of(struct fill *f, const struct raw_row *row, const uint64_t *sub)
{
	const struct resolver *r = f->r;
	labels_id *memo = &f->of->labels[row->group];
	if (!sub && *memo)
		return *memo - 1;
	const uint64_t *thread = f->w->groups.data + (size_t)row->group * r->thread_columns;
	for (uint32_t i = 0; i < r->columns_nr; i++)
		f->labels[i] = label_of(f, i, row, i < r->thread_columns ? thread[i] : sub[i - r->thread_columns]);
	labels_id id = profile_labels(f->p, f->labels);
	if (!sub)
		*memo = id + 1;
	return id;
}

/* ---- all of it ---- */

static void add_events(struct fill *f)
{
	const struct resolver *r = f->r;
	for (uint32_t i = 0; i < r->env->events.len; i++) {
		const struct env_event *ev = &r->env->events.data[i];
		struct profile_event e = {
			.name = strtab_add(&f->p->strings, ev->name),
			.unit = strtab_add(&f->p->strings, ev->unit ? ev->unit : ""),
			.leader = ev->leader,
			.lost = i < r->stats.events_nr ? r->event_stats[i].lost_samples : 0,
			.is_tracepoint = ev->attr.type == PERF_TYPE_TRACEPOINT,
		};
		vec_push(&f->p->events, e);
	}
}

/* Where the worker's next row was first met; UINT64_MAX where it has no more. */
static uint64_t next_place(const struct worker *w, const struct fill_worker *of)
{
	if (w->sub_columns)
		return of->next_sub < w->tab.subs.len ? w->tab.subs.data[of->next_sub].first : UINT64_MAX;
	return of->next < w->tab.heap.len ? rawtab_row(&w->tab, of->next)->first : UINT64_MAX;
}

static uint32_t add_row(struct fill *f, struct raw_row *row, const uint64_t *sub_labels, uint64_t samples, uint64_t value,
			uint64_t weight)
{
	stack_id stack;
	if (!stack_of(f, row, &stack)) {
		f->r->stats.unresolved_samples += samples;
		return PROFILE_NONE;
	}
	return profile_add(f->p, stack, labels_of(f, row, sub_labels), row->event, samples, value, weight);
}

static void add_next(struct fill *f)
{
	struct rawtab *tab = &f->w->tab;
	if (!f->w->sub_columns) {
		struct raw_row *row = rawtab_row(tab, f->of->next);
		f->of->next = rawtab_next(tab, f->of->next);
		/* The hash is not needed any more; the log wants to know what the row became. */
		row->hash = add_row(f, row, NULL, row->samples, row->value, row->weight);
		return;
	}
	uint32_t i = f->of->next_sub++;
	struct raw_sub *sub = &tab->subs.data[i];
	const uint64_t *labels = tab->sub_labels.data + (size_t)i * tab->sub_labels_nr;
	sub->result = add_row(f, rawtab_row(tab, sub->row), labels, sub->samples, sub->value, sub->weight);
}

/*
 * Every worker has its rows in the order of their first samples; taken together in that order, all tables of the profile
 * come out the same whichever thread took which slice. Equal rows of several workers meet in the profile.
 */
static void add_all_rows(struct fill *f, struct worker *workers, unsigned n)
{
	for (;;) {
		uint64_t least = UINT64_MAX;
		unsigned best = 0;
		for (unsigned i = 0; i < n; i++) {
			uint64_t place = next_place(&workers[i], &f->all[i]);
			if (place < least) {
				least = place;
				best = i;
			}
		}
		if (least == UINT64_MAX)
			return;
		f->w = &workers[best];
		f->of = &f->all[best];
		add_next(f);
	}
}

static void take_log(struct profile *p, struct worker *workers, unsigned n)
{
	VEC(struct sort_pair) order = {};
	for (unsigned i = 0; i < n; i++) {
		for (size_t j = 0; j < workers[i].log.len; j++) {
			struct sort_pair pair = { .key = workers[i].log.data[j].time_ns, .value = (uint64_t)i << 40 | j };
			vec_push(&order, pair);
		}
		p->log_dropped += workers[i].log_dropped;
	}
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++) {
		const struct worker *w = &workers[order.data[i].value >> 40];
		struct profile_log_entry e = w->log.data[order.data[i].value & ((1ull << 40) - 1)];
		e.row = w->sub_columns ? w->tab.subs.data[e.row].result : (uint32_t)rawtab_row(&w->tab, e.row)->hash;
		if (e.row != PROFILE_NONE)
			vec_push(&p->log, e);
	}
	vec_deinit(&order);
}

static void fill_init(struct fill *f, struct worker *workers, unsigned n)
{
	struct resolver *r = f->r;
	f->all = xcalloc(n, sizeof(*f->all));
	for (unsigned i = 0; i < n; i++) {
		f->all[i].frames = xcalloc(workers[i].tab.frames.len + 1, sizeof(*f->all[i].frames));
		f->all[i].bytes = xcalloc(workers[i].tab.bytes.len + 1, sizeof(*f->all[i].bytes));
		f->all[i].labels = xcalloc((size_t)workers[i].groups_nr + 1, sizeof(*f->all[i].labels));
	}
	f->comms = xcalloc(machine_strings(r->machine)->strings.len + 1, sizeof(*f->comms));
	f->labels = xcalloc(r->columns_nr + 1, sizeof(*f->labels));
	for (uint32_t i = 0; i < r->columns_nr; i++)
		profile_column(f->p, r->columns[i].name, r->columns[i].key->type);
}

static void fill_deinit(struct fill *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		free(f->all[i].frames);
		free(f->all[i].bytes);
		free(f->all[i].labels);
	}
	free(f->all);
	vec_deinit(&f->mappings);
	vec_deinit(&f->cached);
	free(f->comms);
	vec_deinit(&f->path);
	vec_deinit(&f->last_path);
	vec_deinit(&f->last_nodes);
	free(f->labels);
}

struct profile *fill_profile(struct resolver *r, struct worker *workers, unsigned n)
{
	struct fill f = { .r = r, .p = profile_create() };
	fill_init(&f, workers, n);
	add_events(&f);
	add_all_rows(&f, workers, n);
	if (r->options.keep_time_log)
		take_log(f.p, workers, n);
	if (r->stats.last_ns) {
		f.p->start_ns = r->stats.first_ns;
		f.p->duration_ns = r->stats.last_ns - r->stats.first_ns;
	}
	fill_deinit(&f, n);
	return f.p;
}
