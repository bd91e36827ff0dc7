/*
 * Raw rows of all workers → a profile: each distinct stack, label set and piece of tracepoint data is resolved once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "resolve/chain.h"
#include "resolve/resolver_priv.h"

#define STACK_UNKNOWN 0          /* in stack_nodes: not resolved yet */
#define STACK_DROPPED UINT32_MAX /* its leaf has no symbol, and those are to be hidden */

struct fill {
	struct resolver *r;
	struct profile *p;
	struct rawtab *tab; /* of all workers */
	VEC(frame_id) frames;       /* by index in the frame cache: frame + 1 */
	VEC(mapping_id) mappings;   /* by mapped_file.id: mapping + 1 */
	str_id *comms;              /* by string of the machine: string + 1 */
	uint64_t *bytes;            /* by raw bytes: string + 1 */
	uint64_t *stack_nodes;      /* by raw stack: node + 1 */
	struct chain_entry *entries;
	VEC(frame_id) path, last_path; /* outermost first */
	VEC(stack_id) last_nodes;
	uint64_t *labels;
};

/* ---- equal rows of several workers become one ---- */

static bool is_bytes(const struct column *c)
{
	return c->key->id == KEY_TRACE || c->key->id == KEY_TRACE_FIELD;
}

/* Each worker numbers tracepoint bytes for itself: those of others get the first worker's numbers. */
static uint32_t *translate_bytes(struct rawtab *to, const struct rawtab *from)
{
	uint32_t *ids = xcalloc(from->bytes.len + 1, sizeof(*ids));
	for (size_t i = 0; i < from->bytes.len; i++) {
		const struct raw_bytes *b = &from->bytes.data[i];
		ids[i] = rawtab_bytes(to, raw_bytes_hash(b), b);
	}
	return ids;
}

/* Returns the new row of each. */
static uint32_t *add_rows(struct resolver *r, struct rawtab *to, struct rawtab *from)
{
	uint32_t *bytes = r->has_trace ? translate_bytes(to, from) : NULL;
	uint32_t *rows = xcalloc(from->rows.len + 1, sizeof(*rows));
	for (uint32_t i = 0; i < from->rows.len; i++) {
		const struct raw_row *row = &from->rows.data[i];
		uint64_t *labels = from->labels.data + (size_t)i * r->columns_nr;
		for (uint32_t c = r->thread_columns; bytes && c < r->columns_nr; c++)
			if (is_bytes(&r->columns[c]) && labels[c])
				labels[c] = (uint64_t)bytes[labels[c] - 1] + 1;
		struct raw_key k = {
			.hash = row->hash,
			.stack_hash = from->stacks.data[row->stack].hash,
			.ip = row->words[0],
			.context = row->words[1],
			.chain = row->words + RAW_HEAD,
			.chain_nr = row->words_nr - RAW_HEAD,
			.event = row->event,
			.labels = labels,
		};
		rows[i] = rawtab_row(to, &k, row->first);
		struct raw_row *sum = &to->rows.data[rows[i]];
		sum->samples += row->samples;
		sum->value += row->value;
		sum->weight += row->weight;
		if (row->first < sum->first)
			sum->first = row->first;
	}
	free(bytes);
	return rows;
}

static void merge_workers(struct resolver *r, struct worker *workers, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		uint32_t *rows = add_rows(r, &workers[0].tab, &workers[i].tab);
		for (size_t j = 0; j < workers[i].log.len; j++) {
			struct profile_log_entry e = workers[i].log.data[j];
			e.row = rows[e.row];
			vec_push(&workers[0].log, e);
		}
		workers[0].log_dropped += workers[i].log_dropped;
		free(rows);
	}
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

static frame_id frame_of(struct fill *f, uint32_t space, struct chain_entry e, bool is_caller)
{
	struct frame_cache *c = &f->r->frames;
	uint32_t i = frame_cache_find(c, space, e.cpumode, e.ip, is_caller);
	while (__builtin_expect(f->frames.len <= i, 0))
		vec_push(&f->frames, 0);
	if (!f->frames.data[i])
		f->frames.data[i] = make_frame(f, &c->frames.data[i], f->r->options.by_address) + 1;
	return f->frames.data[i] - 1;
}

/* Data and branch addresses keep their exact address: a column may show it. 0 is no address. */
static uint64_t address_label(struct fill *f, uint32_t space, uint64_t address)
{
	if (!address)
		return PROFILE_NONE;
	struct frame_cache *c = &f->r->frames;
	uint32_t i = frame_cache_find(c, space, CPUMODE_UNKNOWN, address, false);
	return make_frame(f, &c->frames.data[i], true);
}

/* ---- stacks ---- */

