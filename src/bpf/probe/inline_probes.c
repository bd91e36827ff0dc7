#include "bpf/probe/inline_probes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "bpf/probe/probes_shared.h"
#include "config.h"
#include "sys/cpus.h"
#include "sys/process_files.h"

#if HAVE_BPF_PROGRAMS
#include "probes.inc"
#else
static const struct bpf_image probes_image;
#endif

#define COUNTS_OF_A_LINE 8 /* of cache: CPUs share none */

struct inline_probes {
	const struct sys *sys;
	struct inline_probe_event *events;
	uint32_t events_nr, cpus, stride;
	pid_t *processes;
	size_t processes_nr;
	struct bpf_loaded *loaded;
	struct probes_control *control;
	uint64_t *counts;
	bool has_program, has_kernel, touches;
	bool has_filters, has_reads, has_strings;
};

/* ---- loading ---- */

static uint32_t places_nr(const struct inline_probes *p)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->events_nr; i++)
		n += p->events[i].code->nr;
	return n;
}

static void look_at_plan(struct inline_probes *p, const struct probe_inline *c, const struct fetch_plan *plan)
{
	p->touches |= c->path && plan->touches;
	for (unsigned i = 0; i < plan->args_nr; i++) {
		p->has_reads |= plan->arg[i].derefs != 0;
		p->has_strings |= plan->arg[i].what == FETCH_PLAN_STRING;
	}
}

static void look_at_events(struct inline_probes *p)
{
	for (uint32_t i = 0; i < p->events_nr; i++) {
		const struct probe_inline *c = p->events[i].code;
		*(c->path ? &p->has_program : &p->has_kernel) = true;
		p->has_filters |= c->filter.tests_nr != 0;
		for (uint32_t k = 0; k < c->nr && (p->events[i].period || c->filter.tests_nr); k++)
			look_at_plan(p, c, &c->plans[k]);
	}
	p->touches &= bpf_probes_can_sleep(p->sys);
}

static struct strobe_error *load(struct inline_probes *p, const struct inline_probes_options *o)
{
	const char *without[4] = {};
	size_t n = 0;
	const struct probes_settings settings = {
		.self = (uint32_t)getpid(),
		.words = o->followed ? o->followed->nr / 64 : 0,
		.stride = p->stride,
		.cpus = p->cpus,
		.by_thread = o->followed && o->followed->by_thread,
		.has_entry = bpf_kernel_is_since(p->sys, 6, 6),
		.has_filters = p->has_filters,
		.has_reads = p->has_reads,
		.has_strings = p->has_strings,
	};
	const struct bpf_map_size sizes[] = {
		{ "slots", p->cpus * PROBES_SLOTS_CPU, 0 },
		{ "places", places_nr(p), 0 },
		{ "events", p->events_nr, 0 },
		{ "samples", p->events_nr * p->cpus, 0 },
		{ "counts", p->stride * p->cpus, 0 },
		{},
	};
	if (!p->has_program)
		without[n++] = "probe_of_program";
	if (!p->has_kernel)
		without[n++] = "probe_of_kernel";
	if (!p->touches)
		without[n++] = "touch_for_probe";
	struct bpf_load_options load = { .sys = p->sys, .image = &probes_image, .settings = &settings, .settings_bytes = sizeof(settings),
					 .sizes = sizes, .without = without };
	if (o->followed)
		load.given = (struct bpf_map_given){ "followed", o->followed_map };
	return bpf_load(&load, &p->loaded);
}

static struct strobe_error *fill_event(struct inline_probes *p, uint32_t i, uint32_t *number)
{
	const struct probe_inline *c = p->events[i].code;
	const struct probes_event event = { .period = p->events[i].period, .filter = c->filter };
	TRY(bpf_map_set(bpf_map_of(p->loaded, "events"), &i, &event));
	for (uint32_t k = 0; k < c->nr; k++, ++*number) {
		struct probes_place place = { .address = c->path ? 0 : c->at[k], .plan = c->plans[k] };
		place.plan.event = i;
		place.plan.format = p->events[i].format;
		TRY(bpf_map_set(bpf_map_of(p->loaded, "places"), number, &place));
	}
	return NULL;
}

static struct strobe_error *open_all(struct inline_probes *p, const struct inline_probes_options *o)
{
	void *control, *counts;
	uint32_t number = 0;
	TRY(bpf_check_pid_namespace(p->sys));
	look_at_events(p);
	if (p->has_kernel)
		TRY(bpf_check_kernel_probes(p->sys));
	TRY(load(p, o));
	TRY(bpf_map_memory(p->loaded, ".bss", sizeof(*p->control), &control));
	TRY(bpf_map_memory(p->loaded, "counts", (size_t)p->stride * p->cpus * sizeof(*p->counts), &counts));
	p->control = control;
	p->counts = counts;
	for (uint32_t i = 0; i < p->events_nr; i++)
		TRY(fill_event(p, i, &number));
	return NULL;
}

static bool is_first_of_path(const struct inline_probes *p, uint32_t event)
{
	for (uint32_t k = 0; k < event; k++)
		if (p->events[k].code->path && !strcmp(p->events[k].code->path, p->events[event].code->path))
			return false;
	return true;
}

/* Processes that run an older file of a probe's path. */
static void warn_of_replaced(const struct inline_probes *p, const struct target_map *map)
{
	pid_t before = 0;
	for (size_t i = 0; map && !map->system_wide && !map->is_workload && i < map->threads.len; i++) {
		pid_t pid = map->threads.data[i].pid;
		if (pid <= 0 || pid == before)
			continue;
		before = pid;
		for (uint32_t k = 0; k < p->events_nr; k++)
			if (p->events[k].code->path && is_first_of_path(p, k))
				process_warn_if_replaced((uint32_t)pid, p->events[k].code->path);
	}
}

