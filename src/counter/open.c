/* The descriptors of a set: opened one by one, in groups, or many at once as a bundle; and closed. */
#include "counter/counter.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "event/open.h"
#include "record/attr_text.h"
#include "sys/cgroups.h"
#include "sys/limits.h"

/*
 * The kernel limits the size of a group's reading to 16 KB, and walks the group for each added member: with this number the cost is
 * low, and few calls remain.
 */
#define BUNDLE_EVENTS   128
#define BUNDLE_FROM     8    /* fewer are not worth it */
#define SPARE_FDS       64   /* for descriptors of other things than counters */

/* Software events never compete for counters: grouping them does not change counts. */
static bool can_bundle(const struct counter_set *s, uint32_t i)
{
	const struct counter_event *e = &s->events.data[i];
	bool grouped = e->leader != i || (i + 1 < s->events.len && s->events.data[i + 1].leader == i);
	return !grouped && !e->source && !e->event->cgroup && !e->event->cpus.len && e->event->kind != EVENT_TOOL &&
	       (e->attr.type == PERF_TYPE_TRACEPOINT || e->attr.type == PERF_TYPE_SOFTWARE) &&
	       !e->attr.pinned && !e->attr.exclusive;
}

static void plan_bundles(struct counter_set *s)
{
	uint32_t n = (uint32_t)s->events.len;
	for (uint32_t i = 0; i < n; i++)
		s->events.data[i].opened_leader = s->events.data[i].leader;
	if (!s->options.bundle)
		return;
	for (uint32_t first = 0; first < n;) {
		uint32_t end = first;
		while (end < n && end - first < BUNDLE_EVENTS && can_bundle(s, end))
			end++;
		if (end - first >= BUNDLE_FROM)
			for (uint32_t i = first; i < end; i++)
				s->events.data[i].opened_leader = first;
		first = end > first ? end : first + 1;
	}
}

/* Moves this thread to the CPU: the kernel interrupts another CPU for each event that is opened or closed there. */
struct pin {
	cpu_set_t before;
	bool is_pinned, off;
};

static void pin_to(struct pin *p, int cpu)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	if (p->off || cpu < 0 || cpu >= CPU_SETSIZE || (!p->is_pinned && sched_getaffinity(0, sizeof(p->before), &p->before)))
		return;
	CPU_SET(cpu, &one);
	/* If that CPU is not permitted this is only slower. */
	p->is_pinned |= !sched_setaffinity(0, sizeof(one), &one);
}

static void unpin(struct pin *p)
{
	if (p->is_pinned)
		sched_setaffinity(0, sizeof(p->before), &p->before);
}

/* The index after the last event that is opened together with this one. */
static uint32_t bundle_end(const struct counter_set *s, uint32_t first)
{
	uint32_t end = first + 1;
	while (end < s->events.len && s->events.data[end].opened_leader == first)
		end++;
	return end;
}

static bool is_bundle(const struct counter_set *s, uint32_t first)
{
	uint32_t end = bundle_end(s, first);
	return s->events.data[first].opened_leader == first && end > first + 1 && s->events.data[end - 1].leader == end - 1;
}

static void close_slot(struct counter_slot *slot)
{
	if (slot->fd >= 0)
		close(take_fd(slot->fd));
}

