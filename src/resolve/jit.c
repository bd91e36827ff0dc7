#include "resolve/jit.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/mem.h"
#include "base/sort.h"
#include "resolve/resolver_priv.h"
#include "symbol/jitdump.h"

void jit_init(struct jit *j, const struct env *env, struct machine *machine, struct symbols *symbols)
{
	*j = (struct jit){ .env = env, .machine = machine, .symbols = symbols, .next_ns = UINT64_MAX };
}

void jit_deinit(struct jit *j)
{
	vec_deinit(&j->dumps);
	vec_deinit(&j->maps);
}

void jit_start(struct jit *j, bool in_order)
{
	vec_clear(&j->dumps);
	vec_clear(&j->maps);
	j->in_order = in_order;
	j->next = 0;
	j->next_ns = UINT64_MAX;
}

static bool is_monotonic(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (!env->events.data[i].attr.use_clockid || env->events.data[i].attr.clockid != CLOCK_MONOTONIC)
			return false;
	return env->events.len;
}

static uint64_t cycles_to_ns(const struct env *env, uint64_t cycles)
{
	uint64_t whole = cycles >> env->time_conv.shift, rest = cycles & (((uint64_t)1 << env->time_conv.shift) - 1);
	return env->time_conv.zero + whole * env->time_conv.mult + ((rest * env->time_conv.mult) >> env->time_conv.shift);
}

uint64_t jit_time(const struct env *env, const struct jitdump *d, uint64_t mapped_ns, uint64_t time)
{
	if (d->arch_clock)
		return env->time_conv.present && env->time_conv.shift < 64 ? cycles_to_ns(env, time) : mapped_ns;
	if (is_monotonic(env))
		return time;
	/* A dump from before the recording, or without a usable clock: everything is mapped from the beginning. */
	if (!mapped_ns || !d->time || time < d->time)
		return mapped_ns;
	return mapped_ns + (time - d->time);
}

/* A record like those written by perf inject: the code as part of a file. */
static void apply(struct jit *j, const struct jit_map *map, uint64_t time_ns)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, ino_generation;
		uint32_t prot, flags;
		char path[4096];
	} r = {
		.h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = map->pid,
		.tid = map->tid,
		.start = map->address,
		.len = map->bytes,
		.pgoff = map->offset,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	size_t n = strlen(map->path);
	if (n >= sizeof(r.path))
		return;
	memcpy(r.path, map->path, n);
	r.h.size = (uint16_t)(offsetof(__typeof__(r), path) + (n + 8) / 8 * 8);
	machine_apply(j->machine, (struct record){ .hdr = &r.h }, time_ns);
}

/* Queues the maps of a dump. */
static void load(struct jit *j, struct jit_dump *dump)
{
	const struct jitdump *d = dso_jitdump(symbols_dso(j->symbols, dump->file));
	dump->loaded = true;
	if (!d)
		return;
	for (size_t i = 0; i < d->placements.len; i++) {
		const struct jitdump_placement *p = &d->placements.data[i];
		const struct jitdump_function *f = &d->functions.data[p->function];
		uint64_t time_ns = jit_time(j->env, d, dump->time_ns, p->time);
		vec_push(&j->maps, ((struct jit_map){ .time_ns = time_ns < dump->time_ns ? dump->time_ns : time_ns,
						      .address = p->address, .bytes = f->bytes, .offset = f->offset,
						      .pid = dump->pid, .tid = dump->pid, .path = dump->file->path }));
	}
}

/* Sorts pending maps by time, equal times in the order of the dump. */
static void sort_rest(struct jit *j)
{
	size_t n = j->maps.len - j->next;
	struct jit_map *from = j->maps.data + j->next;
	if (!n)
		return;
	struct sort_pair *order = xreallocarray(NULL, n, sizeof(*order));
	struct jit_map *sorted = xreallocarray(NULL, n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){ .key = from[i].time_ns, .value = i };
	sort_pairs(order, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = from[order[i].value];
	memcpy(from, sorted, n * sizeof(*from));
	vec_free(order);
	vec_free(sorted);
}

void jit_mmap(struct jit *j, struct record r, uint64_t time_ns)
{
	struct record_mmap m;
	bool is_user = (r.hdr->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	if (!is_user || !record_decode_mmap(r, &m) || !machine_is_jitdump(m.filename))
		return;
	const struct mapped_file *file = machine_file_of(j->machine, r);
	for (size_t i = 0; i < j->dumps.len; i++)
		if (j->dumps.data[i].file == file)
			return;
	vec_push(&j->dumps, ((struct jit_dump){ .file = file, .pid = m.pid, .time_ns = time_ns }));
	if (!j->in_order)
		return;
	load(j, &vec_last(&j->dumps));
	sort_rest(j);
	j->next_ns = j->next < j->maps.len ? j->maps.data[j->next].time_ns : UINT64_MAX;
}

void jit_advance(struct jit *j, uint64_t time_ns)
{
	while (j->next < j->maps.len && j->maps.data[j->next].time_ns <= time_ns) {
		apply(j, &j->maps.data[j->next], j->maps.data[j->next].time_ns);
		j->next++;
	}
	j->next_ns = j->next < j->maps.len ? j->maps.data[j->next].time_ns : UINT64_MAX;
}

void jit_finish(struct jit *j)
{
	for (size_t i = 0; i < j->dumps.len; i++)
		if (!j->dumps.data[i].loaded)
			load(j, &j->dumps.data[i]);
	jit_advance(j, UINT64_MAX);
}

bool resolver_jit(struct resolver *r, size_t i, struct resolved_jit *ret)
{
	if (i >= r->jit.dumps.len)
		return false;
	const struct jit_dump *d = &r->jit.dumps.data[i];
	*ret = (struct resolved_jit){ d->file, d->pid, d->time_ns, dso_jitdump(symbols_dso(r->symbols, d->file)) };
	return true;
}
