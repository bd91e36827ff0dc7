#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/followed.h"
#include "capture/session_priv.h"
#include "capture/tracing_data.h"
#include "sys/leave_behind.h"
#include "sys/perf_abi.h"

/* Tags of epoll events: ring or task. */
#define TASK_TAG (1ull << 63)

static struct strobe_error *prepare(struct capture *c, pid_t workload)
{
	TRY(target_resolve(c->sys, &c->options.target, workload, &c->map));
	for (unsigned i = 0; i < c->map.notes_nr; i++)
		vec_push(&c->notes, c->map.notes[i]);
	TRY(capture_events_configure(c->events, &c->options, &c->map));
	bool large;
	c->ring_bytes = capture_choose_ring_bytes(c, &large);
	/*
	 * System-wide, the reader is woken when a quarter is full, so that three quarters are left until it runs. Other rings
	 * use the kernel's default (half), as in perf's attr.
	 */
	for (size_t i = 0; large && c->map.system_wide && i < c->events->events.len; i++) {
		struct perf_event_attr *a = &c->events->events.data[i].attr;
		if (a->wakeup_events || a->write_backward)
			continue;
		a->watermark = 1;
		a->wakeup_watermark = (uint32_t)(c->ring_bytes / 4);
	}
	return NULL;
}

static struct strobe_error *add_tracing_data(struct capture *c)
{
	VEC(struct tracepoint_ref) refs = {};
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		struct tracepoint_ref t = { e->tracepoint_system, e->tracepoint_name, e->format };
		if (t.name)
			vec_push(&refs, t);
	}
	struct strobe_error *err = NULL;
	if (refs.len) {
		err = tracing_data_build(c->sys, refs.data, refs.len, &c->tracing_data);
		size_t n;
		c->env->tracing_data = out_mem(&c->tracing_data, &n);
		c->env->tracing_data_bytes = n;
	}
	vec_deinit(&refs);
	return err;
}

typedef VEC(uint64_t) id_list;

static void add_ids(const struct capture_event *e, id_list *ids)
{
	for (uint32_t slot = 0; slot < e->slots; slot++)
		if (e->fds[slot] >= 0)
			vec_push(ids, e->ids[slot]);
}

static void fill_env(struct capture *c)
{
	id_list ids = {};
	struct env *env = c->env;
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		if (e->is_tracker) /* the last */
			break;
		vec_clear(&ids);
		for (size_t k = i; k < c->events->events.len; k++)
			if (k == i || (c->events->events.data[k].is_tracker && c->events->events.data[k].tracks == i))
				add_ids(&c->events->events.data[k], &ids);
		uint32_t at = env_add_event(env, &e->attr, PERF_ABI_ATTR_BYTES, e->name, ids.data, (uint32_t)ids.len);
		struct env_event *ev = &env->events.data[at];
		ev->leader = e->leader;
		ev->unit = e->unit ? arena_strdup(&env->arena, e->unit) : NULL;
		ev->scale = e->scale != 0.0 ? e->scale : 1.0;
	}
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		if (e->leader != i)
			env->events.data[e->leader].group_members++;
		if (e->group_name)
			env->events.data[i].group_name = arena_strdup(&env->arena, e->group_name);
	}
	for (size_t i = 0; i < env->events.len; i++) {
		env->events.data[i].group_members += env->events.data[i].group_members != 0;
		env->has_branch_stack |= (env->events.data[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK) != 0;
	}
	vec_deinit(&ids);
	c->tail_bytes = env->events.len ? env->events.data[0].layout.tail_bytes : 0;
	env->compressed.mmap_bytes = (uint32_t)c->ring_bytes;
}

