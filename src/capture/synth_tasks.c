#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "capture/host_priv.h"
#include "capture/procmap.h"

/* A pool of threads is started only where there is enough for each: a process takes some 20 to 100 µs. */
#define PROCESSES_PER_THREAD 64
/* Processes that one turn of a thread scans, so that records stay in the order of pids. */
#define BATCH 16

struct scan {
	const struct synth_options *o;
	VEC(pid_t) pids;
	struct out *batches;            /* one for each BATCH pids */
	struct build_id_cache **caches; /* one a thread */
	atomic_uint timed_out;
	atomic_int timed_out_pid;
};

struct process_facts {
	char comm[16];
	pid_t ppid;
	bool kernel_thread;
};

/* pid (comm) state ppid pgrp session tty tpgid flags …; comm may hold blanks and parentheses. */
static bool read_stat(const struct sys *sys, pid_t pid, struct process_facts *ret)
{
	char path[32], buf[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (host_small(sys, path, buf, sizeof(buf)) <= 0)
		return false;
	char *open = strchr(buf, '('), *close = strrchr(buf, ')');
	unsigned flags;
	int ppid;
	if (!open || !close || close < open || sscanf(close + 1, " %*c %d %*d %*d %*d %*d %u", &ppid, &flags) != 2)
		return false;
	*ret = (struct process_facts){ .ppid = ppid, .kernel_thread = (flags & 0x00200000) != 0 /* PF_KTHREAD */ };
	size_t n = (size_t)(close - open - 1);
	memcpy(ret->comm, open + 1, n < 15 ? n : 15);
	return true;
}

static void put_fork(struct out *o, pid_t pid, pid_t tid, pid_t ppid, uint16_t tail)
{
	/* The main thread becomes the parent of threads, since the real one is unknown. */
	uint32_t words[4] = { (uint32_t)pid, (uint32_t)(pid == tid ? ppid : pid), (uint32_t)tid,
			     (uint32_t)(pid == tid ? ppid : pid)};
	/* FORK_EXEC-like marker: perf sets it so that maps are not inherited from the parent as it is now. */
	uint8_t *p = synth_record(o, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 32, tail);
	memcpy(p + 8, words, sizeof(words));
}

static void put_comm(struct out *o, pid_t pid, pid_t tid, const char *comm, uint16_t tail)
{
	size_t n = strnlen(comm, 15);
	uint8_t *p = synth_record(o, PERF_RECORD_COMM, 0, 16 + synth_align(n + 1), tail);
	uint32_t ids[2] = { (uint32_t)pid, (uint32_t)tid };
	memcpy(p + 8, ids, sizeof(ids));
	memcpy(p + 16, comm, n);
}

static void put_namespaces(struct out *o, const struct sys *sys, pid_t pid, pid_t tid, uint16_t tail)
{
	/* In the order of enum perf_ns_link_info's indexes: NET_NS_INDEX … CGROUP_NS_INDEX. */
	static const char *const kinds[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	enum { KINDS = 7 };
	uint8_t *p = synth_record(o, PERF_RECORD_NAMESPACES, 0, 24 + KINDS * 16, tail);
	uint32_t ids[2] = { (uint32_t)pid, (uint32_t)tid };
	uint64_t nr = KINDS;
	memcpy(p + 8, ids, sizeof(ids));
	memcpy(p + 16, &nr, 8);
	for (unsigned i = 0; i < KINDS; i++) {
		char path[64];
		struct stat st;
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", tid, kinds[i]);
		_cleanup_free_ char *full = sys_path(sys, path);
		if (stat(full, &st))
			continue;
		uint64_t link[2] = { st.st_dev, st.st_ino };
		memcpy(p + 24 + 16 * i, link, sizeof(link));
	}
}

struct map_sink {
	struct out *o;
	uint16_t tail;
};

static bool put_map(void *ctx, const struct synth_map *m)
{
	struct map_sink *s = ctx;
	synth_map_record(s->o, m, s->tail);
	return true;
}

static uint64_t deadline_ns(uint32_t timeout_ms)
{
	struct timespec ts;
	if (!timeout_ms)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return timespec_ns(ts) + timeout_ms * 1000000ull;
}

static void scan_threads(struct scan *s, struct out *o, pid_t pid, const struct process_facts *f)
{
	char path[64];
	uint16_t tail = s->o->tail_bytes;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	sys_names names = {};
	struct strobe_error *err = sys_list(s->o->sys, path, &names);
	if (err) { /* it has ended */
		error_destroy(err);
		return;
	}
	for (size_t i = 0; i < names.len; i++) {
		pid_t tid = atoi(names.data[i]);
		char comm[32];
		if (tid <= 0 || tid == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
		if (host_small(s->o->sys, path, comm, sizeof(comm)) <= 0)
			continue;
		comm[strcspn(comm, "\n")] = '\0';
		put_fork(o, pid, tid, f->ppid, tail);
		if (s->o->namespaces)
			put_namespaces(o, s->o->sys, pid, tid, tail);
		put_comm(o, pid, tid, comm, tail);
	}
	sys_names_deinit(&names);
}

static void scan_process(struct scan *s, struct out *o, pid_t pid, struct build_id_cache *cache)
{
	struct process_facts f;
	uint16_t tail = s->o->tail_bytes;
	if (!read_stat(s->o->sys, pid, &f))
		return;
	if (s->o->parts & SYNTH_TASK) {
		put_fork(o, pid, pid, f.ppid, tail);
		if (s->o->namespaces)
			put_namespaces(o, s->o->sys, pid, pid, tail);
		put_comm(o, pid, pid, f.comm, tail);
	}
	if ((s->o->parts & SYNTH_MMAP) && !f.kernel_thread) {
		struct procmap_options po = {
			.sys = s->o->sys,
			.data_maps = s->o->data_maps,
			.build_ids = s->o->build_ids,
			.deadline_ns = deadline_ns(s->o->timeout_ms),
		};
		struct map_sink ms = { o, tail };
		if (!procmap_each(pid, &po, cache, put_map, &ms)) {
			atomic_fetch_add(&s->timed_out, 1);
			atomic_store(&s->timed_out_pid, pid);
		}
	}
	if ((s->o->parts & SYNTH_TASK) && !f.kernel_thread)
		scan_threads(s, o, pid, &f);
}

static void scan_batch(void *ctx, size_t batch, unsigned thread)
{
	struct scan *s = ctx;
	struct out *o = &s->batches[batch];
	if (!s->caches[thread])
		s->caches[thread] = build_id_cache_create();
	out_init_mem(o);
	for (size_t i = batch * BATCH; i < (batch + 1) * BATCH && i < s->pids.len; i++)
		scan_process(s, o, s->pids.data[i], s->caches[thread]);
}

static struct strobe_error *run_scan(struct scan *s, struct record_sink *sink, struct synth_report *r)
{
	size_t batches = (s->pids.len + BATCH - 1) / BATCH;
	unsigned threads = s->o->threads, cpus = pool_cpus();
	if (!threads) {
		threads = (unsigned)(s->pids.len / PROCESSES_PER_THREAD) + 1;
		if (threads > cpus)
			threads = cpus;
	}
	if (threads > batches)
		threads = batches ? (unsigned)batches : 1;
	s->batches = xcalloc(batches, sizeof(*s->batches));
	s->caches = xcalloc(threads, sizeof(struct build_id_cache *));
	pool_run(batches, threads, scan_batch, s);
	struct strobe_error *err = NULL;
	for (size_t i = 0; i < batches; i++) {
		if (!err)
			err = synth_flush(&s->batches[i], sink);
		error_destroy(out_close(&s->batches[i]));
	}
	for (unsigned i = 0; i < threads; i++)
		build_id_cache_destroy(s->caches[i]);
	free(s->batches);
	free(s->caches);
	r->maps_timed_out += atomic_load(&s->timed_out);
	if (atomic_load(&s->timed_out))
		r->timed_out_pid = atomic_load(&s->timed_out_pid);
	vec_deinit(&s->pids);
	return err;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

struct strobe_error *synth_all_tasks(struct record_sink *sink, const struct synth_options *o, struct synth_report *r)
{
	struct scan s = { .o = o };
	if (!(o->parts & (SYNTH_TASK | SYNTH_MMAP)))
		return NULL;
	sys_names names = {};
	TRY(error_prefix(sys_list(o->sys, "/proc", &names), "cannot list processes: is /proc mounted?"));
	for (size_t i = 0; i < names.len; i++)
		if (isdigit((unsigned char)names.data[i][0]))
			vec_push(&s.pids, atoi(names.data[i]));
	sys_names_deinit(&names);
	if (s.pids.len)
		qsort(s.pids.data, s.pids.len, sizeof(pid_t), compare_pids);
	return run_scan(&s, sink, r);
}

struct strobe_error *synth_target_tasks(struct record_sink *sink, const struct synth_options *o,
					const struct target_map *map, struct synth_report *r)
{
	struct scan s = { .o = o };
	struct u64map seen = {};
	if (!(o->parts & (SYNTH_TASK | SYNTH_MMAP)))
		return NULL;
	for (size_t i = 0; i < map->threads.len; i++) {
		bool fresh;
		u64map_put(&seen, (uint64_t)map->threads.data[i].pid, &fresh);
		if (fresh)
			vec_push(&s.pids, map->threads.data[i].pid);
	}
	u64map_deinit(&seen);
	return run_scan(&s, sink, r);
}
