#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/events.h"
#include "capture/host_priv.h"
#include "event/open.h"
#include "record/attr_text.h"
#include "sys/cgroups.h"
#include "sys/limits.h"
#include "sys/perf_abi.h"
#include "sys/tracefs.h"

void event_set_init(struct event_set *s, const struct sys *sys)
{
	*s = (struct event_set){ .sys = sys };
	arena_init(&s->arena);
}

static void close_event(struct capture_event *e)
{
	for (uint32_t i = 0; i < e->slots; i++)
		if (e->fds[i] >= 0)
			close(e->fds[i]);
	free(e->fds);
	free(e->ids);
	e->fds = NULL;
	e->ids = NULL;
	e->slots = 0;
}

void event_set_deinit(struct event_set *s)
{
	for (size_t i = 0; i < s->events.len; i++)
		close_event(&s->events.data[i]);
	vec_deinit(&s->events);
	arena_deinit(&s->arena);
}

static const char *keep(struct event_set *s, const char *text)
{
	return text ? arena_strdup(&s->arena, text) : NULL;
}

void event_set_add_list(struct event_set *s, const struct event_list *list)
{
	uint32_t base = (uint32_t)s->events.len;
	for (size_t i = 0; i < list->events.len; i++) {
		const struct event *e = &list->events.data[i];
		struct capture_event c = {
			.attr = e->attr,
			.config3 = e->config3,
			.config4 = e->config4,
			.name = keep(s, e->name),
			.unit = keep(s, e->unit),
			.scale = e->scale,
			.uncore = e->uncore,
			.kind = e->kind,
			.pmu = keep(s, e->pmu),
			.leader = base + e->leader,
			.group_name = keep(s, e->group_name),
			.filter = keep(s, e->filter),
			.cgroup = keep(s, e->cgroup),
			.tracepoint_system = keep(s, e->system),
			.tracepoint_name = keep(s, e->tracepoint),
			.format = keep(s, e->format),
			.code = e->code,
			.precise_max = e->precise_max,
			.sample_read = e->sample_read,
			.terms = e->terms,
		};
		c.terms.branch_type = keep(s, e->terms.branch_type);
		c.terms.metric_id = NULL;
		c.terms.driver_configs = NULL;
		c.terms.driver_configs_nr = 0;
		if (e->cpus.len) {
			c.own_cpus = arena_memdup(&s->arena, e->cpus.data, e->cpus.len * sizeof(*e->cpus.data));
			c.own_cpus_nr = (uint32_t)e->cpus.len;
		}
		vec_push(&s->events, c);
	}
}

uint32_t event_set_add_dummy(struct event_set *s)
{
	struct capture_event e = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1, .exclude_kernel = 1,
			 .exclude_hv = 1 },
		.kind = EVENT_SOFTWARE,
		.name = "dummy:u",
		.scale = 1.0,
		.leader = (uint32_t)s->events.len,
		.is_dummy = true,
	};
	vec_push(&s->events, e);
	return e.leader;
}

static int open_fd(const struct sys *sys, const struct capture_event *e, pid_t pid, int cpu, int group_fd,
		   unsigned long flags)
{
	return sys_perf_event_open_wide(sys, &e->attr, e->config3, e->config4, pid, cpu, group_fd,
					flags | PERF_FLAG_FD_CLOEXEC);
}

/*
 * On a whole CPU, for the tasks that are followed; the file keeps the attr of tasks, whose samples these are. Side-band records
 * come from a tracker on the tasks, or on the CPU: then without build IDs (attr_config.c: add_task_tracker() says why).
 */
static int open_by_cpu(const struct sys *sys, const struct capture_event *e, int cpu, int group_fd, int cgroup_fd)
{
	struct capture_event wide = *e;
	wide.attr.inherit = 0;
	wide.attr.enable_on_exec = 0;
	if (e->is_tracker)
		wide.attr.build_id = 0;
	else
		capture_attr_track(&wide.attr, false, NULL);
	if (e->format) {
		wide.attr.type = PERF_TYPE_SOFTWARE;
		wide.attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	}
	if (perf_attr_is_clock(&e->attr))
		wide.attr.exclude_idle = 1;
	return open_fd(sys, &wide, cgroup_fd, cpu, group_fd, cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0);
}

/*
 * Features that older kernels lack, newest first, except those requested by the user, which fail. Each is dropped from
 * all events as a try, since kernels return EINVAL for any unknown bit.
 */
