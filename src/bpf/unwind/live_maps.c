#include "bpf/unwind/live_maps.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "capture/ring.h"
#include "capture/synth.h"
#include "record/sample.h"
#include "sys/cpus.h"
#include "sys/perf_abi.h"

/* Some 1000 mappings; a reader is woken after half of them. */
#define RING_BYTES (128u << 10)
/* Processes that ended longer ago have no stacks left to read: rings are read several times per second. */
#define KEPT_NS 4000000000ull
#define FORGET_THREADS 256
#define PASSES_MAX 16

/* Where a record of a ring lies among the pending ones. */
struct pending_record {
	uint64_t time_ns;
	size_t at;
};

struct live_maps {
	const struct sys *sys;
	struct record_sink sink; /* of what synthesis writes */
	struct record_sink ring_sink;
	VEC(uint8_t) pending; /* what was read from the rings, and is not applied yet */
	VEC(struct pending_record) order;
	VEC(struct ring) rings;
	VEC(int) fds;
	struct env *env;
	struct machine *machine;
	struct sample_layout layout;
	uint64_t last_ns;
	size_t forget_at; /* at this number of threads */
	uint64_t forgotten;     /* how often */
	bool reading; /* set while reading procfs: not a new process */
	bool found;   /* procfs had a record */
	struct u64map complete; /* pid → time from which on all of its mappings are known */
};

/* Threads have the mappings of their process, and a name changes none. */
static bool changes_mappings(struct record r)
{
	struct record_comm comm;
	struct record_task task;
	if (r.hdr->type == PERF_RECORD_COMM)
		return record_decode_comm(r, &comm) && comm.exec;
	return r.hdr->type != PERF_RECORD_FORK || (record_decode_task(r, &task) && task.pid != task.ppid);
}

static void take_record(struct live_maps *l, struct record r)
{
	struct sample_tail tail;
	struct record_comm comm;
	struct record_task task;
	if (!l->reading && sample_tail_decode(&l->layout, r, &tail) && tail.time > l->last_ns)
		l->last_ns = tail.time;
	bool is_change = changes_mappings(r);
	if (l->reading || is_change)
		machine_apply(l->machine, r, l->reading || !tail.present ? l->last_ns : tail.time);
	l->found |= l->reading;
	if (l->reading)
		return;
	const uint64_t *known;
	switch (r.hdr->type) {
	case PERF_RECORD_COMM:
		if (is_change && record_decode_comm(r, &comm))
			(void)u64map_put(&l->complete, comm.pid, NULL);
		break;
	case PERF_RECORD_FORK: /* inherits the mappings of its parent */
		if (!is_change || !record_decode_task(r, &task))
			break;
		u64map_remove(&l->complete, task.pid);
		known = u64map_get(&l->complete, task.ppid);
		if (known) {
			uint64_t from_ns = *known;
			*u64map_put(&l->complete, task.pid, NULL) = from_ns;
		}
		break;
	default:
		break;
	}
}

/* The record at `at`; false: none is whole. */
static bool find_record(const void *at, const void *end, struct record *ret)
{
	size_t bytes = (size_t)((const char *)end - (const char *)at);
	ret->hdr = at;
	return bytes >= sizeof(*ret->hdr) && ret->hdr->size >= sizeof(*ret->hdr) && ret->hdr->size <= bytes;
}

static struct strobe_error *take_records(struct record_sink *s, const void *records, size_t bytes)
{
	struct live_maps *l = (struct live_maps *)((char *)s - offsetof(struct live_maps, sink));
	const char *at = records;
	for (struct record r; find_record(at, (const char *)records + bytes, &r); at += r.hdr->size)
		take_record(l, r);
	return NULL;
}

static struct strobe_error *keep_records(struct record_sink *s, const void *records, size_t bytes)
{
	struct live_maps *l = (struct live_maps *)((char *)s - offsetof(struct live_maps, ring_sink));
	memcpy(vec_extend(&l->pending, bytes), records, bytes);
	return NULL;
}

static struct strobe_error *open_cpu(struct live_maps *l, struct perf_event_attr *attr, uint32_t cpu)
{
	struct ring ring;
	int fd = sys_perf_event_open(l->sys, attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd == -ENODEV)
		return NULL; /* went offline */
	if (fd < 0)
		return error_errno(-fd, "cannot follow the mappings of processes on CPU %u", cpu);
	vec_push(&l->fds, fd);
	TRY(ring_map(&ring, l->sys, fd, RING_BYTES, (int)cpu, false));
	vec_push(&l->rings, ring);
	return NULL;
}

static struct strobe_error *open_all(struct live_maps *l, struct live_clock clock)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = PERF_ABI_ATTR_BYTES,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
		.use_clockid = clock.use,
		.clockid = clock.id,
	};
	sys_cpus cpus = {};
	l->layout = sample_layout_compile(&attr);
	struct strobe_error *err = sys_cpus_online(l->sys, &cpus);
	for (size_t i = 0; !err && i < cpus.len; i++)
		err = open_cpu(l, &attr, cpus.data[i]);
	vec_deinit(&cpus);
	return err;
}