static struct strobe_error *add_reader(struct capture *c)
{
	struct capture_reader r = { .epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	if (r.epoll_fd < 0)
		return error_errno(errno, "cannot create an epoll descriptor");
	r.stats.first_ns = UINT64_MAX;
	r.stats.time_offset = c->env->one_layout ? c->env->events.data[0].layout.time : SAMPLE_NO_OFFSET;
	/* Layouts may differ, but mostly not in the offset of the time. */
	if (!c->env->one_layout) {
		uint16_t offset = c->env->events.data[0].layout.time;
		bool same = true;
		for (size_t i = 1; i < c->env->events.len; i++)
			same &= c->env->events.data[i].layout.time == offset;
		if (same)
			r.stats.time_offset = offset;
	}
	vec_push(&c->readers, r);
	return NULL;
}

static struct strobe_error *watch(struct capture_reader *r, int fd, uint32_t events, uint64_t tag)
{
	struct epoll_event e = { .events = events, .data.u64 = tag };
	/* EPERM: not pollable, as in a simulated system; rings are checked from time to time anyway. */
	if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &e) && errno != EPERM)
		return error_errno(errno, "cannot wait for a ring");
	return NULL;
}

static bool owns_ring(const struct capture *c, int fd, uint32_t *ret)
{
	for (uint32_t i = 0; i < c->rings.len; i++)
		if (c->rings.data[i].fd == fd) {
			*ret = i;
			return true;
		}
	return false;
}

/*
 * Events of CPUs do not hang up when their tasks end. A descriptor of a process is readable once it has ended, so that the
 * end is noticed at once; a thread's is noticed when it is looked for. A workload's is known by its status.
 */
static struct strobe_error *watch_processes(struct capture *c)
{
	c->counts_tasks = !c->map.is_workload;
	for (size_t i = 0; c->counts_tasks && i < c->map.threads.len; i++) {
		const struct thread_entry *t = &c->map.threads.data[i];
		int fd = t->pid == t->tid ? (int)syscall(SYS_pidfd_open, t->pid, 0) : -1;
		if (fd < 0)
			continue;
		vec_push(&c->processes, fd);
		TRY(watch(&c->readers.data[0], fd, EPOLLIN, TASK_TAG | (c->processes.len - 1)));
	}
	return NULL;
}

/*
 * The fd that owns a ring is polled for data. The first event of each (CPU, thread) shows when its task has ended; all
 * events of a task end together, so that one is enough.
 */
static struct strobe_error *watch_all(struct capture *c)
{
	struct capture_reader *r = &c->readers.data[0];
	for (uint32_t i = 0; i < c->rings.len; i++) {
		vec_push(&r->rings, i);
		TRY(watch(r, c->rings.data[i].fd, EPOLLIN, i));
	}
	if (c->map.system_wide || !c->events->events.len)
		return NULL;
	if (c->options.followed)
		return watch_processes(c);
	c->counts_tasks = true;
	/* Probes are opened on CPUs, and do not hang up. */
	while (c->task_event + 1 < c->events->events.len && c->events->events.data[c->task_event].format)
		c->task_event++;
	const struct capture_event *e = &c->events->events.data[c->task_event];
	for (uint32_t slot = 0; slot < e->slots; slot++) {
		uint32_t ring;
		if (e->fds[slot] < 0)
			continue;
		c->live_tasks++;
		if (!owns_ring(c, e->fds[slot], &ring))
			TRY(watch(r, e->fds[slot], 0, TASK_TAG | slot)); /* hang-ups only */
	}
	return NULL;
}

/*
 * In a pid namespace of its own (a container) the system's other processes can be recorded, but have no pid there: the
 * kernel says 0 or -1, and /proc does not show them.
 */
static bool is_pid_namespace_nested(const struct sys *sys)
{
	/* The first namespace has this inode: PROC_PID_INIT_INO of the kernel. */
	const ino_t first = 0xEFFFFFFC;
	struct stat st;
	char *path = sys_path(sys, "/proc/self/ns/pid");
	bool nested = !stat(path, &st) && st.st_ino != first;
	free(path);
	return nested;
}

/* Notes about events that could not be opened as requested, and their replacements. */
static void note_substitutes(struct capture *c)
{
	struct event_set *s = c->events;
	if (s->user_only)
		vec_push(&c->notes, (const char *)"not permitted to sample the kernel: recording user space only "
			"(kernel.perf_event_paranoid is above 1)");
	if (s->replaced)
		vec_push(&c->notes, arena_printf(&s->arena, "'%s' is not supported on this machine: recording cpu-clock instead",
						 s->replaced));
	if (s->reads_no_children)
		vec_push(&c->notes, (const char *)"this kernel cannot read a group (:S) in child processes (Linux 6.12 can): "
						  "they are not recorded");
}

