#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "record/order.h"
#include "resolve/chain/chain.h"
#include "resolve/resolver_priv.h"
#include "unwind/tables.h"

bool resolve_key_known(const char *name)
{
	return key_find(name) != NULL;
}

bool resolve_has_calls(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (attr_has_calls(&env->events.data[i].attr))
			return true;
	return false;
}

/* Columns of threads come first, so that their values are copied at once. */
static void take_columns(struct resolver *r, const struct resolve_options *o)
{
	r->columns = arena_new_array(&r->arena, struct column, o->label_keys_nr + 1);
	for (int of_thread = 1; of_thread >= 0; of_thread--) {
		for (uint32_t i = 0; i < o->label_keys_nr; i++) {
			const struct key *key = key_find(o->label_keys[i]);
			if (!key || key_is_of_thread(key->id) != of_thread)
				continue;
			struct column *c = &r->columns[r->columns_nr++];
			*c = (struct column){ .key = key, .name = arena_strdup(&r->arena, o->label_keys[i]) };
			if (key->id == KEY_TRACE_FIELD) {
				const char *field = strchr(c->name, ':') + 1, *slash = strchr(field, '/');
				c->field = arena_strndup(&r->arena, field, slash ? (size_t)(slash - field) : strlen(field));
				c->raw = slash != NULL;
			}
			r->has_trace |= key->id == KEY_TRACE || key->id == KEY_TRACE_FIELD;
			r->has_parallelism |= key->id == KEY_PARALLELISM;
			r->has_full |= key_needs_full_decode(key->id);
		}
		if (of_thread)
			r->thread_columns = r->columns_nr;
	}
}

/* Whether records can be sorted by time; else they are in order of arrival. */
static bool resolver_has_clock(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct perf_event_attr *a = &env->events.data[i].attr;
		if (!a->sample_id_all || !(a->sample_type & PERF_SAMPLE_TIME))
			return false;
	}
	return env->events.len > 0;
}

struct resolver *resolver_create(struct record_source *source, struct symbols_options symbols, struct resolve_options options)
{
	struct resolver *r = xcalloc(1, sizeof(*r));
	arena_init(&r->arena);
	r->source = source;
	r->env = source_env(source);
	r->options = options;
	if (!r->options.max_stack || r->options.max_stack > CHAIN_MAX)
		r->options.max_stack = CHAIN_MAX;
	r->machine = machine_create(r->env);
	r->symbols = symbols_create(r->env, symbols);
	r->symbols_options = symbols;
	jit_init(&r->jit, r->env, r->machine, r->symbols);
	filter_init(&r->filter, &options.filter, r->machine);
	r->options.filter = (struct resolve_filter){};
	take_columns(r, &options);
	r->options.label_keys = NULL;
	frame_cache_init(&r->frames, r->machine, r->symbols);
	return r;
}

void resolver_destroy(struct resolver *r)
{
	if (!r)
		return;
	frame_cache_deinit(&r->frames);
	jit_deinit(&r->jit);
	deferred_deinit(&r->deferred);
	stitches_deinit(&r->stitches);
	filter_deinit(&r->filter);
	tracepoints_destroy(r->tracepoints);
	unwind_tables_destroy(r->tables);
	u64map_deinit(&r->reach.tops);
	u64map_deinit(&r->reach.lows);
	symbols_destroy(r->symbols);
	machine_destroy(r->machine);
	members_deinit(&r->members);
	parallelism_deinit(&r->parallelism);
	vec_deinit(&r->places);
	free(r->event_stats);
	arena_deinit(&r->arena);
	free(r);
}

struct machine *resolver_machine(struct resolver *r)
{
	return r->machine;
}

struct symbols *resolver_symbols(struct resolver *r)
{
	return r->symbols;
}

void resolver_use_addresses(struct resolver *r)
{
	r->options.by_address = true;
}

const struct resolve_stats *resolver_stats(const struct resolver *r)
{
	return &r->stats;
}

struct tracepoints *resolver_tracepoints(struct resolver *r)
{
	if (!r->tracepoints)
		r->tracepoints = tracepoints_read_whole(r->env);
	return r->tracepoints;
}

static void attach(struct resolver *r, struct machine *m)
{
	if (r->symbols_options.processes)
		r->symbols_options.processes->attach(r->symbols_options.processes_ctx, m);
}

void resolver_apply_in_order(struct resolver *r, bool in_order)
{
	jit_start(&r->jit, in_order);
	attach(r, in_order ? r->machine : NULL);
}