struct strobe_error *live_maps_open(const struct sys *sys, struct live_clock clock, struct live_maps **ret)
{
	struct live_maps *l = xcalloc(1, sizeof(*l));
	l->sys = sys;
	l->sink.write = take_records;
	l->ring_sink.write = keep_records;
	l->env = env_create();
	l->machine = machine_create(l->env);
	struct strobe_error *err = open_all(l, clock);
	if (err) {
		live_maps_close(l);
		return err;
	}
	*ret = l;
	return NULL;
}

void live_maps_close(struct live_maps *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->rings.len; i++)
		ring_unmap(&l->rings.data[i]);
	for (size_t i = 0; i < l->fds.len; i++)
		close(l->fds.data[i]);
	vec_deinit(&l->rings);
	vec_deinit(&l->fds);
	vec_deinit(&l->pending);
	vec_deinit(&l->order);
	u64map_deinit(&l->complete);
	machine_destroy(l->machine);
	env_destroy(l->env);
	free(l);
}

struct machine *live_maps_machine(struct live_maps *l)
{
	return l->machine;
}

/* One pass over the rings; false: they were empty. */
static bool keep_pending(struct live_maps *l, struct ring_stats *stats)
{
	size_t before = l->pending.len;
	for (size_t i = 0; i < l->rings.len; i++)
		if (ring_pending(&l->rings.data[i]))
			error_destroy(ring_drain(&l->rings.data[i], &l->ring_sink, stats));
	return l->pending.len > before;
}

static int compare_times(const void *a, const void *b)
{
	const struct pending_record *x = a, *y = b;
	return x->time_ns != y->time_ns ? (x->time_ns < y->time_ns ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* A process is forked on one CPU and executes its program on another: in the order of their time. */
static void apply_pending(struct live_maps *l)
{
	const uint8_t *end = l->pending.data + l->pending.len;
	struct sample_tail tail;
	struct record r;
	l->order.len = 0;
	for (size_t at = 0; find_record(l->pending.data + at, end, &r); at += r.hdr->size)
		vec_push(&l->order, ((struct pending_record){ sample_tail_decode(&l->layout, r, &tail) ? tail.time : 0, at }));
	qsort(l->order.data, l->order.len, sizeof(*l->order.data), compare_times);
	for (size_t i = 0; i < l->order.len; i++)
		take_record(l, (struct record){ .hdr = (const void *)(l->pending.data + l->order.data[i].at) });
	l->pending.len = 0;
}

void live_maps_drain(struct live_maps *l)
{
	struct ring_stats stats = { .time_offset = SAMPLE_NO_OFFSET };
	/* What was written to a ring before a record of a later pass is read by then; what comes without end waits. */
	bool is_some = false;
	for (unsigned passes = 0; passes < PASSES_MAX && keep_pending(l, &stats); passes++)
		is_some = true;
	if (is_some)
		apply_pending(l);
	if (stats.lost_events) {
		u64map_deinit(&l->complete);
		log_info("%llu new mappings of processes were lost: they are read again when needed",
			 (unsigned long long)stats.lost_events);
	}
}

void live_maps_forget_ended(struct live_maps *l)
{
	if (machine_threads_count(l->machine) < l->forget_at || l->last_ns < KEPT_NS)
		return;
	(void)machine_forget_ended(l->machine, l->last_ns - KEPT_NS, false);
	l->forgotten++;
	l->forget_at = 2 * machine_threads_count(l->machine) + FORGET_THREADS;
}

uint64_t live_maps_forgotten(const struct live_maps *l)
{
	return l->forgotten;
}

void live_maps_read(struct live_maps *l, uint32_t pid)
{
	struct target_map map = {};
	struct synth_report report = {};
	struct thread_entry thread = { .pid = (pid_t)pid, .tid = (pid_t)pid };
	struct synth_options o = {
		.sys = l->sys,
		.parts = SYNTH_TASK | SYNTH_MMAP,
		.tail_bytes = l->layout.tail_bytes,
		.build_ids = true,
		.threads = 1,
		.timeout_ms = 500,
	};
	vec_push(&map.threads, thread);
	l->reading = true;
	l->found = false;
	error_destroy(synth_target_tasks(&l->sink, &o, &map, &report));
	l->reading = false;
	vec_deinit(&map.threads);
	bool is_new;
	uint64_t *known = u64map_put(&l->complete, pid, &is_new);
	/* No more will be known of a process that has ended. */
	if (is_new)
		*known = l->found ? l->last_ns : 0;
}

uint64_t live_maps_complete(struct live_maps *l, uint32_t pid)
{
	if (!u64map_get(&l->complete, pid))
		live_maps_read(l, pid);
	return *u64map_get(&l->complete, pid);
}

size_t live_maps_fds(const struct live_maps *l, const int **ret)
{
	*ret = l->fds.data;
	return l->fds.len;
}
