#include "analysis/lock_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "decode/tracepoint.h"

enum lock_event { NO_LOCK_EVENT, BEGIN, END, ACQUIRE, ACQUIRED, CONTENDED, RELEASE, LOCK_EVENTS };

static const char *const event_names[LOCK_EVENTS] = {
	[BEGIN] = "contention_begin",
	[END] = "contention_end",
	[ACQUIRE] = "lock_acquire",
	[ACQUIRED] = "lock_acquired",
	[CONTENDED] = "lock_contended",
	[RELEASE] = "lock_release",
};

/* An event of the recording, and the offsets of its fields. */
struct reader {
	enum lock_event kind;
	const struct tracepoint_field *address, *flags, *name;
};

/* A distinct call chain, with its caller and the result of -S. */
struct known_stack {
	uint64_t key;
	const char *caller;
	const uint64_t *words; /* of the kernel */
	uint32_t words_nr;
	bool is_chosen;
};

struct lock_replay {
	struct lock_replay_request q;
	struct session session;
	struct arena arena;
	struct lock_choice choice;
	struct lock_symbols symbols;
	struct lock_waits waits;
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	bool has_events;            /* has events that are read */
	bool is_ready;
	struct u64map stack_by_hash;
	VEC(struct known_stack) stacks;
	struct u64map comms; /* by tid: const char * */
};

/* ---- the recording's events ---- */

static void add_reader(void *ctx, const struct env_event *e)
{
	struct lock_replay *r = ctx;
	struct reader d = {};
	const struct tracepoint *point = tracepoints_of_event(r->formats, e);
	if (point && !strcmp(point->system, "lock"))
		for (int i = BEGIN; i < (r->q.with_lockdep ? LOCK_EVENTS : ACQUIRE); i++)
			if (!strcmp(point->name, event_names[i]))
				d.kind = (enum lock_event)i;
	if (d.kind) {
		d.address = tracepoint_field(point, d.kind < ACQUIRE ? "lock_addr" : "lockdep_addr");
		d.flags = tracepoint_field(point, "flags");
		d.name = tracepoint_field(point, "name");
	}
	if (!d.address)
		d.kind = NO_LOCK_EVENT;
	vec_push(&r->readers, d);
	r->has_events |= d.kind != 0;
}

static struct strobe_error *read_events(struct lock_replay *r)
{
	return tracepoints_learn_events(&r->formats, r->session.env, r->readers.len, add_reader, r);
}

/* The kernel's mapping is a record, which precedes all samples. */
static struct strobe_error *make_ready(struct lock_replay *r)
{
	if (r->is_ready)
		return NULL;
	r->is_ready = true;
	TRY(read_events(r));
	lock_symbols_load(&r->symbols, lock_symbols_kernel(r->session.resolver));
	return lock_choice_find(&r->choice, &r->symbols);
}

static const struct reader *reader_of(const struct lock_replay *r, const struct sample *s)
{
	return s->event < r->readers.len && r->readers.data[s->event].kind ? &r->readers.data[s->event] : NULL;
}

static uint64_t field(const struct lock_replay *r, const struct tracepoint_field *f, const struct sample *s)
{
	return f ? field_number(r->formats, f, s->raw, s->raw_bytes) : 0;
}

/* ---- stacks ---- */

static uint64_t stack_hash(const struct resolved_sample *s)
{
	return hash_u64s(s->sample.callchain, s->sample.callchain_nr, hash_u64(s->chain_space));
}

/* Frames are looked up at the beginning of a wait, once for each stack. */
static bool knows_stack(void *ctx, const struct resolved_sample *s)
{
	const struct lock_replay *r = ctx;
	const struct reader *d = reader_of(r, &s->sample);
	return r->is_ready && (!d || d->kind != BEGIN || u64map_get(&r->stack_by_hash, stack_hash(s)));
}

static const char *caller_name(struct lock_replay *r, const struct resolved_frame *f)
{
	uint64_t offset = f->addr - f->symbol->start;
	const char *name = dso_symbol_name(f->dso, f->symbol);
	return offset ? arena_printf(&r->arena, "%s+%#" PRIx64, name, offset) : arena_strdup(&r->arena, name);
}

/* The innermost frame outside of the lock functions. */
static const char *find_caller(struct lock_replay *r, const struct resolved_sample *s)
{
	for (uint32_t i = (uint32_t)r->q.question.skip; i < s->chain_nr && i < r->q.question.max_stack; i++)
		if (s->chain[i].symbol && !lock_symbols_is_lock(&r->symbols, s->chain[i].ip))
			return caller_name(r, &s->chain[i]);
	return "Unknown";
}

