#include "analysis/user_locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/wait.h"

/* The maximum number of frames that determine a use. */
#define USE_FRAMES 12

struct user_locks {
	struct lock_replay_request q;
	struct session session;
	struct arena arena;
	struct lock_waits waits;
	struct lock_choice choice; /* addresses, names, functions */
	unsigned kinds;            /* bits by enum futex_kind; 0: all */
	struct u64map names;       /* of locks, by process and address: const char * */
	VEC(uint64_t) longest;     /* by stat: the wait whose details it shows */
	bool has_event;
};

/* A wait, or several at one place. */
struct user_wait {
	const struct resolved_sample *s;
	struct wait_payload payload;
	struct futex_use use;
	uint64_t address; /* of the object */
	const char *lock, *caller;
	uint32_t owner;
};

/* ---- names of locks ---- */

struct lock_search {
	struct user_locks *u;
	uint64_t address;
	const char *ret;
};

static const char *name_in(struct user_locks *u, struct dso *dso, const struct map *map, uint64_t address)
{
	const struct symbol *s = dso_symbol(dso, address);
	if (!s || address >= s->end)
		return arena_printf(&u->arena, "%s+%#" PRIx64, map->file->name, address);
	if (address > s->start)
		return arena_printf(&u->arena, "%s+%#" PRIx64, dso_symbol_name(dso, s), address - s->start);
	return arena_strdup(&u->arena, dso_symbol_name(dso, s));
}

/* Recordings need to have only the mappings of code. */
static bool search_map(void *ctx, const struct map *map)
{
	struct lock_search *l = ctx;
	uint64_t address;
	if (map->file->kind != MAPPED_FILE)
		return true;
	struct dso *dso = symbols_dso(resolver_symbols(l->u->session.resolver), map->file);
	if (dso_holds(dso, map, l->address, &address))
		l->ret = name_in(l->u, dso, map, address);
	return !l->ret;
}

static const char *name_of_lock(struct user_locks *u, const struct resolved_sample *s, uint64_t address)
{
	bool is_new;
	uint64_t *at = u64map_put(&u->names, hash_combine(hash_u64(s->sample.pid), address), &is_new);
	if (is_new) {
		struct lock_search l = { .u = u, .address = address };
		machine_each_map(resolver_machine(u->session.resolver), s->thread, s->sample.time, search_map, &l);
		*at = (uintptr_t)(l.ret ? l.ret : "");
	}
	return (const char *)(uintptr_t)*at;
}

/* ---- stacks ---- */

static const char *frame_name(const struct resolved_frame *f)
{
	return f->symbol ? dso_symbol_name(f->dso, f->symbol) : NULL;
}

static struct user_stack_names names_of(struct user_locks *u, const struct resolved_frame *chain, uint32_t nr)
{
	const char **names = arena_new_array(&u->arena, const char *, nr + 1);
	uint64_t *ips = arena_new_array(&u->arena, uint64_t, nr + 1);
	for (uint32_t i = 0; i < nr; i++) {
		const char *name = frame_name(&chain[i]);
		ips[i] = chain[i].ip;
		names[i] = name ? arena_strdup(&u->arena, name) : arena_printf(&u->arena, "%#" PRIx64, chain[i].ip);
	}
	return (struct user_stack_names){ ips, names, nr };
}

/* Resolves a stack in the payload as of the sample's time, in the same process or that of the waker. */
static struct user_stack_names look_up(struct user_locks *u, const struct resolved_sample *s, uint32_t pid, uint32_t tid,
				       const uint64_t *ips, uint32_t nr)
{
	uint64_t words[WAIT_WAKER_MAX + 1] = { PERF_CONTEXT_USER };
	struct sample sample = { .pid = pid, .tid = tid, .time = s->sample.time, .callchain = words, .callchain_nr = nr + 1,
				 .misc = PERF_RECORD_MISC_USER };
	struct resolved_sample found;
	if (!nr)
		return (struct user_stack_names){};
	memcpy(words + 1, ips, nr * sizeof(*words));
	sample.ip = words[1];
	resolver_look_up(u->session.resolver, &sample, &found);
	return names_of(u, found.chain, found.chain_nr);
}

