/*
 * Options → attr bits. The order of the rules matters where they overlap: terms of an event come last but for -P, as
 * in perf, so that files made by either compare field by field.
 */
#include <string.h>

#include "base/text.h"
#include "capture/events.h"
#include "sys/limits.h"
#include "sys/perf_abi.h"

#define DEFAULT_BRANCH_LBR                                                                        \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES | \
	 PERF_SAMPLE_BRANCH_NO_FLAGS)

/* Bytes of stack with each sample, for the innermost function's saved registers and return address. */
#define LEAF_BYTES 64

static void set_callgraph(struct capture_event *e, const struct callgraph_options *c)
{
	struct perf_event_attr *a = &e->attr;
	if (c->mode == CALLGRAPH_NONE)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = c->max_stack;
	if (c->kernel_only)
		a->exclude_callchain_user = 1;
	if (c->user_only)
		a->exclude_callchain_kernel = 1;
	if (c->mode == CALLGRAPH_FP && sample_regs_leaf() && !c->kernel_only && !perf_attr_is_dummy(a)) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user |= sample_regs_leaf();
	}
	/* Without the registers: with both, readers take it for a dump that all of the chain is to be unwound from. */
	if (c->mode == CALLGRAPH_FP && c->leaf && !sample_regs_leaf() && !c->kernel_only && !perf_attr_is_dummy(a)) {
		a->sample_type |= PERF_SAMPLE_STACK_USER;
		a->sample_stack_user = LEAF_BYTES;
	}
	if (c->mode == CALLGRAPH_FP && c->defer) {
		perf_abi_attr_set(a, PERF_ABI_ATTR_DEFER_CALLCHAIN, !perf_attr_is_dummy(a));
		perf_abi_attr_set(a, PERF_ABI_ATTR_DEFER_OUTPUT, e->tracking);
	}
	if (c->mode == CALLGRAPH_LBR && !perf_attr_is_dummy(a)) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type |= DEFAULT_BRANCH_LBR;
		a->exclude_callchain_user = 1;
	}
	/* A BPF program walks the user stack: no second one by the kernel's frame pointers. */
	if (c->mode == CALLGRAPH_EH && !perf_attr_is_dummy(a))
		a->exclude_callchain_user = 1;
	if (c->mode == CALLGRAPH_DWARF && !perf_attr_is_dummy(a)) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user |= sample_regs_all();
		a->sample_stack_user = c->dump_bytes;
		/* The copied stack is unwound later: no second one by frame pointers. */
		a->exclude_callchain_user = 1;
	}
}

static void reset_callgraph(struct perf_event_attr *a)
{
	a->sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				      PERF_SAMPLE_BRANCH_STACK);
	a->sample_max_stack = 0;
	a->branch_sample_type = 0;
	a->exclude_callchain_user = a->exclude_callchain_kernel = 0;
	perf_abi_attr_set(a, PERF_ABI_ATTR_DEFER_CALLCHAIN, false);
	perf_abi_attr_set(a, PERF_ABI_ATTR_DEFER_OUTPUT, false);
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
}

/* The rate: the event's own, unless the user gave -F or -c. */
static void set_rate(struct capture_event *e, const struct capture_options *o)
{
	struct perf_event_attr *a = &e->attr;
	if (!a->sample_period || ((o->freq_set || o->period_set) && !perf_attr_is_dummy(a))) {
		if (o->freq_hz) {
			a->freq = 1;
			a->sample_freq = o->freq_hz;
		} else {
			a->freq = 0;
			a->sample_period = o->period;
		}
	}
}

/*
 * Such a tracepoint counts nanoseconds, not its own occurrences (__perf_count() in include/trace/events/sched.h). Where samples do not have
 * the period, the kernel writes one for each nanosecond, until it throttles the event.
 */
static bool counts_time(const struct capture_event *e)
{
	return e->tracepoint_name && !strcmp(e->tracepoint_system, "sched") && text_has_prefix(e->tracepoint_name, "sched_stat_");
}

