/*
 * numa mem: processes with threads that access memory shared by all processes, by their process, and of their own, on CPUs and nodes
 * chosen by the user or by the kernel.
 *
 * Results are in memory shared by all processes. Threads set up their memory, then wait for all others.
 *
 * Source: numa(7), set_mempolicy(2).
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/numa.h"
#include "bench/tasks.h"
#include "sys/cpus.h"

#define SECONDS   5
#define TASKS_MAX 65536
#define MB        (1024.0 * 1024)
#define GB        1e9
#define MB_MAX    1e8
#define POLL_US   1000

/* Results of a thread. */
struct done {
	uint64_t bytes, ns;
	_Atomic int32_t cpu; /* on which it ran last */
} THREAD_OWN;

struct shared {
	_Atomic uint64_t ready; /* number of threads whose memory is set up */
	atomic_bool may_start, is_over;
	uint64_t end_ns; /* set before they start */
	pthread_mutex_t startup; /* held by a thread during set-up, if the settings require one at a time */
	struct done threads[];
};

struct numa {
	const struct bench_numa *s;
	uint64_t processes, threads; /* threads: per process */
	size_t global_bytes, process_bytes, locked_bytes, thread_bytes;
	uint64_t *global;
	numa_places cpus, nodes;
	struct shared *shared;
	size_t shared_bytes;
	int32_t *node_of_cpu; /* -1: unknown */
	size_t cpus_nr, nodes_nr;
	uint64_t converged_ns; /* since the start; 0: not yet */
};

struct process {
	struct numa *numa;
	uint64_t index;
	uint64_t *memory;
	pthread_mutex_t lock;
};

struct thread {
	struct process *process;
	uint64_t index; /* among all threads */
	int error;
};

/* ---- a thread ---- */

static int bind_thread(const struct numa *n, uint64_t index)
{
	int e = index < n->cpus.len ? numa_bind_cpu(n->cpus.data[index]) : 0;
	return e || index >= n->nodes.len ? e : numa_bind_memory(n->nodes.data[index]);
}

static uint64_t work_once(struct process *p, uint64_t *own, uint64_t loop, uint64_t *random)
{
	const struct numa *n = p->numa;
	numa_access(n->global, n->global_bytes, n->s, loop, random);
	numa_access(p->memory, n->process_bytes, n->s, loop, random);
	numa_access(own, n->thread_bytes, n->s, loop, random);
	if (n->locked_bytes) {
		pthread_mutex_lock(&p->lock);
		numa_access(p->memory, n->locked_bytes, n->s, loop, random);
		pthread_mutex_unlock(&p->lock);
	}
	if (n->s->sleep_us)
		usleep((useconds_t)n->s->sleep_us);
	return n->global_bytes + n->process_bytes + n->thread_bytes + n->locked_bytes;
}

/* Moves to the next CPU; from there the kernel may schedule it anywhere. */
static void move_thread(uint64_t turn)
{
	cpu_set_t before;
	if (!sched_getaffinity(0, sizeof(before), &before) && !numa_bind_cpu((uint32_t)bench_cpu(turn)))
		sched_setaffinity(0, sizeof(before), &before);
}

static void work(struct process *p, struct done *done, uint64_t *own, uint64_t index)
{
	const struct numa *n = p->numa;
	uint64_t random = index * 2 + 1, start_ns = bench_clock_ns(), now_ns = start_ns, moves = 0;
	uint64_t every_ns = index ? 0 : n->s->perturb_s * NS_PER_S;
	for (uint64_t loop = 0; !n->s->loops || loop < n->s->loops; loop++) {
		if (now_ns >= n->shared->end_ns || atomic_load(&n->shared->is_over))
			break;
		done->bytes += work_once(p, own, loop, &random);
		atomic_store(&done->cpu, sched_getcpu());
		now_ns = bench_clock_ns();
		if (every_ns && (now_ns - start_ns) / every_ns > moves)
			move_thread(++moves);
	}
	done->ns = bench_clock_ns() - start_ns;
}

