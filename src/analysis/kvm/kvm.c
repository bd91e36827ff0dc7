#include "analysis/kvm/kvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kvm/kvm_reasons.h"
#include "base/mem.h"
#include "decode/tracepoint.h"
#include "event/tracepoint.h"

#define NAME_MAX_BYTES 64
#define MMIO_READ  1 /* include/trace/events/kvm.h: KVM_TRACE_MMIO_READ */
#define MMIO_WRITE 2
#define ISA_INTEL  1 /* the trace.h of kvm on x86: KVM_ISA_VMX */
#define VMX_REASON 0xffff
#define ARM_RETURN 0x7fffffff /* on arm64 the highest bit is set if an SError is pending */
#define ARM_TRAP   2          /* ARM_EXCEPTION_TRAP: the exception class is the reason */

enum point { POINT_NONE, POINT_ENTRY, POINT_EXIT, POINT_MEMORY, POINT_PORT, POINT_MSR };
enum { FIELDS = 3 };

/* The events and the fields read of each. */
static const struct kvm_event {
	const char *name;
	enum point point;
	const char *fields[FIELDS];
} events[] = {
	{ "kvm_entry", POINT_ENTRY, { "vcpu_id" } },
	{ "kvm_exit", POINT_EXIT, { "exit_reason", "isa" } },
	{ "kvm_mmio", POINT_MEMORY, { "gpa", "type" } },
	{ "kvm_pio", POINT_PORT, { "port", "rw" } },
	{ "kvm_msr", POINT_MSR, { "ecx", "write" } },
};
#define EVENTS (sizeof(events) / sizeof(*events))

struct reader {
	enum point point;
	const struct tracepoint_field *fields[FIELDS];
	bool is_arm; /* an exit: ret, esr_ec */
};

struct kvm {
	struct kvm_request q;
	struct session session;
	struct arena arena;
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	struct kvm_reasons reasons;
	struct resolve_filter filter;
	struct kvm_exits exits;
	bool has_reasons, has_exits;
};

/* ---- the recording's events ---- */

static void read_exit(struct kvm *k, struct reader *d, const struct tracepoint *point)
{
	k->has_exits = true;
	if (!k->has_reasons)
		kvm_reasons_init(&k->reasons, point->print_fmt);
	k->has_reasons = true;
	d->is_arm = !d->fields[0];
	if (d->is_arm) {
		d->fields[0] = tracepoint_field(point, "ret");
		d->fields[1] = tracepoint_field(point, "esr_ec");
	}
}

static void add_reader(void *ctx, const struct env_event *e)
{
	struct kvm *k = ctx;
	struct reader d = {};
	const struct tracepoint *point = tracepoints_of_event(k->formats, e);
	for (size_t i = 0; point && !strcmp(point->system, "kvm") && i < EVENTS; i++) {
		if (strcmp(point->name, events[i].name) != 0)
			continue;
		d.point = events[i].point;
		for (size_t j = 0; j < FIELDS && events[i].fields[j]; j++)
			d.fields[j] = tracepoint_field(point, events[i].fields[j]);
	}
	if (d.point == POINT_EXIT)
		read_exit(k, &d, point);
	vec_push(&k->readers, d);
}

static struct strobe_error *read_events(struct kvm *k)
{
	return tracepoints_learn_events(&k->formats, k->session.env, k->readers.len, add_reader, k);
}

struct strobe_error *kvm_recorded_events(const struct sys *sys, struct recorded_events *ret)
{
	if (!tracepoint_exists(sys, "kvm", "kvm_exit"))
		return error_with_check("tracefs", error_create(ERROR_UNSUPPORTED,
								"the kernel has no tracepoint kvm:kvm_exit: no guests run on this machine, "
								"or its kvm module is not loaded (modprobe kvm)"));
	for (size_t i = 0; i < EVENTS; i++)
		recorded_events_add_known(ret, sys, "kvm", events[i].name);
	return NULL;
}

/* ---- keys ---- */

static uint64_t number(const struct kvm *k, const struct reader *d, unsigned field, const struct sample *s)
{
	const struct tracepoint_field *f = d->fields[field];
	return f ? field_number(k->formats, f, s->raw, s->raw_bytes) : 0;
}

static uint32_t exit_key(struct kvm *k, const struct reader *d, const struct sample *s)
{
	uint64_t reason = number(k, d, 0, s);
	char unnamed[NAME_MAX_BYTES];
	unsigned list = 0;
	if (d->is_arm) {
		reason &= ARM_RETURN;
		list = reason == ARM_TRAP;
		reason = list ? number(k, d, 1, s) : reason;
	} else if (!d->fields[1] || number(k, d, 1, s) == ISA_INTEL) {
		reason &= VMX_REASON;
	} else {
		list = 1;
	}
	const char *name = kvm_reasons_name(&k->reasons, list, reason);
	snprintf(unnamed, sizeof(unnamed), "UNKNOWN %#" PRIx64, reason);
	return kvm_exits_key(&k->exits, name ? name : unnamed);
}

/* "0xfee000b0:W" */
static uint32_t access_key(struct kvm *k, const struct reader *d, const struct sample *s, const char *how)
{
	char name[NAME_MAX_BYTES];
	snprintf(name, sizeof(name), "%#" PRIx64 ":%s", number(k, d, 0, s), how);
	return kvm_exits_key(&k->exits, name);
}