/* Frames of a raw stack, outermost first, into f->path. False where its leaf is unresolved and such are hidden. */
static bool find_path(struct fill *f, const struct raw_stack *s)
{
	const struct resolve_options *o = &f->r->options;
	uint32_t space = raw_context_space(s->words[1]);
	uint32_t n = chain_expand(s->words + RAW_HEAD, s->words_nr - RAW_HEAD, s->words[0], raw_context_cpumode(s->words[1]),
				  o->max_stack, f->entries);
	vec_clear(&f->path);
	for (uint32_t i = n; i-- > 0;) {
		frame_id id = frame_of(f, space, f->entries[i], i > 0);
		bool unresolved = o->hide_unresolved && f->p->frames.data[id].function == PROFILE_NONE;
		if (unresolved && !i)
			return false;
		if (!unresolved)
			vec_push(&f->path, id);
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
static bool stack_of(struct fill *f, uint32_t stack, stack_id *ret)
{
	uint64_t *memo = &f->stack_nodes[stack];
	if (*memo == STACK_UNKNOWN)
		*memo = find_path(f, &f->tab->stacks.data[stack]) ? (uint64_t)intern_path(f) + 1 : (uint64_t)STACK_DROPPED + 2;
	if (*memo == (uint64_t)STACK_DROPPED + 2)
		return false;
	*ret = (stack_id)(*memo - 1);
	return true;
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
	uint64_t *memo = &f->bytes[raw - 1];
	if (*memo)
		return *memo - 1;
	const struct raw_bytes *b = &f->tab->bytes.data[raw - 1];
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

static labels_id labels_of(struct fill *f, const struct raw_row *row, const uint64_t *raw)
{
	for (uint32_t i = 0; i < f->r->columns_nr; i++) {
		enum key_id id = f->r->columns[i].key->id;
		if (id == KEY_COMM)
			f->labels[i] = comm_label(f, (str_id)raw[i]);
		else if (is_bytes(&f->r->columns[i]))
			f->labels[i] = bytes_label(f, i, raw[i]);
		else if (id == KEY_CGROUP)
			f->labels[i] = cgroup_label(f, raw[i]);
		else if (f->r->columns[i].key->type == COLUMN_FRAME)
			f->labels[i] = address_label(f, raw_context_space(row->words[1]), raw[i]);
		else
			f->labels[i] = raw[i];
	}
	return profile_labels(f->p, f->labels);
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

/* Rows in the order in which their first samples stood in the input. */
static struct sort_pair *row_order(const struct rawtab *tab)
{
	struct sort_pair *order = xreallocarray(NULL, tab->rows.len + 1, sizeof(*order));
	for (size_t i = 0; i < tab->rows.len; i++)
		order[i] = (struct sort_pair){ .key = tab->rows.data[i].first, .value = i };
	sort_pairs(order, tab->rows.len);
	return order;
}

static void take_log(struct profile *p, struct worker *w, const uint32_t *rows)
{
	struct sort_pair *order = xreallocarray(NULL, w->log.len + 1, sizeof(*order));
	for (size_t i = 0; i < w->log.len; i++)
		order[i] = (struct sort_pair){ .key = w->log.data[i].time_ns, .value = i };
	sort_pairs(order, w->log.len);
	for (size_t i = 0; i < w->log.len; i++) {
		struct profile_log_entry e = w->log.data[order[i].value];
		e.row = rows[e.row];
		if (e.row != PROFILE_NONE)
			vec_push(&p->log, e);
	}
	p->log_dropped = w->log_dropped;
	free(order);
}

static void add_all_rows(struct fill *f, struct worker *w)
{
	struct rawtab *tab = f->tab;
	struct sort_pair *order = row_order(tab);
	uint32_t *rows = w->log_max ? xcalloc(tab->rows.len + 1, sizeof(*rows)) : NULL;
	for (size_t i = 0; i < tab->rows.len; i++) {
		uint32_t at = (uint32_t)order[i].value, id = PROFILE_NONE;
		const struct raw_row *row = &tab->rows.data[at];
		stack_id stack;
		if (stack_of(f, row->stack, &stack)) {
			labels_id labels = labels_of(f, row, tab->labels.data + (size_t)at * f->r->columns_nr);
			id = profile_add(f->p, stack, labels, row->event, row->samples, row->value, row->weight);
		} else {
			f->r->stats.unresolved_samples += row->samples;
		}
		if (rows)
			rows[at] = id;
	}
	if (rows)
		take_log(f->p, w, rows);
	free(rows);
	free(order);
}

static void fill_deinit(struct fill *f)
{
	vec_deinit(&f->frames);
	vec_deinit(&f->mappings);
	free(f->comms);
	free(f->bytes);
	free(f->stack_nodes);
	free(f->entries);
	vec_deinit(&f->path);
	vec_deinit(&f->last_path);
	vec_deinit(&f->last_nodes);
	free(f->labels);
}

struct profile *fill_profile(struct resolver *r, struct worker *workers, unsigned n)
{
	struct fill f = { .r = r, .p = profile_create(), .tab = &workers[0].tab };
	merge_workers(r, workers, n);
	f.comms = xcalloc(machine_strings(r->machine)->strings.len + 1, sizeof(*f.comms));
	f.bytes = xcalloc(f.tab->bytes.len + 1, sizeof(*f.bytes));
	f.stack_nodes = xcalloc(f.tab->stacks.len + 1, sizeof(*f.stack_nodes));
	f.entries = xcalloc((size_t)r->options.max_stack + 1, sizeof(*f.entries));
	f.labels = xcalloc(r->columns_nr + 1, sizeof(*f.labels));
	for (uint32_t i = 0; i < r->columns_nr; i++)
		profile_column(f.p, r->columns[i].name, r->columns[i].key->type);
	add_events(&f);
	add_all_rows(&f, &workers[0]);
	if (r->stats.last_ns) {
		f.p->start_ns = r->stats.first_ns;
		f.p->duration_ns = r->stats.last_ns - r->stats.first_ns;
	}
	fill_deinit(&f);
	return f.p;
}