/* The key is the caller and its callers, including user space, by address. */
static void take_words(struct lock_replay *r, const struct sample *s, struct known_stack *k)
{
	uint64_t *words = arena_new_array(&r->arena, uint64_t, s->callchain_nr + 1);
	bool is_kernel = true;
	k->words = words;
	for (uint64_t i = 0, frame = 0; i < s->callchain_nr && frame < r->q.question.max_stack; i++) {
		uint64_t ip = s->callchain[i];
		if (ip >= PERF_CONTEXT_MAX) {
			is_kernel = ip == PERF_CONTEXT_KERNEL;
			continue;
		}
		if (is_kernel)
			words[k->words_nr++] = ip;
		if (frame++ >= r->q.question.skip && !(is_kernel && lock_symbols_is_lock(&r->symbols, ip)))
			k->key = hash_combine(k->key, ip);
	}
}

static const struct known_stack *stack_of(struct lock_replay *r, const struct resolved_sample *s)
{
	bool is_new;
	uint64_t *at = u64map_put(&r->stack_by_hash, stack_hash(s), &is_new);
	if (!is_new)
		return &r->stacks.data[*at];
	*at = r->stacks.len;
	struct known_stack k = { .key = 0 };
	take_words(r, &s->sample, &k);
	k.caller = find_caller(r, s);
	k.is_chosen = lock_choice_has_stack(&r->choice, &r->symbols, k.words, k.words_nr);
	vec_push(&r->stacks, k);
	return &vec_last(&r->stacks);
}

/* ---- events ---- */

static const char *lock_name(const struct lock_replay *r, uint64_t address)
{
	const struct symbol *s = lock_symbols_at(&r->symbols, address);
	return s ? s->raw_name : "";
}

static uint64_t key_of(const struct lock_replay *r, const struct sample *s, uint64_t address, const struct known_stack *k)
{
	switch (r->q.question.by) {
	case LOCK_BY_THREAD:
		return s->tid;
	case LOCK_BY_LOCK:
		return address;
	default:
		return k ? k->key : 0;
	}
}

static void begin(struct lock_replay *r, const struct resolved_sample *s, const struct reader *d, uint64_t address)
{
	const struct known_stack *k = stack_of(r, s);
	uint32_t flags = (uint32_t)field(r, d->flags, &s->sample);
	bool is_new;
	if (!lock_choice_has(&r->choice, address, flags) || !k->is_chosen)
		return;
	size_t at = lock_waits_stat(&r->waits, key_of(r, &s->sample, address, k), &is_new);
	struct lock_stat *st = &r->waits.stats.data[at];
	if (is_new) {
		st->address = address;
		st->flags = flags;
		st->stack = k->words;
		st->stack_nr = k->words_nr;
		st->name = r->q.question.by == LOCK_BY_CALLER ? k->caller : lock_name(r, address);
	}
	lock_waits_begin(&r->waits, at, s->sample.tid, address, s->sample.time);
}

static void take_lockdep(struct lock_replay *r, const struct sample *s, const struct reader *d, uint64_t address)
{
	bool is_new;
	size_t at = lock_waits_stat(&r->waits, key_of(r, s, address, NULL), &is_new);
	struct lock_stat *st = &r->waits.stats.data[at];
	if (is_new) {
		struct field_span name = d->name ? field_bytes(r->formats, d->name, s->raw, s->raw_bytes) : (struct field_span){};
		st->address = address;
		st->name = arena_strndup(&r->arena, (const char *)name.data, name.data ? strnlen((const char *)name.data, name.bytes) : 0);
	}
	switch (d->kind) {
	case ACQUIRE:
		lock_waits_acquire(&r->waits, at, s->tid, address, s->time, (uint32_t)field(r, d->flags, s));
		break;
	case ACQUIRED:
		lock_waits_acquired(&r->waits, at, s->tid, address, s->time);
		break;
	case CONTENDED:
		lock_waits_contended(&r->waits, at, s->tid, address, s->time);
		break;
	default:
		lock_waits_release(&r->waits, at, s->tid, address);
	}
}