static struct strobe_error *open_all(struct capture *c, pid_t workload)
{
	TRY(prepare(c, workload));
	TRY(capture_events_open(c->events, &c->options, &c->map));
	TRY(capture_map_rings(c));
	fill_env(c);
	TRY(add_tracing_data(c));
	TRY(add_reader(c));
	TRY(watch_all(c));
	c->lost = xcalloc(c->events->events.len, sizeof(*c->lost));
	note_substitutes(c);
	if (c->options.callgraph.mode == CALLGRAPH_FP && c->options.callgraph.defer &&
	    !perf_abi_attr_get(&c->events->events.data[0].attr, PERF_ABI_ATTR_DEFER_CALLCHAIN))
		vec_push(&c->notes, (const char *)"this kernel cannot defer call chains (Linux 6.19 can): "
						  "they are recorded with each sample");
	if (c->map.system_wide && is_pid_namespace_nested(c->sys))
		vec_push(&c->notes,
			 (const char *)"this is a pid namespace of its own (a container): processes outside of it "
				       "are recorded without pid, name and mappings; run on the host to see them");
	return NULL;
}

struct strobe_error *capture_open(const struct sys *sys, const struct capture_options *options,
				  struct event_set *events, pid_t workload, struct capture **ret)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	c->sys = sys;
	c->options = *options;
	c->events = events;
	c->env = env_create();
	out_init_mem(&c->tracing_data);
	struct strobe_error *err = open_all(c, workload);
	if (err) {
		capture_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

struct strobe_error *capture_configure_only(const struct sys *sys, const struct capture_options *options,
					    struct event_set *events, bool has_workload)
{
	struct capture c = { .sys = sys, .options = *options, .events = events };
	/* Nothing is recorded: our own process takes the place of the workload. */
	struct strobe_error *err = prepare(&c, has_workload ? getpid() : 0);
	for (size_t i = 0; !err && i < events->events.len; i++)
		capture_event_describe(&events->events.data[i]);
	target_map_deinit(&c.map);
	vec_deinit(&c.notes);
	return err;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->readers.len; i++) {
		close(c->readers.data[i].epoll_fd);
		vec_deinit(&c->readers.data[i].rings);
	}
	for (size_t i = 0; i < c->rings.len; i++)
		ring_unmap(&c->rings.data[i]);
	event_set_deinit(c->events);
	vec_deinit(&c->readers);
	vec_deinit(&c->rings);
	vec_deinit(&c->notes);
	vec_deinit(&c->excluded);
	for (size_t i = 0; i < c->processes.len; i++)
		close(c->processes.data[i]);
	vec_deinit(&c->processes);
	target_map_deinit(&c->map);
	env_destroy(c->env);
	error_destroy(out_close(&c->tracing_data));
	free(c->lost);
	free(c->ring_sinks);
	sys_topology_deinit(&c->topology);
	free(c);
}

void capture_close_later(struct capture *c)
{
	VEC(int) fds = {};
	bool slow = false;
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		slow |= e->tracepoint_name != NULL;
		for (uint32_t slot = 0; slot < e->slots; slot++)
			if (e->fds[slot] >= 0)
				vec_push(&fds, e->fds[slot]);
	}
	capture_events_disable(c->events);
	if (slow)
		sys_leave_behind(fds.data, fds.len, 0);
	vec_deinit(&fds);
}

struct env *capture_env(struct capture *c)
{
	return c->env;
}

const struct target_map *capture_target(const struct capture *c)
{
	return &c->map;
}

const struct event_set *capture_events(const struct capture *c)
{
	return c->events;
}

size_t capture_notes(const struct capture *c, const char *const **ret)
{
	*ret = c->notes.data;
	return c->notes.len;
}

uint64_t capture_ring_bytes(const struct capture *c)
{
	return c->ring_bytes;
}

bool capture_overwrites(const struct capture *c)
{
	return c->has_backward;
}