void resolver_seal(struct resolver *r)
{
	jit_finish(&r->jit);
	machine_seal(r->machine);
	attach(r, r->machine);
}

/* Maximum numbers of unused files and names before files are dropped. */
#define FORGOTTEN_FILES   256
#define FORGOTTEN_STRINGS 20000
/* Some 20 MB: large programs have many symbols, and some are run only once. */
#define FORGOTTEN_SYMBOLS 500000

/* Files get new numbers: everything indexed by them is reset. */
static void forget_files(struct resolver *r, uint64_t before_ns)
{
	VEC(const char *) comms = {};
	struct strtab names;
	strtab_init(&names);
	for (uint32_t i = 0; i < r->filter.comms.nr; i++) {
		str_id id = strtab_add(&names, strtab_get(machine_strings(r->machine), r->filter.comms.ids[i]));
		vec_push(&comms, strtab_get(&names, id));
	}
	unwind_tables_destroy(r->tables);
	r->tables = NULL;
	vec_clear(&r->places);
	symbols_destroy(r->symbols);
	machine_forget_ended(r->machine, before_ns, true);
	r->symbols = symbols_create(r->env, r->symbols_options);
	r->symbols_max = 0;
	jit_deinit(&r->jit);
	jit_init(&r->jit, r->env, r->machine, r->symbols);
	filter_set_comms(&r->filter, comms.data, (uint32_t)comms.len, r->machine);
	vec_deinit(&comms);
	strtab_deinit(&names);
}

void resolver_forget_frames(struct resolver *r)
{
	frame_cache_deinit(&r->frames);
	frame_cache_init(&r->frames, r->machine, r->symbols);
}

/* Twice the number at the last time that files were dropped, and now. */
static bool holds_too_many(struct resolver *r)
{
	uint64_t held = symbols_held(r->symbols);
	if (!r->symbols_max)
		r->symbols_max = 2 * held > FORGOTTEN_SYMBOLS ? 2 * held : FORGOTTEN_SYMBOLS;
	return held > r->symbols_max;
}

void resolver_forget_ended(struct resolver *r, uint64_t before_ns)
{
	frame_cache_deinit(&r->frames);
	u64map_deinit(&r->reach.tops);
	u64map_deinit(&r->reach.lows);
	uint32_t mapped = machine_forget_ended(r->machine, before_ns, false);
	if (holds_too_many(r) || machine_files_count(r->machine) > 2 * (size_t)mapped + FORGOTTEN_FILES ||
	    machine_strings(r->machine)->strings.len > 2 * (size_t)mapped + 2 * machine_threads_count(r->machine) + FORGOTTEN_STRINGS)
		forget_files(r, before_ns);
	frame_cache_init(&r->frames, r->machine, r->symbols);
}

void resolver_size_stats(struct resolver *r)
{
	uint32_t n = (uint32_t)r->env->events.len;
	if (n <= r->stats.events_nr && r->event_stats)
		return;
	r->event_stats = xreallocarray(r->event_stats, n + 1, sizeof(*r->event_stats));
	memset(r->event_stats + r->stats.events_nr, 0, (n + 1 - r->stats.events_nr) * sizeof(*r->event_stats));
	r->stats.events = r->event_stats;
	r->stats.events_nr = n;
}

void resolver_start(struct resolver *r)
{
	stitches_deinit(&r->stitches);
	if (r->options.stitch_calls)
		stitches_init(&r->stitches, r->env);
	r->stats = (struct resolve_stats){};
	members_deinit(&r->members);
	parallelism_deinit(&r->parallelism);
	free(r->event_stats);
	r->event_stats = NULL;
	resolver_size_stats(r);
	r->no_clock = !resolver_has_clock(r->env);
	r->switches = r->options.switches;
	r->is_switched = r->switches.on || r->switches.off;
	event_switches_start(&r->switches);
}

void resolver_lap(uint64_t *from_ns, uint64_t *sum)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now_ns = timespec_ns(t);
	if (sum)
		*sum += now_ns - *from_ns;
	*from_ns = now_ns;
}

bool resolver_needs_order(const struct resolver *r)
{
	/* Differences of counts, running threads and earlier contents of branch registers require order of time. */
	return r->is_switched || members_in(r->env) || r->options.stitch_calls || r->has_parallelism;
}

bool resolver_chain_is_deep(const struct resolver *r, uint32_t event, const uint64_t *words, uint64_t words_nr)
{
	uint64_t user = 0, limit = r->env->events.data[event].attr.sample_max_stack;
	while (user < words_nr && words[user] != PERF_CONTEXT_USER)
		user++;
	return words_nr - user > RECORD_CHAIN_WALKED_MAX || (limit && words_nr >= limit);
}

