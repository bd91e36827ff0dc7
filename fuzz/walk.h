/*
 * What the targets of the recording's readers do with a source: everything that a command might, nothing printed.
 */
#pragma once
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "dump/header_text.h"
#include "perfdata/reader.h"
#include "perfdata/rewrite.h"
#include "record/order.h"

/* Keeps a value alive, so that reading it is not optimised away. */
static inline void use(uint64_t v)
{
	__asm__ volatile("" : : "r"(v));
}

static inline void use_bytes(const void *p, uint64_t n)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += ((const uint8_t *)p)[i];
	use(sum);
}

static inline void use_sample(const struct sample_layout *l, const struct sample *s)
{
	struct sample_read_value v;
	static _Alignas(8) uint8_t copy[UINT16_MAX + 1];

	for (uint64_t i = 0; sample_read_get(s, i, &v); i++)
		use(v.value + v.id + v.lost);
	for (uint64_t i = 0; i < s->callchain_nr; i++)
		use(s->callchain[i]);
	for (uint64_t i = 0; i < s->branch_nr; i++)
		use(s->branches[i].from + s->branches[i].to + (s->branch_counters ? s->branch_counters[i] : 0));
	if (s->user_regs.values)
		use_bytes(s->user_regs.values, 8 * (uint64_t)__builtin_popcountll(s->user_regs.mask));
	if (s->intr_regs.values)
		use_bytes(s->intr_regs.values, 8 * (uint64_t)__builtin_popcountll(s->intr_regs.mask));
	use_bytes(s->raw, s->raw_bytes);
	use_bytes(s->stack, s->stack_bytes);
	use_bytes(s->aux, s->aux_bytes);
	/* What was decoded is encoded, and decodes again. */
	size_t n = sample_encode(l, s, copy, sizeof(copy));
	if (n) {
		struct sample again;
		if (!sample_decode(l, (struct record){ .hdr = (const void *)copy }, &again) || again.ip != s->ip ||
		    again.callchain_nr != s->callchain_nr || again.raw_bytes != s->raw_bytes ||
		    again.stack_bytes != s->stack_bytes || again.branch_nr != s->branch_nr)
			abort();
	}
}

static inline void use_record(const struct env *env, struct record r)
{
	struct record_walk w = record_walk(r, env_tail_layout(env)->tail_bytes);
	struct record_value v;
	uint64_t time;
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_ksymbol ksymbol;
		struct record_namespaces namespaces;
		struct record_cgroup cgroup;
		struct record_lost lost;
		struct record_switch cpu_switch;
		struct sample_tail tail;
		struct sample sample;
		struct sample_hot hot;
	} u;

	if ((uintptr_t)r.hdr & 7)
		abort();
	while (record_walk_next(&w, &v))
		use_bytes(v.data, v.bytes);
	use(env_record_time(env, r, &time));
	if (r.hdr->type == PERF_RECORD_SAMPLE) {
		if (env_decode_sample(env, r, &u.sample))
			use_sample(&env->events.data[u.sample.event].layout, &u.sample);
		if (sample_decode_hot(env_tail_layout(env), r, &u.hot))
			use_bytes(u.hot.callchain, u.hot.callchain_nr * 8);
		return;
	}
	if (record_decode_mmap(r, &u.mmap))
		use(strlen(u.mmap.filename));
	if (record_decode_comm(r, &u.comm))
		use(strlen(u.comm.comm));
	if (record_decode_ksymbol(r, &u.ksymbol))
		use(strlen(u.ksymbol.name));
	if (record_decode_cgroup(r, &u.cgroup))
		use(strlen(u.cgroup.path));
	if (record_decode_namespaces(r, &u.namespaces))
		use_bytes(u.namespaces.links, u.namespaces.nr * sizeof(*u.namespaces.links));
	use(record_decode_task(r, &u.task));
	use(record_decode_lost(r, &u.lost));
	use(record_decode_switch(r, &u.cpu_switch));
	use(sample_tail_decode(env_tail_layout(env), r, &u.tail));
}

/* All records, in order of time, up to a bound: a fuzzer finds compressed records that never end. */
static inline void walk_records(struct record_source *source)
{
	struct record r;
	bool end = false;

	for (unsigned n = 0; n < 100000 && !end; n++) {
		struct strobe_error *err = source_next(source, &r, &end);
		if (err) {
			error_destroy(err);
			return;
		}
		if (!end)
			use_record(source_env(source), r);
	}
}

static inline void print_header(const struct env *env)
{
	struct out out;

	out_init_mem(&out);
	header_text_print(&out, env, true);
	error_destroy(out_close(&out));
}

/* A copy into nowhere: all that is encoded from what was decoded. */
static inline void copy_to_null(struct record_source *source, bool pipe)
{
	const struct writer_options options = { .pipe = pipe };
	const char *name = "/dev/null";
	struct writer *w;
	struct strobe_error *err =
		writer_create(open(name, O_RDWR | O_CLOEXEC), name, source_env(source), options, &w);

	if (err) {
		error_destroy(err);
		return;
	}
	error_destroy(rewrite(source, source, w, NULL));
	error_destroy(writer_finish(w, source_env(source)));
	writer_destroy(w);
}

static inline void walk_all(const uint8_t *data, size_t size, bool pipe)
{
	struct record_source *source;
	struct strobe_error *err = reader_open_mem(data, size, &source);

	if (err) {
		error_destroy(err);
		return;
	}
	print_header(source_env(source));
	source = order_create(source);
	walk_records(source);
	source_destroy(source);
	err = reader_open_mem(data, size, &source);
	if (!err) {
		copy_to_null(source, pipe);
		source_destroy(source);
	}
	error_destroy(err);
}