static void find_use(struct user_locks *u, struct user_wait *w)
{
	const struct resolved_sample *s = w->s;
	const char *names[USE_FRAMES];
	uint32_t nr = s->chain_nr < USE_FRAMES ? s->chain_nr : USE_FRAMES;
	for (uint32_t i = 0; i < nr; i++)
		names[i] = frame_name(&s->chain[i]);
	w->use = futex_use_of(names, nr);
	const char *caller = nr ? names[w->use.caller] : NULL;
	w->caller = caller ? arena_strdup(&u->arena, caller) : nr ? arena_printf(&u->arena, "%#" PRIx64, s->chain[w->use.caller].ip) : "";
}

/* ---- rows ---- */

/* Uses the futex word only as far as its kind defines it. */
static uint32_t owner_of(const struct user_wait *w)
{
	const struct wait_lock *l = &w->payload.lock;
	if (w->use.is_glibc && w->use.kind == FUTEX_JOIN)
		return l->value;
	return w->use.is_glibc && w->use.kind == FUTEX_MUTEX ? l->owner : 0;
}

static const char *comm_of(struct user_locks *u, const struct resolved_sample *s, uint32_t tid)
{
	struct machine *m = resolver_machine(u->session.resolver);
	if (!tid)
		return "";
	const struct thread *t = machine_thread(m, s->sample.pid, tid, s->sample.time);
	return arena_strdup(&u->arena, strtab_get(machine_strings(m), machine_comm(m, t, s->sample.time)));
}

static bool has_function(const struct user_locks *u, const struct user_wait *w)
{
	const struct resolved_sample *s = w->s;
	for (uint32_t i = 0; i < s->chain_nr && u->choice.functions.len; i++) {
		const char *name = frame_name(&s->chain[i]);
		for (size_t k = 0; name && k < u->choice.functions.len; k++)
			if (strstr(name, u->choice.functions.data[k]))
				return true;
	}
	return !u->choice.functions.len;
}

static bool has_lock(const struct user_locks *u, const struct user_wait *w)
{
	const struct lock_choice *c = &u->choice;
	for (size_t i = 0; i < c->addresses.len; i++)
		if (c->addresses.data[i] == w->address || c->addresses.data[i] == w->payload.raw.object)
			return true;
	for (size_t i = 0; i < c->names.len; i++)
		if (!strcmp(c->names.data[i], w->lock))
			return true;
	return !c->addresses.len && !c->names.len;
}

static uint64_t key_of(const struct user_locks *u, const struct user_wait *w)
{
	const struct lock_question *q = &u->q.question;
	uint64_t lock = hash_combine(hash_u64(w->s->sample.pid), w->address);
	if (q->by_owner)
		return w->owner ? w->owner : UINT32_MAX;
	if (q->by == LOCK_BY_THREAD)
		return w->s->sample.tid;
	return q->by == LOCK_BY_LOCK ? lock : hash_combine(lock, hash_str(w->caller));
}

static const char *waker_text(struct user_locks *u, const struct wait_raw *raw)
{
	if (raw->waker == WAIT_WAKER_TASK)
		return arena_printf(&u->arena, "%s/%" PRIu32, raw->waker_comm, raw->waker_tid);
	return raw->waker == WAIT_WAKER_INTERRUPT ? "interrupt" : "";
}

static const struct user_lock *facts_of(struct user_locks *u, const struct user_wait *w)
{
	struct user_lock *f = arena_new(&u->arena, struct user_lock);
	const struct wait_payload *p = &w->payload;
	const struct sample *s = &w->s->sample;
	*f = (struct user_lock){ .kind = w->use.kind, .address = w->address, .lock = w->lock, .caller = w->caller, .tid = s->tid,
				 .comm = arena_strdup(&u->arena, w->s->comm), .owner = w->owner, .owner_comm = comm_of(u, w->s, w->owner),
				 .waker = waker_text(u, &p->raw),
				 .owner_waited = w->owner && w->owner == p->lock.owner && p->lock.owner_state == WAIT_OWNER_WAITS };
	if (!u->q.question.with_stacks)
		return f;
	f->stacks[USER_STACK_WAIT] = names_of(u, w->s->chain, w->s->chain_nr);
	if (f->owner_waited)
		f->stacks[USER_STACK_OWNER] = look_up(u, w->s, s->pid, w->owner, p->owner, p->owner_nr);
	f->stacks[USER_STACK_WAKER] = look_up(u, w->s, p->raw.waker_pid, p->raw.waker_tid, p->waker, p->waker_nr);
	return f;
}