static void set_fields(struct capture_event *e, const struct capture_options *o, const struct target_map *map)
{
	struct perf_event_attr *a = &e->attr;
	bool helper = e->is_dummy; /* added by us: no data of its own to describe */
	if (o->sample_address)
		a->sample_type |= PERF_SAMPLE_ADDR;
	if (o->sample_data_src)
		a->sample_type |= PERF_SAMPLE_DATA_SRC;
	if (o->mmap_data)
		a->mmap_data = e->tracking;
	set_callgraph(e, &o->callgraph);
	if (o->intr_regs && !helper) {
		a->sample_regs_intr = o->intr_regs;
		a->sample_type |= PERF_SAMPLE_REGS_INTR;
	}
	if (o->user_regs && !helper) {
		a->sample_regs_user |= o->user_regs;
		a->sample_type |= PERF_SAMPLE_REGS_USER;
	}
	if (map->system_wide || o->sample_cpu)
		a->sample_type |= PERF_SAMPLE_CPU;
	/* perf leaves TIME out of per-thread recordings; without it their rings cannot be put in order. */
	if (!o->no_time)
		a->sample_type |= PERF_SAMPLE_TIME;
	if (o->raw_samples && !helper)
		a->sample_type |= PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;
	if (counts_time(e))
		a->sample_type |= PERF_SAMPLE_PERIOD;
	if (o->sample_phys_addr)
		a->sample_type |= PERF_SAMPLE_PHYS_ADDR;
	if (o->no_buffering) {
		a->watermark = 0;
		a->wakeup_events = 1;
	}
	if (o->branch_mask && !helper) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = o->branch_mask;
	}
	if (o->sample_weight)
		a->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	if (o->data_page_size)
		a->sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE;
	if (o->code_page_size)
		a->sample_type |= PERF_SAMPLE_CODE_PAGE_SIZE;
	if (o->transaction)
		a->sample_type |= PERF_SAMPLE_TRANSACTION;
	if (o->cgroups)
		a->sample_type |= PERF_SAMPLE_CGROUP;
	if (o->running_time)
		a->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (o->inherit_stat) {
		a->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
		a->inherit_stat = 1;
	}
}

void capture_attr_track(struct perf_event_attr *a, bool t, const struct capture_options *o)
{
	a->task = t;
	a->mmap = t;
	a->mmap2 = t;
	a->comm = t;
	a->comm_exec = t;
	a->ksymbol = t;
	a->bpf_event = t && !o->no_bpf_event;
	a->build_id = t && o->build_id_mmap;
	a->namespaces = t && o->namespaces;
	a->cgroup = t && o->cgroups;
	a->context_switch = t && o->switch_events;
	a->text_poke = t && o->text_poke;
	a->mmap_data &= t;
}

static void apply_terms(struct capture_event *e, const struct capture_options *o)
{
	struct perf_event_attr *a = &e->attr;
	const struct event_terms *t = &e->terms;
	if (t->set & EVENT_TERM_PERIOD) {
		a->freq = 0;
		a->sample_period = t->period;
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	}
	if (t->set & EVENT_TERM_FREQ) {
		a->freq = 1;
		a->sample_freq = t->freq == EVENT_FREQ_MAX ? o->freq_hz : t->freq;
		a->sample_type |= PERF_SAMPLE_PERIOD;
	}
	if (t->set & EVENT_TERM_TIME) {
		if (t->time)
			a->sample_type |= PERF_SAMPLE_TIME;
		else
			a->sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	}
	if (t->set & EVENT_TERM_INHERIT)
		a->inherit = t->inherit;
	if (t->set & EVENT_TERM_OVERWRITE)
		a->write_backward = t->overwrite;
	if (t->set & EVENT_TERM_AUX_OUTPUT)
		a->aux_output = t->aux_output;
	if (t->set & EVENT_TERM_AUX_SAMPLE_SIZE) {
		a->aux_sample_size = t->aux_sample_size;
		if (t->aux_sample_size)
			a->sample_type |= PERF_SAMPLE_AUX;
	}
	if (t->set & EVENT_TERM_BRANCH_TYPE) {
		uint64_t mask = 0;
		struct strobe_error *err = branch_filter_parse(t->branch_type, &mask);
		error_destroy(err); /* capture_events_configure() has checked it */
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = mask;
	}
	if (t->set & (EVENT_TERM_CALL_GRAPH | EVENT_TERM_STACK_SIZE | EVENT_TERM_MAX_STACK)) {
		struct callgraph_options c = o->callgraph;
		if (t->set & EVENT_TERM_CALL_GRAPH)
			c.mode = (enum callgraph_mode)t->call_graph;
		if (t->set & EVENT_TERM_STACK_SIZE) {
			c.mode = CALLGRAPH_DWARF;
			c.dump_bytes = t->stack_size;
		}
		if (c.mode == CALLGRAPH_DWARF && !c.dump_bytes)
			c.dump_bytes = 8192;
		if (t->set & EVENT_TERM_MAX_STACK) {
			c.max_stack = (uint16_t)t->max_stack;
			if (c.mode == CALLGRAPH_NONE)
				c.mode = CALLGRAPH_FP;
		}
		reset_callgraph(a);
		set_callgraph(e, &c);
	}
}