static bool drop_feature(struct event_set *s, unsigned step)
{
	bool changed = false;
	for (size_t i = 0; i < s->events.len; i++) {
		struct perf_event_attr *a = &s->events.data[i].attr;
		switch (step) {
		case 0: /* 6.19 */
			changed |= perf_abi_attr_get(a, PERF_ABI_ATTR_DEFER_CALLCHAIN) ||
				   perf_abi_attr_get(a, PERF_ABI_ATTR_DEFER_OUTPUT);
			perf_abi_attr_set(a, PERF_ABI_ATTR_DEFER_CALLCHAIN, false);
			perf_abi_attr_set(a, PERF_ABI_ATTR_DEFER_OUTPUT, false);
			break;
		case 1: /* 6.12: a group that is read with its leader counts in children too */
			if (a->inherit && a->sample_type & PERF_SAMPLE_READ && a->read_format & PERF_FORMAT_GROUP) {
				a->inherit = 0;
				s->reads_no_children = changed = true;
			}
			break;
		case 2: /* 6.0 */
			changed |= (a->read_format & PERF_FORMAT_LOST) != 0;
			a->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
			break;
		case 3: /* 5.12 */
			changed |= a->build_id;
			a->build_id = 0;
			break;
		case 4: /* 5.12: the struct replaced the plain weight */
			if (a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT) {
				a->sample_type =
					(a->sample_type & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT) | PERF_SAMPLE_WEIGHT;
				changed = true;
			}
			break;
		case 5: /* 5.1 */
			changed |= a->ksymbol || a->bpf_event;
			a->ksymbol = a->bpf_event = 0;
			break;
		case 6: /* 3.16 and 3.12 */
			changed |= a->mmap2 || a->comm_exec;
			a->mmap2 = a->comm_exec = 0;
			break;
		case 7: /* not every PMU can distinguish guests */
			changed |= a->exclude_guest || a->exclude_host;
			a->exclude_guest = a->exclude_host = 0;
			break;
		}
	}
	return changed;
}
#define FEATURE_STEPS 8

struct opening {
	struct event_set *set;
	const struct capture_options *options;
	const struct target_map *map;
	unsigned step; /* of drop_feature */
	bool limit_raised;
};

/* True if a feature was dropped, and the same open should be tried again. */
static bool give_up_something(struct opening *o, struct capture_event *e, int errnum)
{
	struct perf_event_attr *a = &e->attr;
	if (errnum == EMFILE && !o->limit_raised) {
		o->limit_raised = true;
		sys_raise_nofile(UINT64_MAX);
		return true;
	}
	if (e->precise_max && a->precise_ip && errnum != EACCES && errnum != EPERM && errnum != EMFILE) {
		a->precise_ip--;
		return true;
	}
	if ((errnum == ENOENT || errnum == ENXIO || errnum == ENODEV) && a->type == PERF_TYPE_HARDWARE &&
	    a->config == PERF_COUNT_HW_CPU_CYCLES && !(a->sample_type & PERF_SAMPLE_BRANCH_STACK)) {
		log_info("The %s event is not supported, trying to fall back to cpu-clock", e->name);
		/* A clock counts nanoseconds: a period given in cycles is kept as a number. */
		a->type = PERF_TYPE_SOFTWARE;
		a->config = PERF_COUNT_SW_CPU_CLOCK;
		a->precise_ip = 0;
		e->precise_max = false;
		o->set->replaced = e->name;
		e->name = "cpu-clock";
		return true;
	}
	if ((errnum == EACCES || errnum == EPERM) && !a->exclude_kernel && !a->exclude_user &&
	    sys_perf_event_paranoid(o->set->sys) > 1 && a->type != PERF_TYPE_TRACEPOINT && !o->options->all_kernel &&
	    !o->map->system_wide) {
		for (size_t i = 0; i < o->set->events.len; i++) {
			struct capture_event *other = &o->set->events.data[i];
			if (other->attr.exclude_kernel || other->attr.exclude_user)
				continue;
			other->attr.exclude_kernel = 1;
			other->attr.exclude_hv = 1;
			if (!other->is_dummy)
				other->name = arena_printf(&o->set->arena, "%s%su", other->name,
							   strchr(other->name, ':') ? "" : ":");
		}
		o->set->user_only = true;
		return true;
	}
	if (errnum == EINVAL)
		while (o->step < FEATURE_STEPS)
			if (drop_feature(o->set, o->step++))
				return true;
	return false;
}