static void *run_thread(void *arg)
{
	struct thread *t = arg;
	const struct numa *n = t->process->numa;
	uint64_t *own = NULL;
	if (n->s->serialize_startup)
		pthread_mutex_lock(&n->shared->startup);
	t->error = bind_thread(n, t->index);
	struct strobe_error *err = t->error ? NULL : numa_allocate(n->thread_bytes, n->s, false, &own);
	if (err)
		t->error = err->errnum ? err->errnum : EIO;
	error_destroy(err);
	if (n->s->serialize_startup)
		pthread_mutex_unlock(&n->shared->startup);
	if (t->error)
		atomic_store(&n->shared->is_over, true); /* the others do not wait for this thread */
	atomic_fetch_add(&n->shared->ready, 1);
	while (!atomic_load(&n->shared->may_start))
		usleep(POLL_US);
	work(t->process, &n->shared->threads[t->index], own, t->index);
	if (own)
		munmap(own, n->thread_bytes);
	return NULL;
}

/* ---- a process ---- */

static int run_threads(struct process *p)
{
	const struct numa *n = p->numa;
	struct thread *threads = xcalloc(n->threads, sizeof(*threads));
	pthread_t *ids = xcalloc(n->threads, sizeof(*ids));
	uint64_t started = 0;
	int e = 0;
	for (; started < n->threads && !e; started += !e) {
		threads[started] = (struct thread){ .process = p, .index = p->index * n->threads + started };
		e = pthread_create(&ids[started], NULL, run_thread, &threads[started]);
	}
	if (e) {
		atomic_store(&n->shared->is_over, true);
		atomic_fetch_add(&n->shared->ready, n->threads - started);
	}
	for (uint64_t i = 0; i < started; i++) {
		pthread_join(ids[i], NULL);
		e = e ? e : threads[i].error;
	}
	free(threads);
	free(ids);
	return e;
}

static int run_process(void *arg)
{
	struct process *p = arg;
	struct numa *n = p->numa;
	pthread_mutex_init(&p->lock, NULL);
	struct strobe_error *err = numa_allocate(n->process_bytes, n->s, false, &p->memory);
	if (!err)
		return run_threads(p);
	atomic_store(&n->shared->is_over, true);
	atomic_fetch_add(&n->shared->ready, n->threads);
	int e = err->errnum ? err->errnum : EIO;
	error_destroy(err);
	return e;
}

/* ---- all of them ---- */