static struct strobe_error *synthesize_tasks(struct capture *c, struct record_sink *sink, struct synth_options *o,
					     bool again, struct synth_report *report)
{
	if (c->map.system_wide || again)
		return synth_all_tasks(sink, o, report);
	/* The child is about to exec: its current mappings are ours and not the program's. */
	if (c->map.is_workload)
		o->parts &= ~(unsigned)SYNTH_MMAP;
	return synth_target_tasks(sink, o, &c->map, report);
}

struct strobe_error *capture_synthesize(struct capture *c, struct record_sink *sink, bool again)
{
	struct synth_options o = {
		.sys = c->sys,
		.parts = c->options.synth_parts,
		.tail_bytes = c->tail_bytes,
		.build_ids = c->options.build_id_mmap,
		.data_maps = c->options.sample_address || c->options.mmap_data ||
			     c->options.callgraph.mode == CALLGRAPH_DWARF,
		.namespaces = c->options.namespaces,
		.threads = (unsigned)c->options.synth_threads,
		.timeout_ms = (uint32_t)c->options.proc_map_timeout_ms,
	};
	struct synth_report report = {};
	if (c->rings.len)
		TRY(synth_time_conv(sink, c->rings.data[0].page));
	TRY(synth_id_index(sink, c->events, &c->map));
	bool kernel = c->options.kernel_maps;
	for (size_t i = 0; i < c->events->events.len; i++)
		kernel |= !c->events->events.data[i].attr.exclude_kernel && !c->events->events.data[i].is_dummy;
	if (kernel)
		TRY(synth_kernel(sink, &o, &report));
	TRY(synth_thread_map(sink, &c->map));
	TRY(synth_cpu_map(sink, &c->map));
	if (kernel && !c->options.no_bpf_event)
		TRY(synth_bpf(sink, &o));
	if (c->options.cgroups && (o.parts & SYNTH_CGROUP))
		TRY(synth_cgroups(sink, &o));
	TRY(synthesize_tasks(c, sink, &o, again, &report));
	TRY(synth_mark(sink, RECORD_FINISHED_INIT));
	if (report.kernel_restricted)
		vec_push(&c->notes, (const char *)"kernel addresses are hidden (kernel.kptr_restrict): kernel samples "
						  "cannot be resolved "
						  "to functions; run as root, or: sudo sysctl kernel.kptr_restrict=0");
	if (report.maps_timed_out)
		vec_push(&c->notes,
			 (const char *)arena_printf(&c->events->arena,
						    "reading the mappings of %u processes (last: %d) took longer than %u ms: "
						    "they are incomplete; increase --proc-map-timeout",
						    report.maps_timed_out, report.timed_out_pid, o.timeout_ms));
	return NULL;
}

void capture_enable(struct capture *c)
{
	capture_events_enable(c->events);
}

void capture_disable(struct capture *c)
{
	capture_events_disable(c->events);
}

bool capture_set_enabled(struct capture *c, const char *event, bool on)
{
	return capture_event_enable(c->events, event, on);
}

void capture_start(struct capture *c)
{
	if (c->options.delay_ms)
		return;
	if (!c->map.is_workload || c->options.followed)
		capture_events_enable(c->events);
	else
		capture_events_enable_probes(c->events);
}

struct strobe_error *capture_split(struct capture *c, const sys_cpus *lists, unsigned n)
{
	while (c->readers.len < n)
		TRY(add_reader(c));
	vec_clear(&c->readers.data[0].rings);
	for (uint32_t i = 0; i < c->rings.len; i++) {
		for (unsigned r = 0; r < n; r++) {
			if (!sys_cpus_has(&lists[r], (uint32_t)c->rings.data[i].cpu))
				continue;
			vec_push(&c->readers.data[r].rings, i);
			if (r) {
				epoll_ctl(c->readers.data[0].epoll_fd, EPOLL_CTL_DEL, c->rings.data[i].fd, NULL);
				TRY(watch(&c->readers.data[r], c->rings.data[i].fd, EPOLLIN, i));
			}
			break;
		}
	}
	return NULL;
}

unsigned capture_rings(const struct capture *c)
{
	return (unsigned)c->rings.len;
}