/* What a leader that samples for its group reads of it. */
static void set_group_reading(const struct event_set *s, struct capture_event *e)
{
	bool grouped = false;
	for (size_t i = 0; i < s->events.len; i++)
		grouped |= s->events.data[i].leader == e->leader && i != e->leader;
	/* READ values are matched to their event by id even where there is one event only. */
	e->attr.sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID;
	if (grouped)
		e->attr.read_format |= PERF_FORMAT_GROUP;
}

/* When the event begins to count: at the exec of a workload, at once, or when it is enabled. */
static void set_start(struct capture_event *e, const struct capture_options *o, const struct target_map *map, bool leads)
{
	struct perf_event_attr *a = &e->attr;
	if (leads)
		a->disabled = 1;
	if (map->is_workload && leads && !o->delay_ms)
		a->enable_on_exec = 1;
	/* It only has side-band records, none of which may be lost. */
	if (map->system_wide && perf_attr_is_dummy(a)) {
		e->immediate = true;
		a->exclude_guest = e->is_dummy;
	}
	if (e->immediate) {
		a->disabled = 0;
		a->enable_on_exec = 0;
	} else if (e->is_dummy && map->is_workload && o->delay_ms) {
		a->enable_on_exec = 1;
	}
}

static void configure_one(struct event_set *s, struct capture_event *e, const struct capture_options *o,
			  const struct target_map *map, bool per_cpu)
{
	struct perf_event_attr *a = &e->attr;
	const struct capture_event *leader = &s->events.data[e->leader];
	bool leads = leader == e;
	a->size = PERF_ABI_ATTR_BYTES;
	a->sample_id_all = 1;
	/* Events on whole CPUs count children anyway. */
	a->inherit = !(o->no_inherit || !per_cpu || map->system_wide);
	a->write_backward = o->overwrite;
	a->read_format |= PERF_FORMAT_ID | PERF_FORMAT_LOST;
	a->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (leader->sample_read)
		set_group_reading(s, e);
	set_rate(e, o);
	if (a->freq)
		a->sample_type |= PERF_SAMPLE_PERIOD;
	/* Members of a group whose leader samples for all are read, not sampled. */
	if (leader->sample_read && !leads) {
		a->freq = 0;
		a->sample_period = 0;
	}
	if (o->no_samples)
		a->sample_freq = 0;
	set_fields(e, o, map);
	capture_attr_track(a, e->tracking, o);
	set_start(e, o, map, leads);
	if (o->use_clockid) {
		a->use_clockid = 1;
		a->clockid = o->clockid;
	}
	if (e->precise_max)
		a->precise_ip = 3;
	if (o->all_user) {
		a->exclude_kernel = 1;
		a->exclude_user = 0;
	}
	if (o->all_kernel) {
		a->exclude_kernel = 0;
		a->exclude_user = 1;
	}
	apply_terms(e, o);
	if (o->period_field_set && !e->format) { /* output of a BPF program has none */
		if (o->no_period_field)
			a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
		else
			a->sample_type |= PERF_SAMPLE_PERIOD;
	}
	if (perf_attr_is_dummy(a)) {
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = 0;
	}
}

/* The kernel's limit lowers -F; what it became is left in the set for a message to the user. */
static struct strobe_error *limit_freq(struct event_set *s, struct capture_options *o)
{
	uint64_t max = sys_perf_event_max_sample_rate(s->sys);
	if (!o->freq_hz || !max)
		return NULL;
	if (o->freq_hz == CAPTURE_FREQ_MAX) {
		o->freq_hz = max;
		return NULL;
	}
	if (o->freq_hz <= max)
		return NULL;
	if (o->strict_freq)
		return error_create(
			ERROR_LIMIT,
			"frequency %llu is above the limit of %llu in /proc/sys/kernel/perf_event_max_sample_rate "
			"and --strict-freq forbids a lower one",
			(unsigned long long)o->freq_hz, (unsigned long long)max);
	s->requested_freq = o->freq_hz;
	s->lowered_freq = max;
	o->freq_hz = max;
	return NULL;
}