/* Whether a process has ended, without reaping it. */
static bool has_ended(const struct bench_tasks *t)
{
	siginfo_t ended = {};
	return !waitid(P_PGID, (id_t)t->group, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid;
}

static uint64_t start_work(const struct numa *n, const struct bench_tasks *t)
{
	struct shared *shared = n->shared;
	while (atomic_load(&shared->ready) < n->processes * n->threads && !atomic_load(&shared->is_over) && !has_ended(t))
		usleep(POLL_US);
	uint64_t now_ns = bench_clock_ns();
	shared->end_ns = now_ns + (n->s->seconds ? n->s->seconds : SECONDS) * NS_PER_S;
	atomic_store(&shared->may_start, true);
	return now_ns;
}

static int32_t node_of(const struct numa *n, uint64_t thread)
{
	int32_t cpu = atomic_load(&n->shared->threads[thread].cpu);
	return cpu >= 0 && (size_t)cpu < n->cpus_nr ? n->node_of_cpu[cpu] : -1;
}

/* The number of processes whose threads are all on one node. */
static uint64_t converged(const struct numa *n)
{
	uint64_t found = 0;
	for (uint64_t p = 0; p < n->processes; p++) {
		uint64_t same = 0, first = p * n->threads;
		while (same < n->threads && node_of(n, first) >= 0 && node_of(n, first + same) == node_of(n, first))
			same++;
		found += same == n->threads;
	}
	return found;
}

/* Waits until all have converged, if that ends the run, or until a process has ended. */
static void watch(struct numa *n, const struct bench_tasks *t, struct bench_report *r, uint64_t start_ns)
{
	uint64_t shown = UINT64_MAX;
	while (!has_ended(t)) {
		uint64_t now = converged(n), ns = bench_clock_ns() - start_ns;
		if (n->s->show_convergence && now != shown)
			bench_text(r, " # %7.3f secs: %" PRIu64 "/%" PRIu64 " processes on one node\n", (double)ns / (double)NS_PER_S, now,
				   n->processes);
		shown = now;
		if (now == n->processes && n->s->measure_convergence) {
			n->converged_ns = ns;
			atomic_store(&n->shared->is_over, true);
			return;
		}
		usleep(POLL_US);
	}
}

static struct strobe_error *run_processes(struct numa *n, struct process *processes, struct bench_report *r)
{
	struct bench_tasks t;
	uint64_t fork_ns, start_ns;
	TRY(bench_tasks_init(&t, false));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < n->processes && !err; i++) {
		processes[i] = (struct process){ .numa = n, .index = i };
		err = bench_task_start(&t, run_process, &processes[i], -1);
	}
	err = err ? err : bench_tasks_go(&t, &fork_ns);
	if (!err) {
		start_ns = start_work(n, &t);
		if (!n->s->quiet)
			bench_text(r, "threads initialized in %.6f seconds.\n #\n", (double)(start_ns - fork_ns) / (double)NS_PER_S);
		if (n->s->measure_convergence || n->s->show_convergence)
			watch(n, &t, r, start_ns);
		err = bench_tasks_join(&t);
	}
	bench_tasks_end(&t);
	return err;
}

/* ---- report ---- */

static void put_line(struct bench_report *r, const struct numa *n, const char *who, double value, const char *unit, const char *text,
		     const char *quiet_text)
{
	if (n->s->quiet)
		bench_text(r, " %14.3f %s\n", value, quiet_text);
	else
		bench_text(r, " %-30s %15.3f, %-15s %s\n", who, value, unit, text);
}

static void put_threads(struct bench_report *r, const struct numa *n)
{
	char who[64];
	for (uint64_t i = 0; i < n->processes * n->threads; i++) {
		const struct done *d = &n->shared->threads[i];
		snprintf(who, sizeof(who), "process%" PRIu64 ":thread%" PRIu64 ",", i / n->threads, i % n->threads);
		put_line(r, n, who, (double)d->bytes / GB, "GB,", "data/thread", "GB data processed, per thread");
		put_line(r, n, who, bench_per_second(d->bytes, d->ns) / GB, "GB/sec,", "thread-speed", "GB/sec/thread speed");
	}
}