static void add(struct user_locks *u, const struct user_wait *w)
{
	const struct wait_lock *l = &w->payload.lock;
	bool is_new;
	size_t at = lock_waits_stat(&u->waits, key_of(u, w), &is_new);
	struct lock_stat *s = &u->waits.stats.data[at];
	if (is_new)
		vec_push(&u->longest, 0);
	s->contended += w->payload.raw.waits;
	s->acquired = s->contended;
	s->total_ns += w->s->sample.period;
	s->average_ns = s->contended ? s->total_ns / s->contended : 0;
	s->max_ns = l->max_ns > s->max_ns ? l->max_ns : s->max_ns;
	s->min_ns = l->min_ns < s->min_ns ? l->min_ns : s->min_ns;
	if (!is_new && l->max_ns <= u->longest.data[at])
		return;
	u->longest.data[at] = l->max_ns;
	s->address = w->address;
	s->name = w->lock;
	s->user = facts_of(u, w);
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct user_locks *u = ctx;
	struct user_wait w = { .s = s };
	if (!s->event || !wait_is_event(s->event))
		return NULL;
	u->has_event = true;
	if (!wait_payload_read(s->sample.raw, s->sample.raw_bytes, &w.payload) || !w.payload.has_lock)
		return NULL;
	find_use(u, &w);
	w.address = futex_object(&w.use, w.payload.raw.object);
	w.lock = w.use.kind == FUTEX_JOIN ? "" : name_of_lock(u, s, w.address);
	w.owner = owner_of(&w);
	if ((!u->kinds || u->kinds >> w.use.kind & 1) && has_lock(u, &w) && has_function(u, &w))
		add(u, &w);
	return NULL;
}

/* ---- the whole ---- */

static struct strobe_error *choose(struct user_locks *u)
{
	struct lock_question names = u->q.question;
	names.kinds = NULL;
	if (u->q.question.kinds)
		TRY(futex_kinds_parse(u->q.question.kinds, &u->kinds));
	return lock_choice_parse(&names, &u->choice);
}

static struct strobe_error *replay(struct user_locks *u)
{
	struct session_request request = {
		.choice = u->q.choice,
		.symbols = u->q.symbols,
		.resolve = { .with_chains = true, .with_inlines = true },
	};
	struct resolve_callbacks callbacks = { .sample = take_sample, .ctx = u };
	TRY(choose(u));
	TRY(session_open(&u->session, u->q.host, u->q.input, u->q.force));
	TRY(session_resolve(&u->session, &request));
	TRY(resolve_stream(u->session.resolver, callbacks));
	if (!u->has_event && !env_has_waits(u->session.env))
		return error_create(ERROR_NOT_FOUND, "this recording has no waits of programs: record them with 'lock record --user'");
	return NULL;
}

struct strobe_error *user_locks_run(const struct lock_replay_request *q, struct user_locks **ret)
{
	struct user_locks *u = *ret = xcalloc(1, sizeof(*u));
	u->q = *q;
	return replay(u);
}

void user_locks_destroy(struct user_locks *u)
{
	if (!u)
		return;
	lock_waits_deinit(&u->waits);
	lock_choice_deinit(&u->choice);
	u64map_deinit(&u->names);
	vec_deinit(&u->longest);
	session_close(&u->session);
	arena_deinit(&u->arena);
	free(u);
}

const struct lock_waits *user_locks_waits(const struct user_locks *u)
{
	return &u->waits;
}

void user_locks_remarks(const struct user_locks *u)
{
	session_remarks(&u->session, false);
}