static void keep_comm(struct lock_replay *r, uint32_t tid, const char *comm)
{
	uint64_t *at = u64map_put(&r->comms, tid, NULL);
	if (!*at || strcmp((const char *)(uintptr_t)*at, comm) != 0)
		*at = (uintptr_t)arena_strdup(&r->arena, comm);
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct lock_replay *r = ctx;
	TRY(make_ready(r));
	const struct reader *d = reader_of(r, &s->sample);
	if (!d)
		return NULL;
	uint64_t address = field(r, d->address, &s->sample);
	/* Nothing is known of a wait that began before the recording, not even its thread. */
	if (d->kind != END || u64map_get(&r->comms, s->sample.tid))
		keep_comm(r, s->sample.tid, s->comm);
	if (d->kind == BEGIN)
		begin(r, s, d, address);
	else if (d->kind == END)
		lock_waits_end(&r->waits, s->sample.tid, address, s->sample.time);
	else
		take_lockdep(r, &s->sample, d, address);
	return NULL;
}

/* An exec after the last event of a thread renames it, too. */
static struct strobe_error *take_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct lock_replay *r = ctx;
	struct record_comm comm;
	struct record_task task;
	(void)time_ns;
	if (rec.hdr->type == PERF_RECORD_COMM && record_decode_comm(rec, &comm) && u64map_get(&r->comms, comm.tid))
		keep_comm(r, comm.tid, comm.comm);
	if (rec.hdr->type == PERF_RECORD_LOST || rec.hdr->type == PERF_RECORD_LOST_SAMPLES)
		lock_waits_gap(&r->waits);
	if (rec.hdr->type == PERF_RECORD_EXIT && record_decode_task(rec, &task))
		lock_waits_thread_ended(&r->waits, task.tid);
	return NULL;
}

/* ---- the whole ---- */

static struct strobe_error *replay(struct lock_replay *r)
{
	struct session_request request = {
		.choice = r->q.choice,
		.symbols = r->q.symbols,
		.resolve = { .with_chains = true, .max_stack = (uint32_t)r->q.question.max_stack },
	};
	struct resolve_callbacks callbacks = { .sample = take_sample, .record = take_record, .knows_stack = knows_stack, .ctx = r };
	TRY(lock_choice_parse(&r->q.question, &r->choice));
	TRY(session_open(&r->session, r->q.host, r->q.input, r->q.force));
	TRY(session_resolve(&r->session, &request));
	struct strobe_error *err = resolve_stream(r->session.resolver, callbacks);
	lock_waits_finish(&r->waits);
	err = error_first(err, read_events(r));
	if (!err && !r->has_events)
		return error_create(ERROR_NOT_FOUND, "this recording has no lock events: record them with 'lock record'");
	return err;
}

struct strobe_error *lock_replay_run(const struct lock_replay_request *q, struct lock_replay **ret)
{
	struct lock_replay *r = *ret = xcalloc(1, sizeof(*r));
	r->q = *q;
	return replay(r);
}

void lock_replay_destroy(struct lock_replay *r)
{
	if (!r)
		return;
	lock_waits_deinit(&r->waits);
	lock_choice_deinit(&r->choice);
	tracepoints_destroy(r->formats);
	vec_deinit(&r->readers);
	vec_deinit(&r->stacks);
	u64map_deinit(&r->stack_by_hash);
	u64map_deinit(&r->comms);
	session_close(&r->session);
	arena_deinit(&r->arena);
	free(r);
}

const struct lock_waits *lock_replay_waits(const struct lock_replay *r)
{
	return &r->waits;
}

const struct lock_symbols *lock_replay_symbols(const struct lock_replay *r)
{
	return &r->symbols;
}

const char *lock_replay_comm(const struct lock_replay *r, uint32_t tid)
{
	const uint64_t *at = u64map_get(&r->comms, tid);
	return at ? (const char *)(uintptr_t)*at : "";
}

void lock_replay_each_thread(const struct lock_replay *r, void (*fn)(void *ctx, uint32_t tid, const char *comm), void *ctx)
{
	VEC(struct sort_pair) tids = {};
	for (size_t i = 0; r->comms.slots && i <= r->comms.mask; i++)
		if (r->comms.slots[i].used)
			vec_push(&tids, ((struct sort_pair){ r->comms.slots[i].key, r->comms.slots[i].value }));
	sort_pairs(tids.data, tids.len);
	for (size_t i = 0; i < tids.len; i++)
		fn(ctx, (uint32_t)tids.data[i].key, (const char *)(uintptr_t)tids.data[i].value);
	vec_deinit(&tids);
}

void lock_replay_remarks(const struct lock_replay *r)
{
	session_remarks(&r->session, false);
	if (r->waits.unknown)
		session_say(r->q.host, "the ends of %" PRIu64 " waits are unknown: they count as contended, without their times",
			    r->waits.unknown);
}