static void put(struct bench_report *r, const struct numa *n)
{
	const char *who = "main,";
	struct stats times = {};
	double bytes = 0, tasks = (double)(n->processes * n->threads);
	for (uint64_t i = 0; i < n->processes * n->threads; i++) {
		stats_add(&times, (double)n->shared->threads[i].ns / (double)NS_PER_S);
		bytes += (double)n->shared->threads[i].bytes;
	}
	double slowest = times.max > 0 ? times.max : 1e-9, each = bytes / tasks, converged_s = (double)n->converged_ns / (double)NS_PER_S;
	if (!n->s->quiet)
		bench_text(r, "\n ###\n\n");
	if (n->s->measure_convergence && n->converged_ns) {
		put_line(r, n, who, converged_s, "secs,", "NUMA-convergence-latency", "secs latency to NUMA-converge");
		bench_figure(r, NULL, "convergence", "s", converged_s);
	}
	put_line(r, n, who, times.max, "secs,", "runtime-max/thread", "secs slowest (max) thread-runtime");
	put_line(r, n, who, times.min, "secs,", "runtime-min/thread", "secs fastest (min) thread-runtime");
	put_line(r, n, who, times.mean, "secs,", "runtime-avg/thread", "secs average thread-runtime");
	put_line(r, n, who, 100 * (times.max - times.min) / slowest / 2, "%,", "spread-runtime/thread",
		 "% difference between max/avg runtime");
	put_line(r, n, who, each / GB, "GB,", "data/thread", "GB data processed, per thread");
	put_line(r, n, who, bytes / GB, "GB,", "data-total", "GB data processed, total");
	put_line(r, n, who, bytes > 0 ? slowest * (double)NS_PER_S / each : 0, "nsecs,", "runtime/byte/thread",
		 "nsecs/byte/thread runtime");
	put_line(r, n, who, each / GB / slowest, "GB/sec,", "thread-speed", "GB/sec/thread speed");
	put_line(r, n, who, bytes / GB / slowest, "GB/sec,", "total-speed", "GB/sec total speed");
	if (n->s->details)
		put_threads(r, n);
	bench_simple(r, "%f\n", bytes / slowest);
	bench_figure(r, NULL, "time", "s", times.max);
	bench_figure(r, NULL, "rate", "B/s", bytes / slowest);
}

static void put_places(struct bench_report *r, const char *what, const numa_places *places)
{
	if (!places->len)
		return;
	bench_text(r, "# binding tasks to %s:\n#  ", what);
	for (size_t i = 0; i < places->len; i++)
		bench_text(r, "%s %" PRIu32, i ? "," : "", places->data[i]);
	bench_text(r, "\n");
}

static void put_head(struct bench_report *r, const struct numa *n)
{
	const struct bench_numa *s = n->s;
	int64_t loops = s->loops ? (int64_t)s->loops : -1;
	uint64_t tasks = n->processes * n->threads;
	if (s->quiet)
		return;
	bench_text(r, "#\n");
	put_places(r, "CPUs", &n->cpus);
	put_places(r, "NODEs", &n->nodes);
	bench_text(r, "#\n\n ###\n # %" PRIu64 " task%s will execute (on %zu nodes, %" PRIu64 " CPUs):\n", tasks, tasks == 1 ? "" : "s",
		   n->nodes_nr, bench_cpus_nr());
	bench_text(r, " # %10" PRId64 "x %5.0fMB global  shared mem operations\n", loops, (double)n->global_bytes / MB);
	bench_text(r, " # %10" PRId64 "x %5.0fMB process shared mem operations\n", loops, (double)n->process_bytes / MB);
	bench_text(r, " # %10" PRId64 "x %5.0fMB thread  local  mem operations\n", loops, (double)n->thread_bytes / MB);
	bench_text(r, " ###\n\n ###\n #\n # Startup synchronization: ... ");
}

/* ---- set up ---- */

static struct strobe_error *bytes_of(double mb, const char *option, size_t *ret)
{
	if (!(mb >= 0 && mb <= MB_MAX))
		return error_create(ERROR_USAGE, "%s: invalid size in MB", option);
	*ret = (size_t)(mb * MB) / sizeof(uint64_t) * sizeof(uint64_t);
	return NULL;
}

static struct strobe_error *parse(struct numa *n)
{
	const struct bench_numa *s = n->s;
	n->processes = s->processes ? s->processes : 1;
	n->threads = s->threads ? s->threads : 1;
	if (n->processes > TASKS_MAX || n->threads > TASKS_MAX)
		return error_create(ERROR_USAGE, "at most %d processes (-p) and threads (-t)", TASKS_MAX);
	TRY(bytes_of(s->has_global ? s->global_mb : 1, "-G", &n->global_bytes));
	TRY(bytes_of(s->process_mb, "-P", &n->process_bytes));
	TRY(bytes_of(s->locked_mb, "-L", &n->locked_bytes));
	TRY(bytes_of(s->thread_mb, "-T", &n->thread_bytes));
	if (n->locked_bytes > n->process_bytes)
		return error_create(ERROR_USAGE, "-L: at most the memory of the process (-P)");
	TRY(numa_parse(s->cpus, "-C", &n->cpus));
	return numa_parse(s->nodes, "-M", &n->nodes);
}