void capture_set_ring_sink(struct capture *c, unsigned ring, struct record_sink *sink)
{
	if (!c->ring_sinks)
		c->ring_sinks = xcalloc(c->rings.len, sizeof(*c->ring_sinks));
	c->ring_sinks[ring] = sink;
}

void capture_set_affinity(struct capture *c, bool on, bool node)
{
	c->affine = on;
	c->affine_node = node;
	if (!on || !node || c->topology.cpus.len)
		return;
	struct strobe_error *err = sys_topology_read(&c->topology, c->sys);
	error_destroy(err); /* nodes that are not known are not moved to */
}

/* So that pages of the ring are read where they are near; a CPU that went offline is not a reason to stop. */
static void move_to(const struct capture *c, int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	int node = -1;
	for (size_t i = 0; i < c->topology.cpus.len; i++)
		if (c->topology.cpus.data[i].cpu == (uint32_t)cpu)
			node = c->topology.cpus.data[i].node;
	for (size_t i = 0; c->affine_node && node >= 0 && i < c->topology.cpus.len; i++)
		if (c->topology.cpus.data[i].node == node && c->topology.cpus.data[i].cpu < CPU_SETSIZE)
			CPU_SET(c->topology.cpus.data[i].cpu, &set);
	if (!c->affine_node)
		CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

unsigned capture_readers(const struct capture *c)
{
	return (unsigned)c->readers.len;
}

int capture_poll_fd(const struct capture *c, unsigned reader)
{
	return c->readers.data[reader].epoll_fd;
}

void capture_count_wakeup(struct capture *c, unsigned reader)
{
	c->readers.data[reader].wakeups++;
}

/* A few times a second, or where a process has just ended. */
#define LOOK_INTERVAL_NS 200000000u

static bool are_followed_gone(struct capture *c, unsigned reader, bool has_ended)
{
	uint64_t now = sys_clock_ns(c->sys, CLOCK_MONOTONIC);
	if (!c->counts_tasks || reader || (!has_ended && now - c->looked_ns < LOOK_INTERVAL_NS))
		return false;
	c->looked_ns = now;
	return !target_map_is_alive(&c->map, c->sys) && !followed_is_alive(c->options.followed, c->sys);
}

bool capture_tasks_gone(struct capture *c, unsigned reader)
{
	struct epoll_event events[64];
	struct capture_reader *r = &c->readers.data[reader];
	int n = epoll_wait(r->epoll_fd, events, 64, 0);
	bool has_ended = false;
	for (int i = 0; c->options.followed && i < n; i++) {
		if (!(events[i].data.u64 & TASK_TAG))
			continue;
		epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, c->processes.data[events[i].data.u64 & ~TASK_TAG], NULL);
		has_ended = true;
	}
	if (c->options.followed)
		return are_followed_gone(c, reader, has_ended);
	for (int i = 0; i < n; i++) {
		if (!(events[i].events & (EPOLLHUP | EPOLLERR)))
			continue;
		/* A hang-up is permanent, and would be reported on each call. */
		uint64_t tag = events[i].data.u64;
		int fd = tag & TASK_TAG ? c->events->events.data[c->task_event].fds[tag & ~TASK_TAG] : c->rings.data[tag].fd;
		epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		__atomic_sub_fetch(&c->live_tasks, 1, __ATOMIC_RELAXED);
	}
	/* A thread that calls exec ends the leader, whose events hang up, and goes on under its ID. */
	return c->counts_tasks && !__atomic_load_n(&c->live_tasks, __ATOMIC_RELAXED) && !target_map_is_alive(&c->map, c->sys);
}

struct strobe_error *capture_drain(struct capture *c, unsigned reader, struct record_sink *sink, bool all, bool rounds,
				   uint64_t *ret_bytes)
{
	struct capture_reader *r = &c->readers.data[reader];
	uint64_t before = r->stats.bytes;
	*ret_bytes = 0;
	for (size_t i = 0; i < r->rings.len; i++) {
		struct ring *ring = &c->rings.data[r->rings.data[i]];
		if (ring->backward)
			continue;
		uint64_t pending = ring_pending(ring);
		if (!pending || (!all && pending < c->options.flush_bytes))
			continue;
		if (c->affine)
			move_to(c, ring->cpu);
		TRY(ring_drain(ring, c->ring_sinks ? c->ring_sinks[r->rings.data[i]] : sink, &r->stats));
	}
	*ret_bytes = r->stats.bytes - before;
	if (rounds && *ret_bytes)
		TRY(synth_mark(sink, RECORD_FINISHED_ROUND));
	return NULL;
}