/*
 * IDENTIFIER is at a fixed place whatever else is sampled: needed as soon as two events sample different things, so
 * that a reader can find which attr decodes a record.
 */
static void choose_ids(struct event_set *s, const struct capture_options *o)
{
	if (s->events.len < 2 && !o->sample_identifier)
		return;
	bool differ = false;
	for (size_t i = 1; i < s->events.len; i++)
		differ |= s->events.data[i].attr.sample_type != s->events.data[0].attr.sample_type;
	for (size_t i = 0; i < s->events.len; i++) {
		struct perf_event_attr *a = &s->events.data[i].attr;
		if (differ || o->sample_identifier) {
			a->sample_type &= ~(uint64_t)PERF_SAMPLE_ID;
			a->sample_type |= PERF_SAMPLE_IDENTIFIER;
		} else {
			a->sample_type |= PERF_SAMPLE_ID;
		}
	}
}

/* Fields in the trailer of side-band records (perf_event_open(2), sample_id). */
#define TAIL_FIELDS                                                                                                                \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/*
 * Events of whole CPUs would bring the mappings and names of every task. Those of the tasks that are followed come from a
 * dummy on each of them, in place of the event that should bring them: a system-wide event that reads build-ids makes the
 * kernel (6.18) mark the mappings of all other recorders as well, and perf 6.1 aborts on such records.
 */
static void add_task_tracker(struct event_set *s, uint32_t of, const struct capture_options *o)
{
	const struct capture_event *e = &s->events.data[of];
	struct capture_event t = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ABI_ATTR_BYTES, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
			 .sample_type = e->attr.sample_type & TAIL_FIELDS, .read_format = PERF_FORMAT_ID, .sample_id_all = 1,
			 .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1, .write_backward = e->attr.write_backward,
			 .use_clockid = e->attr.use_clockid, .clockid = e->attr.clockid, .mmap_data = e->attr.mmap_data },
		.kind = EVENT_SOFTWARE,
		.name = e->name,
		.scale = 1.0,
		.leader = (uint32_t)s->events.len,
		.tracking = true,
		.immediate = true,
		.is_tracker = true,
		.tracks = of,
	};
	capture_attr_track(&t.attr, true, o);
	vec_push(&s->events, t);
}

struct strobe_error *capture_events_configure(struct event_set *s, const struct capture_options *given,
					      const struct target_map *map)
{
	struct capture_options o = *given;
	bool per_cpu = map->cpus.len && map->cpus.data[0] >= 0;
	TRY(limit_freq(s, &o));
	uint64_t mask;
	for (size_t i = 0; i < s->events.len; i++)
		if (s->events.data[i].terms.set & EVENT_TERM_BRANCH_TYPE)
			TRY(branch_filter_parse(s->events.data[i].terms.branch_type, &mask));
	bool dwarf = o.callgraph.mode == CALLGRAPH_DWARF;
	for (size_t i = 0; i < s->events.len; i++)
		dwarf |= (s->events.data[i].terms.set & EVENT_TERM_CALL_GRAPH) &&
			 s->events.data[i].terms.call_graph == EVENT_CALL_GRAPH_DWARF;
	/* Unwinding may meet addresses in data mappings; perf samples addresses with it. */
	if (dwarf)
		o.sample_address = true;
	if (o.sample_address)
		o.mmap_data = o.sample_data_src = true;
	/*
	 * Mappings must be seen while nothing is sampled (delay, track_apart) and on every CPU even where its events are
	 * throttled or limited to a PMU's CPUs: a dummy event, enabled at once, brings them.
	 */
	size_t tracker = 0;
	if (o.delay_ms || o.track_apart || map->system_wide) {
		if (!perf_attr_is_dummy(&s->events.data[0].attr)) {
			tracker = event_set_add_dummy(s);
			if (map->system_wide || !map->is_workload)
				s->events.data[tracker].immediate = true;
		}
	}
	s->events.data[tracker].tracking = true;
	if (o.group)
		for (size_t i = 1; i < s->events.len; i++)
			if (!s->events.data[i].is_dummy)
				s->events.data[i].leader = 0;
	for (size_t i = 0; i < s->events.len; i++)
		configure_one(s, &s->events.data[i], &o, map, per_cpu);
	choose_ids(s, &o);
	if ((o.followed || s->events.data[tracker].format) && !s->events.data[tracker].is_dummy)
		add_task_tracker(s, (uint32_t)tracker, &o);
	return NULL;
}
