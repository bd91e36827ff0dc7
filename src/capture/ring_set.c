/*
 * Assignment of events to rings, and sizes of rings.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/session_priv.h"
#include "sys/limits.h"

/* 512 KB: what perf_event_mlock_kb allows every user for each CPU by default, and what perf uses. */
#define DEFAULT_RING_BYTES (512u << 10)
/*
 * Tracepoints and stack copies come in bursts of hundreds of MB a second: 8 MB is 4 ms of the fastest. On machines with
 * many CPUs half of it, so that rings stay a small part of memory.
 */
#define LARGE_RING_BYTES (8u << 20)
#define MANY_CPUS        32
/*
 * Up to this rate, half of them are enough for stacks that a program walks: if each comes with a whole copy (57 KB), that is 17 ms.
 * They are made sooner: the kernel takes 1.4 ms for 8 MB.
 */
#define CALM_HZ 4000

static bool has_bursts(const struct capture *c)
{
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		if (e->tracepoint_name || e->attr.sample_stack_user || e->attr.sample_type & PERF_SAMPLE_RAW)
			return true;
	}
	return c->options.callgraph.mode == CALLGRAPH_DWARF;
}

/* The command or processes are sampled at a low rate. */
static bool is_calm(const struct capture *c)
{
	uint64_t hz = 0;
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		if (!perf_attr_is_dummy(&e->attr))
			hz += e->attr.freq ? e->attr.sample_freq : CALM_HZ + 1;
	}
	return hz <= CALM_HZ && !c->map.system_wide;
}

static uint64_t chosen_ring_bytes(const struct capture *c, size_t rings)
{
	bool has_stacks = c->options.callgraph.mode == CALLGRAPH_EH;
	if (!has_stacks && !has_bursts(c))
		return DEFAULT_RING_BYTES;
	return rings >= MANY_CPUS || (!has_bursts(c) && is_calm(c)) ? LARGE_RING_BYTES / 2 : LARGE_RING_BYTES;
}

static bool is_mlock_free(const struct capture *c)
{
	return sys_has_cap(c->sys, CAP_IPC_LOCK) || sys_perf_event_paranoid(c->sys) < 0;
}

uint64_t capture_choose_ring_bytes(const struct capture *c, bool *ret_large)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t rings = c->map.cpus.data[0] < 0 ? c->map.threads.len : c->map.cpus.len;
	*ret_large = false;
	if (c->options.mmap_pages)
		return c->options.mmap_pages * page;
	/* The kernel lets each user have mlock_kb for each CPU that is online, then RLIMIT_MEMLOCK, pages of headers
	 * with it. */
	uint64_t limit = UINT64_MAX;
	if (!is_mlock_free(c)) {
		long cpus = sysconf(_SC_NPROCESSORS_ONLN);
		uint64_t rlimit = sys_memlock_bytes();
		limit = sys_perf_event_mlock_kb(c->sys) * 1024 * (uint64_t)(cpus > 0 ? cpus : 1);
		limit = rlimit == UINT64_MAX ? UINT64_MAX : (limit + rlimit) / (rings ? rings : 1);
		limit = limit > page ? limit - page : page;
	}
	uint64_t size_bytes = chosen_ring_bytes(c, rings);
	*ret_large = size_bytes > DEFAULT_RING_BYTES;
	while (size_bytes > limit && size_bytes > page)
		size_bytes >>= 1;
	uint64_t max = c->options.rings_bytes_max;
	while (max && size_bytes * rings > max && size_bytes > 8 * page)
		size_bytes >>= 1;
	return size_bytes;
}

static struct strobe_error *explain_map(struct capture *c, struct strobe_error *err, uint64_t bytes)
{
	int errnum = err->errnum;
	error_destroy(err);
	if (errnum == EPERM || errnum == EACCES)
		return error_with_check("locked-memory", error_create(ERROR_PERMISSION,
					"cannot lock buffers of %llu KB in memory: kernel.perf_event_mlock_kb is %llu and the "
					"limit of locked memory (ulimit -l) is %llu KB; raise one of them, grant CAP_IPC_LOCK, or "
					"use smaller buffers with -m (pages)",
					(unsigned long long)(bytes >> 10),
					(unsigned long long)sys_perf_event_mlock_kb(c->sys),
					(unsigned long long)(sys_memlock_bytes() >> 10)));
	if (errnum == ENOMEM)
		return error_create(
			ERROR_LIMIT,
			"no memory for buffers of %llu KB on each of %zu CPUs: use smaller ones with -m (pages)",
			(unsigned long long)(bytes >> 10), c->map.cpus.len);
	return error_errno(errnum, "cannot map a ring buffer of %llu KB", (unsigned long long)(bytes >> 10));
}

/* A smaller ring is better than none, unless the user gave the size. */
static struct strobe_error *map_one(struct capture *c, int fd, int cpu, bool backward)
{
	struct ring ring;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = c->ring_bytes;
	for (;;) {
		struct strobe_error *err = ring_map(&ring, c->sys, fd, bytes, cpu, backward);
		if (!err)
			break;
		if (c->options.mmap_pages || bytes <= 4 * page || (err->errnum != EPERM && err->errnum != ENOMEM))
			return explain_map(c, err, bytes);
		error_destroy(err);
		bytes >>= 1;
	}
	if (bytes < c->ring_bytes) {
		if (!c->rings.len)
			vec_push(&c->notes,
				 (const char *)arena_printf(&c->events->arena,
							    "buffers of %llu KB per CPU: kernel.perf_event_mlock_kb is %llu, "
							    "ulimit -l %llu KB; larger buffers lose fewer samples",
							    (unsigned long long)(bytes >> 10),
							    (unsigned long long)sys_perf_event_mlock_kb(c->sys),
							    (unsigned long long)(sys_memlock_bytes() >> 10)));
		c->ring_bytes = bytes;
	}
	vec_push(&c->rings, ring);
	return NULL;
}

/* The ring that events of this direction on this CPU (or of this thread) share; UINT32_MAX = not mapped yet. */
static uint32_t find_ring(const struct capture *c, size_t first, bool backward)
{
	for (size_t i = first; i < c->rings.len; i++)
		if (c->rings.data[i].backward == backward)
			return (uint32_t)i;
	return UINT32_MAX;
}

static struct strobe_error *tie(struct capture *c, size_t first, const struct capture_event *e, uint32_t slot, int cpu)
{
	bool backward = e->attr.write_backward;
	uint32_t ring = find_ring(c, first, backward);
	if (ring == UINT32_MAX) {
		c->has_backward |= backward;
		return map_one(c, e->fds[slot], cpu, backward);
	}
	int r = sys_ioctl(c->sys, e->fds[slot], PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)c->rings.data[ring].fd);
	if (r < 0)
		return error_errno(-r, "cannot direct %s into the ring of CPU %d", e->name, cpu);
	return NULL;
}

struct strobe_error *capture_map_rings(struct capture *c)
{
	size_t threads = c->map.threads.len;
	for (size_t cpu = 0; cpu < c->map.cpus.len; cpu++) {
		size_t first = c->rings.len;
		for (size_t t = 0; t < threads; t++) {
			if (c->map.cpus.data[cpu] < 0)
				first = c->rings.len; /* a ring for each thread */
			for (size_t i = 0; i < c->events->events.len; i++) {
				const struct capture_event *e = &c->events->events.data[i];
				uint32_t slot = (uint32_t)(cpu * threads + t);
				if (slot < e->slots && e->fds[slot] >= 0)
					TRY(tie(c, first, e, slot, c->map.cpus.data[cpu]));
			}
		}
	}
	return NULL;
}