static void read_id(const struct sys *sys, struct capture_event *e, uint32_t slot)
{
	uint64_t id;
	if (!sys_ioctl(sys, e->fds[slot], PERF_EVENT_IOC_ID, (uintptr_t)&id)) {
		e->ids[slot] = id;
		return;
	}
	/* Before 3.12: from a read, after value and times. */
	uint64_t words[16];
	ssize_t n = read(e->fds[slot], words, sizeof(words));
	size_t at = 1 + !!(e->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(e->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (!(e->attr.read_format & PERF_FORMAT_GROUP) && n >= (ssize_t)((at + 1) * 8))
		e->ids[slot] = words[at];
}

/* Whether it opens without sampling: then its PMU counts but has no interrupt. */
static bool counts_only(const struct sys *sys, const struct capture_event *e, pid_t pid, int cpu)
{
	struct capture_event plain = {
		.attr = { .type = e->attr.type,
			 .size = PERF_ABI_ATTR_BYTES,
			 .config = e->attr.config,
			 .config1 = e->attr.config1,
			 .config2 = e->attr.config2,
			 .disabled = 1 },
		.config3 = e->config3,
		.config4 = e->config4,
	};
	int fd = open_fd(sys, &plain, pid, cpu, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static struct strobe_error *refused(const struct opening *o, size_t index, int errnum, pid_t pid, int cpu)
{
	const struct capture_event *e = &o->set->events.data[index];
	if ((errnum == EINVAL || errnum == EOPNOTSUPP) && e->kind == EVENT_PMU && e->attr.sample_period &&
	    counts_only(o->set->sys, e, pid, cpu)) {
		struct strobe_error *err = error_create(
			ERROR_UNSUPPORTED, "'%s' can be counted but not sampled: its PMU has no interrupt; use stat", e->name);
		return error_with_status(err, EVENT_OPEN_STATUS);
	}
	const struct event as_event = {
		.kind = e->kind,
		.name = e->name,
		.attr = e->attr,
		.scale = 1.0,
		.system = e->tracepoint_system,
		.tracepoint = e->tracepoint_name,
		.pmu = e->pmu,
		.uncore = e->uncore,
	};
	return event_open_error(&as_event, errnum, o->set->sys, pid, cpu);
}

void capture_event_describe(const struct capture_event *e)
{
	if (!log_enabled(LOG_DEBUG))
		return;
	static const char rule[] = "------------------------------------------------------------";
	_cleanup_strbuf_ struct strbuf text = {};
	attr_lines(&e->attr, NULL, &text);
	/* Lines, without the last newline. */
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	log_debug("%s\nperf_event_attr:\n%s\n%s", rule, strbuf_str(&text), rule);
}

static bool counts_on_cpu(const struct capture_event *e, int cpu)
{
	if (!e->own_cpus || cpu < 0)
		return true;
	for (uint32_t i = 0; i < e->own_cpus_nr; i++)
		if (e->own_cpus[i] == (uint32_t)cpu)
			return true;
	return false;
}

static struct strobe_error *open_event(struct opening *o, size_t index)
{
	struct event_set *s = o->set;
	struct capture_event *e = &s->events.data[index];
	const struct target_map *m = o->map;
	_cleanup_close_ int cgroup_fd = -1;
	if (e->cgroup)
		TRY(sys_cgroup_open(s->sys, e->cgroup, &cgroup_fd));
	uint32_t slots = (uint32_t)(m->cpus.len * m->threads.len);
	size_t opened = 0;
	e->fds = xreallocarray(NULL, slots, sizeof(*e->fds));
	e->ids = xcalloc(slots, sizeof(*e->ids));
	e->slots = slots;
	memset(e->fds, 0xff, slots * sizeof(*e->fds));
	int last = 0;
	bool by_cpu = e->format || (o->options->followed && !e->is_dummy && (!e->is_tracker || o->options->tracks_all));
	capture_event_describe(e);
	for (size_t c = 0; c < m->cpus.len; c++) {
		if (!counts_on_cpu(e, m->cpus.data[c]))
			continue;
		for (size_t t = 0; t < (by_cpu ? 1 : m->threads.len); t++) {
			uint32_t slot = (uint32_t)(c * m->threads.len + t);
			const struct capture_event *leader = &s->events.data[e->leader];
			int group_fd = leader == e ? -1 : leader->fds[slot];
			if (leader != e && group_fd < 0)
				continue; /* its thread was gone already for the leader */
			int fd;
			do
				fd = by_cpu ? open_by_cpu(s->sys, e, m->cpus.data[c], group_fd, cgroup_fd)
					    : open_fd(s->sys, e,
					     cgroup_fd >= 0 ? cgroup_fd
					     : e->uncore    ? -1
							    : m->threads.data[t].tid,
					     m->cpus.data[c], group_fd, cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0);
			while (fd < 0 && give_up_something(o, e, -fd));
			if (fd >= 0) {
				e->fds[slot] = fd;
				read_id(s->sys, e, slot);
				opened++;
				continue;
			}
			last = -fd;
			/* A thread that has ended meanwhile is not an error, unless none is left. */
			if (last == ESRCH && !m->system_wide)
				continue;
			return refused(o, index, last, m->threads.data[t].tid, m->cpus.data[c]);
		}
	}
	if (!opened && last == ESRCH)
		return error_create(ERROR_NOT_FOUND, "the process to record has ended");
	if (!opened && e->own_cpus)
		return error_create(ERROR_USAGE, "the event %s is not available on any of the CPUs to record", e->name);
	return NULL;
}

struct strobe_error *capture_events_open(struct event_set *s, const struct capture_options *options,
					 const struct target_map *map)
{
	struct opening o = { .set = s, .options = options, .map = map };
	sys_raise_nofile(s->events.len * map->cpus.len * map->threads.len + 64);
	for (size_t i = 0; i < s->events.len; i++)
		TRY(open_event(&o, i));
	return NULL;
}

/* "common_pid, prev_comm, …" from the format file, for a filter that the kernel did not like. */
static char *field_names(const struct sys *sys, const struct capture_event *e)
{
	_cleanup_free_ char *root = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	struct strbuf names = {};
	if (!e->tracepoint_system)
		return NULL;
	error_destroy(sys_tracefs(sys, &root));
	_cleanup_free_ char *path =
		root ? xasprintf("%s/events/%s/%s/format", root, e->tracepoint_system, e->tracepoint_name) : NULL;
	if (!path || !host_read(sys, path, &text))
		return NULL;
	for (const char *line = strbuf_str(&text); (line = strstr(line, "\tfield:"));) {
		line += 7;
		const char *end = strchr(line, ';');
		if (!end)
			break;
		const char *stop = memchr(line, '[', (size_t)(end - line)) ?: end;
		const char *name = stop;
		while (name > line && name[-1] != ' ' && name[-1] != '*')
			name--;
		strbuf_addf(&names, "%s%.*s", names.len ? ", " : "", (int)(stop - name), name);
		line = end;
	}
	return names.len ? strbuf_take(&names) : NULL;
}

struct strobe_error *capture_events_filter(struct event_set *s)
{
	for (size_t i = 0; i < s->events.len; i++) {
		struct capture_event *e = &s->events.data[i];
		if (!e->filter || e->format)
			continue;
		for (uint32_t slot = 0; slot < e->slots; slot++) {
			int r = e->fds[slot] < 0 ? 0
						 : sys_ioctl(s->sys, e->fds[slot], PERF_EVENT_IOC_SET_FILTER,
							     (uintptr_t)e->filter);
			if (r >= 0)
				continue;
			int errnum = -r;
			_cleanup_free_ char *names = field_names(s->sys, e);
			return error_create(ERROR_USAGE, "the kernel refuses the filter \"%s\" on %s (%s)%s%s",
					    e->filter, e->name, strerror(errnum), names ? "; its fields are: " : "",
					    names ? names : "");
		}
	}
	return NULL;
}

static bool each_leader(struct event_set *s, unsigned long request, const char *name)
{
	bool found = false;
	for (size_t i = 0; i < s->events.len; i++) {
		struct capture_event *e = &s->events.data[i];
		if (e->leader != i || e->immediate || (name && strcmp(name, e->name)))
			continue;
		found = true;
		for (uint32_t slot = 0; slot < e->slots; slot++)
			if (e->fds[slot] >= 0)
				sys_ioctl(s->sys, e->fds[slot], request, 0);
	}
	return found;
}

void capture_events_enable(struct event_set *s)
{
	each_leader(s, PERF_EVENT_IOC_ENABLE, NULL);
}

void capture_events_enable_probes(struct event_set *s)
{
	for (size_t i = 0; i < s->events.len; i++)
		if (s->events.data[i].format)
			each_leader(s, PERF_EVENT_IOC_ENABLE, s->events.data[i].name);
}

void capture_events_disable(struct event_set *s)
{
	each_leader(s, PERF_EVENT_IOC_DISABLE, NULL);
}

bool capture_event_enable(struct event_set *s, const char *name, bool on)
{
	return each_leader(s, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, name);
}

uint64_t capture_event_lost(const struct capture_event *e, uint32_t slot)
{
	if (!(e->attr.read_format & PERF_FORMAT_LOST) || slot >= e->slots || e->fds[slot] < 0)
		return 0;
	/* value, enabled, running, id, lost; with GROUP: nr, enabled, running, then value, id, lost of the leader
	 * first. */
	uint64_t words[4 + 3 * 64];
	ssize_t n = read(e->fds[slot], words, sizeof(words));
	size_t times = !!(e->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(e->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t id = !!(e->attr.read_format & PERF_FORMAT_ID);
	size_t at = 1 + times + id + !!(e->attr.read_format & PERF_FORMAT_GROUP);
	return n >= (ssize_t)((at + 1) * 8) ? words[at] : 0;
}