static struct strobe_error *check_places(const struct numa *n, const struct sys_topology *t)
{
	for (size_t i = 0; i < n->cpus.len; i++) {
		bool is_found = false;
		for (size_t k = 0; k < t->cpus.len && !is_found; k++)
			is_found = t->cpus.data[k].online && t->cpus.data[k].cpu == n->cpus.data[i];
		if (!is_found)
			return error_create(ERROR_USAGE, "-C: there is no CPU %" PRIu32, n->cpus.data[i]);
	}
	for (size_t i = 0; i < n->nodes.len; i++) {
		bool is_found = false;
		for (size_t k = 0; k < t->nodes.len && !is_found; k++)
			is_found = t->nodes.data[k].node == n->nodes.data[i];
		if (!is_found)
			return error_create(ERROR_USAGE, "-M: there is no node %" PRIu32, n->nodes.data[i]);
	}
	return NULL;
}

static struct strobe_error *read_nodes(struct numa *n)
{
	struct sys_topology t;
	TRY(sys_topology_read(&t, sys_live()));
	struct strobe_error *err = check_places(n, &t);
	n->nodes_nr = t.nodes.len ? t.nodes.len : 1;
	n->cpus_nr = t.cpus.len ? vec_last(&t.cpus).cpu + 1 : 0;
	n->node_of_cpu = xcalloc(n->cpus_nr + 1, sizeof(*n->node_of_cpu));
	for (size_t i = 0; i < t.cpus.len; i++) /* without nodes there is one */
		n->node_of_cpu[t.cpus.data[i].cpu] = t.nodes.len ? t.cpus.data[i].node : 0;
	sys_topology_deinit(&t);
	return err;
}

/* Maps the memory that the processes share, zeroed. */
static struct strobe_error *share(struct numa *n)
{
	uint64_t tasks = n->processes * n->threads;
	pthread_mutexattr_t attr;
	n->shared_bytes = sizeof(*n->shared) + tasks * sizeof(*n->shared->threads);
	void *shared = mmap(NULL, n->shared_bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
	if (shared == MAP_FAILED)
		return error_errno(errno, "cannot allocate %zu bytes", n->shared_bytes);
	n->shared = shared;
	for (uint64_t i = 0; i < tasks; i++)
		atomic_store(&n->shared->threads[i].cpu, -1);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&n->shared->startup, &attr);
	pthread_mutexattr_destroy(&attr);
	return NULL;
}

static struct strobe_error *run(struct numa *n, struct bench_report *r)
{
	TRY(read_nodes(n));
	TRY(share(n));
	TRY(numa_allocate(n->global_bytes, n->s, true, &n->global));
	put_head(r, n);
	struct process *processes = xcalloc(n->processes, sizeof(*processes));
	struct strobe_error *err = run_processes(n, processes, r);
	free(processes);
	return err;
}

struct strobe_error *bench_numa_mem(const struct bench_settings *settings, struct bench_report *r)
{
	struct numa n = { .s = &settings->numa };
	struct strobe_error *err = parse(&n);
	bench_setting(r, "processes", n.processes);
	bench_setting(r, "threads", n.threads);
	bench_setting(r, "bytes", n.global_bytes + n.process_bytes + n.thread_bytes + n.locked_bytes);
	err = err ? err : run(&n, r);
	if (!err)
		put(r, &n);
	if (n.global)
		munmap(n.global, n.global_bytes);
	if (n.shared)
		munmap(n.shared, n.shared_bytes);
	free(n.node_of_cpu);
	vec_deinit(&n.cpus);
	vec_deinit(&n.nodes);
	return err;
}