struct strobe_error *capture_snapshot(struct capture *c, struct record_sink *sink, uint64_t *ret_bytes)
{
	struct capture_reader *r = &c->readers.data[0];
	uint64_t before = r->stats.bytes;
	struct strobe_error *err = NULL;
	for (size_t i = 0; i < c->rings.len && !err; i++) {
		struct ring *ring = &c->rings.data[i];
		if (!ring->backward)
			continue;
		/* The kernel must not overwrite records that are being read. */
		sys_ioctl(c->sys, ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		err = ring_drain_backward(ring, sink, &r->stats);
		sys_ioctl(c->sys, ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	}
	*ret_bytes = r->stats.bytes - before;
	if (!err && *ret_bytes)
		err = synth_mark(sink, RECORD_FINISHED_ROUND);
	return err;
}

void capture_exclude_thread(struct capture *c, pid_t tid)
{
	vec_push(&c->excluded, tid);
}

/*
 * The recorder's own system calls, wake-ups and page faults must not fill what it records. Only tracepoints can be
 * filtered by who hits them; common_pid is the id of the thread.
 */
struct strobe_error *capture_apply_filters(struct capture *c)
{
	if (c->options.exclude_self && c->map.system_wide && c->excluded.len) {
		struct strbuf own = {};
		for (size_t i = 0; i < c->excluded.len; i++)
			strbuf_addf(&own, "%scommon_pid != %d", i ? " && " : "", c->excluded.data[i]);
		for (size_t i = 0; i < c->events->events.len; i++) {
			struct capture_event *e = &c->events->events.data[i];
			/* ftrace:function takes no such filter; the program of a probe leaves us out itself. */
			if (!e->tracepoint_name || e->format || !strcmp(e->tracepoint_system, "ftrace"))
				continue;
			e->filter =
				e->filter ? arena_printf(&c->events->arena, "(%s) && (%s)", e->filter, strbuf_str(&own))
					  : arena_strdup(&c->events->arena, strbuf_str(&own));
		}
		strbuf_deinit(&own);
	}
	return capture_events_filter(c->events);
}

struct strobe_error *capture_finish(struct capture *c, struct record_sink *sink)
{
	for (size_t i = 0; i < c->events->events.len; i++) {
		const struct capture_event *e = &c->events->events.data[i];
		c->lost[i] = 0;
		for (uint32_t slot = 0; slot < e->slots; slot++)
			c->lost[i] += capture_event_lost(e, slot);
	}
	return synth_lost_samples(sink, c->events, &c->map, &c->lost_samples);
}

struct capture_totals capture_totals(const struct capture *c)
{
	struct capture_totals t = { .first_ns = UINT64_MAX, .lost_samples = c->lost_samples };
	for (size_t i = 0; i < c->readers.len; i++) {
		const struct ring_stats *s = &c->readers.data[i].stats;
		t.samples += s->samples;
		t.records += s->records;
		t.bytes += s->bytes;
		t.lost_events += s->lost_events;
		t.throttled += s->throttled;
		t.exits += s->exits;
		t.wakeups += c->readers.data[i].wakeups;
		if (s->first_ns < t.first_ns)
			t.first_ns = s->first_ns;
		if (s->last_ns > t.last_ns)
			t.last_ns = s->last_ns;
	}
	if (t.first_ns == UINT64_MAX)
		t.first_ns = 0;
	return t;
}

void capture_forget_times(struct capture *c)
{
	for (size_t i = 0; i < c->readers.len; i++) {
		c->readers.data[i].stats.first_ns = UINT64_MAX;
		c->readers.data[i].stats.last_ns = 0;
	}
}

uint64_t capture_lost_of_event(const struct capture *c, size_t event)
{
	return event < c->events->events.len ? c->lost[event] : 0;
}