struct strobe_error *inline_probes_load(const struct inline_probes_options *o, struct inline_probes **ret)
{
	struct inline_probes *p = xcalloc(1, sizeof(*p));
	p->sys = o->sys;
	p->events = xmemdup(o->events, o->events_nr * sizeof(*o->events));
	p->events_nr = o->events_nr;
	p->processes = o->processes_nr ? xmemdup(o->processes, o->processes_nr * sizeof(*o->processes)) : NULL;
	p->processes_nr = o->processes_nr;
	p->cpus = sys_cpus_possible_nr(o->sys);
	p->stride = (o->events_nr + COUNTS_OF_A_LINE - 1) / COUNTS_OF_A_LINE * COUNTS_OF_A_LINE;
	struct strobe_error *err = open_all(p, o);
	if (err) {
		inline_probes_unload(p);
		return error_prefix(err, "inline probes (u:, k:) require BPF");
	}
	warn_of_replaced(p, o->map);
	*ret = p;
	return NULL;
}

void inline_probes_unload(struct inline_probes *p)
{
	if (!p)
		return;
	bpf_unload(p->loaded);
	free(p->events);
	free(p->processes);
	free(p);
}

/* ---- attaching ---- */

struct strobe_error *inline_probes_add_ring(struct inline_probes *p, uint32_t event, uint32_t cpu, int fd)
{
	uint32_t key = event * p->cpus + cpu, value = (uint32_t)fd;
	return cpu < p->cpus ? bpf_map_set(bpf_map_of(p->loaded, "samples"), &key, &value) : NULL;
}

/* All places of one file, or of the kernel, that one program is for. */
struct batch {
	VEC(uint64_t) at;
	VEC(uint64_t) cookies;
	VEC(uint64_t) semaphores;
	bool has_semaphores;
};

static bool is_alike(const struct probe_inline *a, const struct probe_inline *b)
{
	bool same_file = a->path == b->path || (a->path && b->path && !strcmp(a->path, b->path));
	return same_file && a->is_return == b->is_return;
}

static void add_to_batch(struct batch *b, const struct probe_inline *c, uint32_t number)
{
	for (uint32_t k = 0; k < c->nr; k++) {
		vec_push(&b->at, c->at[k]);
		vec_push(&b->cookies, number + k);
		vec_push(&b->semaphores, c->semaphores ? c->semaphores[k] : 0);
	}
	b->has_semaphores |= c->semaphores != NULL;
}

static struct strobe_error *attach_batch(const struct inline_probes *p, const struct probe_inline *c, const struct batch *b)
{
	const struct bpf_probe_places places = {
		.path = c->path,
		.at = b->at.data,
		.cookies = b->cookies.data,
		.semaphores = b->has_semaphores ? b->semaphores.data : NULL,
		.nr = (uint32_t)b->at.len,
		.at_return = c->is_return,
		.processes = p->processes,
		.processes_nr = c->path ? p->processes_nr : 0,
	};
	TRY(bpf_attach_probes(p->loaded, c->path ? "probe_of_program" : "probe_of_kernel", &places));
	/* The last one attached runs first. */
	return c->path && p->touches ? bpf_attach_probes(p->loaded, "touch_for_probe", &places) : NULL;
}

static bool is_first_alike(const struct inline_probes *p, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (is_alike(p->events[k].code, p->events[i].code))
			return false;
	return true;
}

static struct strobe_error *attach_alike(const struct inline_probes *p, uint32_t first)
{
	struct batch b = {};
	uint32_t number = 0;
	for (uint32_t i = 0; i < p->events_nr; number += p->events[i++].code->nr)
		if (is_alike(p->events[i].code, p->events[first].code))
			add_to_batch(&b, p->events[i].code, number);
	struct strobe_error *err = attach_batch(p, p->events[first].code, &b);
	vec_deinit(&b.at);
	vec_deinit(&b.cookies);
	vec_deinit(&b.semaphores);
	return err;
}

struct strobe_error *inline_probes_attach(struct inline_probes *p)
{
	for (uint32_t i = 0; i < p->events_nr; i++)
		if (is_first_alike(p, i))
			TRY(attach_alike(p, i));
	return NULL;
}

void inline_probes_enable(struct inline_probes *p, bool on)
{
	__atomic_store_n(&p->control->enabled, on, __ATOMIC_SEQ_CST);
}

/* ---- counts ---- */

uint64_t inline_probes_count(const struct inline_probes *p, uint32_t event, int32_t cpu)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < p->cpus; i++)
		if (cpu < 0 || (uint32_t)cpu == i)
			sum += __atomic_load_n(&p->counts[(size_t)i * p->stride + event], __ATOMIC_RELAXED);
	return sum;
}

void inline_probes_clear(struct inline_probes *p)
{
	memset(p->counts, 0, (size_t)p->stride * p->cpus * sizeof(*p->counts));
}

struct inline_probes_losses inline_probes_losses(const struct inline_probes *p)
{
	return (struct inline_probes_losses){ .missed = p->control->missed + bpf_runs_missed(p->loaded), .faults = p->control->faults };
}

char *inline_probes_losses_text(const struct inline_probes *p)
{
	struct inline_probes_losses l = inline_probes_losses(p);
	struct strbuf text = {};
	if (l.missed)
		strbuf_addf(&text, "%llu probe hits were lost: the kernel was running another BPF program, or out of slots",
			    (unsigned long long)l.missed);
	if (l.faults)
		strbuf_addf(&text, "%s%llu values of probes could not be read (memory not present): they are 0 or \"(fault)\"",
			    text.len ? "; " : "", (unsigned long long)l.faults);
	return text.len ? strbuf_take(&text) : NULL;
}