/* Rewinds to the first record, if the source supports it. */
static struct strobe_error *resolver_rewind(struct resolver *r)
{
	return r->source->ops->rewind ? r->source->ops->rewind(r->source) : NULL;
}

/* order_create() takes ownership of its input, but ours is borrowed. */
struct borrowed {
	struct record_source source;
	struct record_source *real;
};

static struct strobe_error *borrowed_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	TRY(source_next(((struct borrowed *)s)->real, ret, ret_end));
	/* Each record has the position of the next one: see walk.c. */
	for (unsigned i = 0; !*ret_end && i < 3; i++)
		__builtin_prefetch((const char *)ret->hdr + WALK_PREFETCH_BYTES + i * 64);
	return NULL;
}

static const struct env *borrowed_env(struct record_source *s)
{
	return source_env(((struct borrowed *)s)->real);
}

static bool borrowed_stable(struct record_source *s)
{
	return source_is_stable(((struct borrowed *)s)->real);
}

static void borrowed_destroy(struct record_source *s)
{
	free(s);
}

static const struct record_source_ops borrowed_ops = {
	.next = borrowed_next,
	.env = borrowed_env,
	.stable = borrowed_stable,
	.destroy = borrowed_destroy,
};

static inline struct strobe_error *next_record(struct reading *reading, struct record *ret, uint64_t *ret_ns, bool *ret_end)
{
	struct resolver *r = reading->r;
	TRY(source_next(reading->from, ret, ret_end));
	if (*ret_end)
		return NULL;
	if (r->no_clock)
		*ret_ns = ++reading->place;
	else if (!env_record_time(r->env, *ret, ret_ns))
		*ret_ns = 0;
	if (*ret_ns >= r->jit.next_ns)
		jit_advance(&r->jit, *ret_ns);
	return NULL;
}

struct strobe_error *reading_next(struct reading *reading, struct record *ret, uint64_t *ret_ns, bool *ret_end)
{
	return next_record(reading, ret, ret_ns, ret_end);
}

static struct strobe_error *read_all(struct reading *reading, struct strobe_error *(*fn)(void *ctx, struct record rec, uint64_t time_ns),
				     void *ctx)
{
	struct record rec;
	bool end = false;
	uint64_t time_ns;
	for (;;) {
		TRY(next_record(reading, &rec, &time_ns, &end));
		if (end)
			return NULL;
		TRY(fn(ctx, rec, time_ns));
	}
}

/* Samples precede the deferred part of their chains, which is collected in a separate pass, if the source can be read twice. */
static struct strobe_error *note_deferred(struct resolver *r)
{
	struct record rec;
	bool end = false;
	if (!deferred_in(r->env) || !r->source->ops->rewind)
		return NULL;
	for (;;) {
		struct strobe_error *err = source_next(r->source, &rec, &end);
		if (err || end) {
			error_destroy(err); /* the main pass will report it */
			return resolver_rewind(r);
		}
		if (rec.hdr->type == RECORD_CALLCHAIN_DEFERRED)
			deferred_note(&r->deferred, r->env, rec);
	}
}

struct strobe_error *reading_open(struct reading *reading, struct resolver *r)
{
	*reading = (struct reading){};
	/* Streams have their events as records: with the first other record all are known. */
	TRY(resolver_rewind(r));
	resolver_apply_in_order(r, true);
	TRY(note_deferred(r));
	r->no_clock = r->env->events.len && !resolver_has_clock(r->env);
	reading->r = r;
	reading->from = r->source;
	if (r->no_clock)
		return NULL;
	struct borrowed *b = xcalloc(1, sizeof(*b));
	b->source.ops = &borrowed_ops;
	b->real = r->source;
	reading->from = order_create(&b->source);
	return NULL;
}

void reading_close(struct reading *reading)
{
	struct resolver *r = reading->r;
	if (!r)
		return;
	r->stats.unknown_id_samples += r->members.unknown;
	if (reading->from == r->source)
		return;
	r->stats.late_records = order_late(reading->from);
	r->stats.misdated_records = order_misdated(reading->from);
	source_destroy(reading->from);
}

struct strobe_error *resolver_read(struct resolver *r,
				   struct strobe_error *(*fn)(void *ctx, struct record rec, uint64_t time_ns), void *ctx)
{
	struct reading reading;
	TRY(reading_open(&reading, r));
	struct strobe_error *err = read_all(&reading, fn, ctx);
	reading_close(&reading);
	return err;
}