/* ---- samples ---- */

/* Waits of a guest that has nothing to do: HLT of Intel, hlt of AMD, WFx of Arm. */
static bool is_idle(const char *name)
{
	return !strcasecmp(name, "hlt") || !strcasecmp(name, "wfx");
}

static void end(struct kvm *k, const struct sample *s, uint32_t key)
{
	struct kvm_exit e;
	if (!kvm_exits_end(&k->exits, s->tid, s->time, key, &e) || !k->q.slow || e.took_ns <= k->q.slow_ns)
		return;
	struct kvm_slow_exit slow = { .time_ns = s->time, .pid = s->pid, .vcpu = e.vcpu, .name = strtab_get(&k->exits.names, e.name),
				      .took_ns = e.took_ns };
	if (!is_idle(slow.name))
		k->q.slow(k->q.ctx, &slow);
}

/* The event of a memory read comes at the end of the access; a write lasts from its event to the next entry. */
static void take_memory(struct kvm *k, const struct reader *d, const struct sample *s)
{
	uint64_t type = number(k, d, 1, s);
	if (d->point == POINT_EXIT)
		kvm_exits_begin(&k->exits, s->tid, s->time, KVM_NO_KEY);
	else if (type == MMIO_WRITE)
		kvm_exits_begin(&k->exits, s->tid, s->time, access_key(k, d, s, "W"));
	else if (type == MMIO_READ)
		end(k, s, access_key(k, d, s, "R"));
}

static void take_point(struct kvm *k, const struct reader *d, const struct sample *s)
{
	enum kvm_subject subject = k->q.subject;
	if (d->point == POINT_ENTRY) {
		kvm_exits_vcpu(&k->exits, s->tid, (uint32_t)number(k, d, 0, s));
		end(k, s, KVM_NO_KEY);
	} else if (d->point == POINT_EXIT && subject == KVM_EXITS) {
		kvm_exits_begin(&k->exits, s->tid, s->time, exit_key(k, d, s));
	} else if ((d->point == POINT_EXIT || d->point == POINT_MEMORY) && subject == KVM_MEMORY) {
		take_memory(k, d, s);
	} else if (d->point == POINT_PORT && subject == KVM_PORTS) {
		kvm_exits_begin(&k->exits, s->tid, s->time, access_key(k, d, s, number(k, d, 1, s) ? "POUT" : "PIN"));
	} else if (d->point == POINT_MSR && subject == KVM_MSRS) {
		kvm_exits_begin(&k->exits, s->tid, s->time, access_key(k, d, s, number(k, d, 1, s) ? "W" : "R"));
	}
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct kvm *k = ctx;
	TRY(read_events(k));
	if (s->sample.event < k->readers.len && k->readers.data[s->sample.event].point)
		take_point(k, &k->readers.data[s->sample.event], &s->sample);
	return NULL;
}

static bool needs_no_stack(void *ctx, const struct resolved_sample *s)
{
	(void)ctx;
	(void)s;
	return true;
}

/* ---- the whole ---- */

static struct kvm *create(const struct kvm_request *q)
{
	struct kvm *k = xcalloc(1, sizeof(*k));
	k->q = *q;
	kvm_exits_init(&k->exits, q->vcpu);
	return k;
}

static struct strobe_error *read_all(struct kvm *k)
{
	struct session_request request = { .filter = &k->filter };
	struct resolve_callbacks callbacks = { .sample = take_sample, .knows_stack = needs_no_stack, .ctx = k };
	TRY(session_resolve(&k->session, &request));
	struct strobe_error *err = resolve_stream(k->session.resolver, callbacks);
	return error_first(err, read_events(k));
}

static struct strobe_error *run(struct kvm *k)
{
	const struct sample_choice choice = { .pids = k->q.pids };
	TRY(session_open(&k->session, k->q.host, k->q.input, k->q.force));
	TRY(sample_choice_parse(&choice, k->session.env, &k->arena, &k->filter));
	struct strobe_error *err = read_all(k);
	if (!err && !k->has_exits)
		return error_create(ERROR_NOT_FOUND, "this recording has no events of KVM guests: record them with 'kvm stat record'");
	return err;
}

struct strobe_error *kvm_run(const struct kvm_request *q, struct kvm **ret)
{
	struct kvm *k = *ret = create(q);
	struct strobe_error *err = run(k);
	kvm_sort(k);
	return err;
}

struct strobe_error *kvm_run_source(const struct kvm_request *q, struct record_source *source, struct kvm **ret)
{
	struct kvm *k = *ret = create(q);
	session_open_source(&k->session, q->host, source, false);
	return read_all(k);
}

void kvm_sort(struct kvm *k)
{
	kvm_exits_sort(&k->exits, k->q.sort);
}

void kvm_restart(struct kvm *k)
{
	kvm_exits_restart(&k->exits);
}

void kvm_destroy(struct kvm *k)
{
	if (!k)
		return;
	kvm_exits_deinit(&k->exits);
	if (k->has_reasons)
		kvm_reasons_deinit(&k->reasons);
	tracepoints_destroy(k->formats);
	vec_deinit(&k->readers);
	session_close(&k->session);
	arena_deinit(&k->arena);
	free(k);
}

const struct kvm_exits *kvm_exits(const struct kvm *k)
{
	return &k->exits;
}

void kvm_remarks(const struct kvm *k)
{
	session_remarks(&k->session, false);
}