/* A failure only makes later runs slower. */
static void hold_tracepoints(struct counter_set *s)
{
	if (!s->options.hold_tracepoints || s->held.len)
		return;
	for (size_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		struct perf_event_attr attr = e->attr;
		if (attr.type != PERF_TYPE_TRACEPOINT || e->source || !e->supported)
			continue;
		attr.disabled = 1;
		attr.enable_on_exec = attr.inherit = 0;
		attr.read_format &= ~(uint64_t)(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
		int fd = sys_perf_event_open(s->sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			vec_push(&s->held, fd);
	}
}

static void close_event(struct counter_set *s, const struct counter_event *e)
{
	for (uint32_t k = 0; k < e->slots_nr; k++)
		close_slot(&s->slots.data[e->first_slot + k]);
}

static void note(struct counter_set *s, const char *sentence)
{
	vec_push(&s->notes, sentence);
}

/* "tsc" of "msr/tsc/"; none if there are other terms. */
static struct attr_names names_of(const struct event *e)
{
	/* Raw events belong to the core's PMU, which perf calls "cpu" even if the machine has none. */
	struct attr_names names = { .pmu = e->attr.type == PERF_TYPE_RAW && !e->pmu ? "cpu" : e->pmu };
	const char *slash = e->pmu ? strchr(e->name, '/') : NULL;
	size_t n = slash ? strcspn(slash + 1, "/=,") : 0;
	if (slash && slash[1 + n] == '/') {
		names.alias.name = slash + 1;
		names.alias.bytes = n;
	}
	return names;
}

static void describe(struct counter_set *s, const struct counter_event *e)
{
	static const char rule[] = "------------------------------------------------------------";
	if (!log_enabled(LOG_DEBUG))
		return;
	_cleanup_strbuf_ struct strbuf text = {};
	struct attr_names names = names_of(e->event);
	if (e->event->tracepoint)
		names.tracepoint = arena_printf(&s->arena, "%s:%s", e->event->system, e->event->tracepoint);
	attr_lines(&e->attr, &names, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	log_debug("%s\nperf_event_attr:\n%s\n%s", rule, strbuf_str(&text), rule);
}

/* Counts only user space from now on. */
static void fall_back_to_user(struct counter_set *s)
{
	s->user_only = true;
	for (size_t i = 0; i < s->events.len; i++) {
		struct counter_event *e = &s->events.data[i];
		if (e->attr.exclude_kernel || e->attr.exclude_user || e->event->kind == EVENT_TOOL)
			continue;
		e->attr.exclude_kernel = e->attr.exclude_hv = 1;
		e->name = arena_printf(&s->arena, "%s%su", e->name, strchr(e->name, ':') ? "" : ":");
	}
}

enum verdict { VERDICT_AGAIN, VERDICT_UNSUPPORTED, VERDICT_GONE, VERDICT_FAIL };

struct opening {
	struct counter_set *set;
	bool limit_raised, guest_dropped;
};

/* Classifies an error of perf_event_open(). */
static enum verdict judge(struct opening *o, struct counter_event *e, int errnum)
{
	struct counter_set *s = o->set;
	bool plain = !e->attr.exclude_kernel && !e->attr.exclude_user;
	switch (errnum) {
	case EMFILE:
		if (o->limit_raised)
			return VERDICT_FAIL;
		o->limit_raised = true;
		sys_raise_nofile(UINT64_MAX);
		return VERDICT_AGAIN;
	case EACCES:
	case EPERM:
		if (!plain || s->map->system_wide || e->attr.type == PERF_TYPE_TRACEPOINT || s->user_only)
			return VERDICT_FAIL;
		log_info("kernel.perf_event_paranoid=%d, counting user space only", sys_perf_event_paranoid(s->sys));
		fall_back_to_user(s);
		return VERDICT_AGAIN;
	case ESRCH:
		return VERDICT_GONE;
	case EINVAL:
		/* Some PMUs do not distinguish guests from the host, some uncore PMUs have no privilege levels. */
		if (e->attr.exclude_guest && !o->guest_dropped) {
			e->attr.exclude_guest = 0;
			o->guest_dropped = true;
			return VERDICT_AGAIN;
		}
		return VERDICT_UNSUPPORTED;
	case ENOENT:
	case ENOSYS:
	case ENXIO:
	case ENODEV:
	case EOPNOTSUPP:
		return VERDICT_UNSUPPORTED;
	default:
		return VERDICT_FAIL;
	}
}

static void say_group_does_not_fit(struct counter_set *s, const struct counter_event *e)
{
	const struct counter_event *leader = &s->events.data[e->leader];
	if (leader == e || e->errnum != EINVAL)
		return;
	note(s, arena_printf(&s->arena, "the group of '%s' does not fit into the counters of this PMU with '%s', which is "
		"omitted; without braces, or with :W, events are multiplexed", leader->name, e->name));
}

/* Splits a weak group that cannot be counted as one, and closes its open members. True if it was split. */
static bool undo_weak_group(struct counter_set *s, uint32_t index)
{
	uint32_t leader = s->events.data[index].leader;
	if (!s->events.data[index].event->weak_group || leader == index)
		return false;
	for (uint32_t i = leader; i < s->events.len && s->events.data[i].leader == leader; i++) {
		struct counter_event *e = &s->events.data[i];
		close_event(s, e);
		if (i != leader)
			e->leader = e->opened_leader = i;
	}
	return true;
}

static void set_start(struct counter_set *s, struct counter_event *e, uint32_t index)
{
	bool leads = e->opened_leader == index;
	bool grouped = !leads || (index + 1 < s->events.len && s->events.data[index + 1].opened_leader == index);
	/* A bundle is enabled as a whole; members start in the state of their leader. */
	e->attr.disabled = leads;
	e->attr.enable_on_exec = leads && s->options.start == COUNTER_START_ON_EXEC && !e->event->uncore;
	e->attr.read_format &= ~(uint64_t)(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	if (grouped)
		e->attr.read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
}

static struct strobe_error *open_slot(struct opening *o, uint32_t index, struct counter_slot *slot, int cgroup_fd,
				      enum verdict *ret)
{
	struct counter_set *s = o->set;
	struct counter_event *e = &s->events.data[index];
	const struct counter_event *leader = &s->events.data[e->opened_leader];
	int group_fd = -1;
	pid_t pid = cgroup_fd >= 0 ? cgroup_fd : e->event->uncore ? -1 : s->map->threads.data[slot->thread].tid;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0);
	if (e->opened_leader != index) {
		/* The leader has the same slots in the same order. */
		uint32_t at = (uint32_t)(slot - &s->slots.data[e->first_slot]);
		if (!leader->supported) {
			e->errnum = leader->errnum;
			*ret = VERDICT_UNSUPPORTED;
			return NULL;
		}
		group_fd = at < leader->slots_nr ? s->slots.data[leader->first_slot + at].fd : -1;
		if (group_fd < 0) {
			*ret = VERDICT_GONE;
			return NULL;
		}
	}
	for (;;) {
		int fd = sys_perf_event_open_wide(s->sys, &e->attr, e->event->config3, e->event->config4, pid, slot->cpu, group_fd,
						  flags);
		if (fd >= 0) {
			log_debug("sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags %#lx = %d", pid, slot->cpu, group_fd, flags,
				  fd);
			slot->fd = fd;
			*ret = VERDICT_AGAIN;
			return NULL;
		}
		log_debug("sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags %#lx: error %d", pid, slot->cpu, group_fd, flags,
			  -fd);
		e->errnum = -fd;
		*ret = judge(o, e, -fd);
		if (*ret == VERDICT_FAIL) {
			struct event shown = *e->event;
			shown.attr = e->attr;
			return event_open_error(&shown, -fd, s->sys, pid, slot->cpu);
		}
		if (*ret != VERDICT_AGAIN)
			return NULL;
	}
}

/* *ret_next is the event to continue with: the next one, or the leader of a weak group that was split. */
static struct strobe_error *open_event(struct opening *o, uint32_t index, uint32_t *ret_next)
{
	struct counter_set *s = o->set;
	struct counter_event *e = &s->events.data[index];
	uint32_t leader = e->leader;
	_cleanup_close_ int cgroup_fd = -1;
	*ret_next = index + 1;
	if (e->event->kind == EVENT_TOOL || e->source || !e->supported)
		return NULL;
	if (e->event->cgroup)
		TRY(sys_cgroup_open(s->sys, e->event->cgroup, &cgroup_fd));
	set_start(s, e, index);
	describe(s, e);
	o->guest_dropped = false;
	for (uint32_t k = 0; k < e->slots_nr; k++) {
		enum verdict v;
		TRY(open_slot(o, index, &s->slots.data[e->first_slot + k], cgroup_fd, &v));
		if (v != VERDICT_UNSUPPORTED)
			continue;
		if (undo_weak_group(s, index)) {
			*ret_next = leader;
			return NULL;
		}
		log_info("%s event is not supported by the kernel.", e->name);
		say_group_does_not_fit(s, e);
		e->supported = false;
		close_event(s, e);
		return NULL;
	}
	return NULL;
}

/* CPU by CPU. An event that is refused on one of them is not counted on the others either. */
static struct strobe_error *open_bundle(struct opening *o, uint32_t first, struct pin *pin)
{
	struct counter_set *s = o->set;
	uint32_t end = bundle_end(s, first), slots = s->events.data[first].slots_nr;
	for (uint32_t i = first; i < end; i++) {
		set_start(s, &s->events.data[i], i);
		describe(s, &s->events.data[i]);
	}
	for (uint32_t k = 0; k < slots; k++) {
		pin_to(pin, s->slots.data[s->events.data[first].first_slot + k].cpu);
		for (uint32_t i = first; i < end; i++) {
			struct counter_event *e = &s->events.data[i];
			enum verdict v = VERDICT_GONE;
			o->guest_dropped = !e->attr.exclude_guest;
			if (e->supported)
				TRY(open_slot(o, i, &s->slots.data[e->first_slot + k], -1, &v));
			if (v != VERDICT_UNSUPPORTED)
				continue;
			log_info("%s event is not supported by the kernel.", e->name);
			e->supported = false;
			close_event(s, e);
			if (i != first)
				continue;
			/* The next one leads, from its first CPU on. */
			for (uint32_t m = first + 1; m < end; m++) {
				close_event(s, &s->events.data[m]);
				s->events.data[m].opened_leader = first + 1;
			}
			return NULL;
		}
	}
	return NULL;
}

/* Counters that need descriptors. */
static size_t descriptors_needed(const struct counter_set *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		if (!e->source && e->event->kind != EVENT_TOOL)
			n += e->slots_nr + s->options.hold_tracepoints;
	}
	return n;
}

/* Threads may end before they are opened; it is an error if all did. */
static bool all_gone(const struct counter_set *s)
{
	bool any = false;
	for (size_t i = 0; i < s->events.len; i++) {
		const struct counter_event *e = &s->events.data[i];
		if (!e->supported || e->source || e->event->kind == EVENT_TOOL)
			continue;
		any = true;
		for (uint32_t k = 0; k < e->slots_nr; k++)
			if (s->slots.data[e->first_slot + k].fd >= 0)
				return false;
	}
	return any;
}

/* As in perf since 6.17: it is an error if no event can be counted. */
static struct strobe_error *check_any_supported(const struct counter_set *s)
{
	for (size_t i = 0; i < s->events.len; i++)
		if (s->events.data[i].supported)
			return NULL;
	if (!s->events.len)
		return NULL;
	const struct counter_event *first = &s->events.data[0];
	struct event shown = *first->event;
	shown.attr = first->attr;
	struct strobe_error *err = event_open_error(&shown, first->errnum, s->sys, -1, -1);
	err->exit_status = 0; /* perf ends with 1 here, and with 255 if it cannot open an existing event */
	return error_prefix(err, "No supported events found");
}

static struct strobe_error *open_all(struct opening *o)
{
	struct counter_set *s = o->set;
	struct pin pin = { .off = s->options.no_affinity };
	struct strobe_error *err = NULL;
	for (uint32_t i = 0; !err && i < s->events.len;) {
		if (is_bundle(s, i)) {
			err = open_bundle(o, i, &pin);
			i = bundle_end(s, i); /* which is the next one if it could not lead */
		} else {
			err = open_event(o, i, &i);
		}
	}
	unpin(&pin);
	return err;
}

struct strobe_error *counter_open(struct counter_set *s)
{
	struct opening o = { .set = s };
	size_t needed = descriptors_needed(s) + SPARE_FDS;
	uint64_t allowed = sys_raise_nofile(needed);
	if (allowed < needed)
		return error_create(ERROR_LIMIT,
				    "%zu counters are required, but only %" PRIu64 " open files are allowed; raise the limit "
				    "(ulimit -Hn, or nofile in /etc/security/limits.conf)",
				    needed - SPARE_FDS, allowed);
	pid_t leader = s->map->is_workload ? s->map->threads.data[0].tid : 0;
	for (size_t i = 0; i < s->sources.len; i++)
		TRY(s->sources.data[i]->ops->open(s->sources.data[i], leader));
	plan_bundles(s);
	TRY(open_all(&o));
	TRY(check_any_supported(s));
	hold_tracepoints(s);
	if (all_gone(s))
		return error_create(ERROR_NOT_FOUND, "the target threads have exited");
	return NULL;
}

static void close_bundle(struct counter_set *s, uint32_t first, struct pin *pin)
{
	for (uint32_t k = 0; k < s->events.data[first].slots_nr; k++) {
		pin_to(pin, s->slots.data[s->events.data[first].first_slot + k].cpu);
		for (uint32_t i = bundle_end(s, first); i-- > first;)
			close_slot(&s->slots.data[s->events.data[i].first_slot + k]);
	}
}

void counter_close(struct counter_set *s)
{
	struct pin pin = { .off = s->options.no_affinity };
	for (uint32_t i = 0; s->map && s->map->system_wide && i < s->events.len; i++)
		if (is_bundle(s, i) && s->slots.data[s->events.data[i].first_slot].fd >= 0)
			close_bundle(s, i, &pin);
	/* Members before their leaders, so that the kernel need not split groups. */
	for (size_t i = s->slots.len; i-- > 0;)
		close_slot(&s->slots.data[i]);
	unpin(&pin);
}
