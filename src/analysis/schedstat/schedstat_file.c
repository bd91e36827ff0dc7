#include "analysis/schedstat/schedstat_file.h"

#include <string.h>

#include "base/cursor.h"
#include "perfdata/reader.h"

/* Sizes are those of the newest version, for all versions. */
struct cpu_record {
	struct perf_event_header hdr;
	uint64_t jiffies;
	uint32_t cpu;
	uint16_t version, reserved;
	uint32_t narrow[SCHEDSTAT_CPU_NARROW];
	uint64_t wide[SCHEDSTAT_CPU_COUNTERS - SCHEDSTAT_CPU_NARROW];
};

struct domain_record {
	struct perf_event_header hdr;
	uint64_t jiffies;
	uint32_t cpu;
	uint16_t version, domain;
	uint32_t counters[SCHEDSTAT_DOMAIN_COUNTERS_MAX + 1]; /* one for the alignment */
};

_Static_assert(sizeof(struct cpu_record) == 72 && sizeof(struct domain_record) == 208, "no gaps");

/* ---- writing ---- */

static struct strobe_error *put_cpu(struct record_sink *sink, const struct schedstat *s, const struct schedstat_cpu *cpu)
{
	struct cpu_record r = {
		.hdr = { .type = RECORD_SCHEDSTAT_CPU, .size = sizeof(r) },
		.jiffies = s->jiffies,
		.cpu = cpu->cpu,
		.version = (uint16_t)s->version,
	};
	for (size_t i = 0; i < SCHEDSTAT_CPU_COUNTERS; i++) {
		if (i < SCHEDSTAT_CPU_NARROW)
			r.narrow[i] = (uint32_t)cpu->counters[i];
		else
			r.wide[i - SCHEDSTAT_CPU_NARROW] = cpu->counters[i];
	}
	return sink_write(sink, &r, sizeof(r));
}

static struct strobe_error *put_domain(struct record_sink *sink, const struct schedstat *s, uint32_t cpu, const struct schedstat_domain *d)
{
	struct domain_record r = {
		.hdr = { .type = RECORD_SCHEDSTAT_DOMAIN, .size = sizeof(r) },
		.jiffies = s->jiffies,
		.cpu = cpu,
		.version = (uint16_t)s->version,
		.domain = (uint16_t)d->number,
	};
	for (size_t i = 0; i < SCHEDSTAT_DOMAIN_COUNTERS_MAX; i++)
		r.counters[i] = (uint32_t)d->counters[i];
	return sink_write(sink, &r, sizeof(r));
}

struct strobe_error *schedstat_put(struct record_sink *sink, const struct schedstat *s)
{
	for (size_t i = 0; i < s->cpus.len; i++) {
		const struct schedstat_cpu *cpu = &s->cpus.data[i];
		TRY(put_cpu(sink, s, cpu));
		for (size_t k = 0; k < cpu->domains_nr; k++)
			TRY(put_domain(sink, s, cpu->cpu, &s->domains.data[cpu->first_domain + k]));
	}
	return NULL;
}

static const char *copy(struct env *env, const char *text)
{
	return text ? arena_strdup(&env->arena, text) : NULL;
}

void schedstat_describe(struct env *env, const struct schedstat *s)
{
	env->schedstat_version = s->version;
	for (size_t i = 0; i < s->cpus.len; i++)
		for (size_t k = 0; k < s->cpus.data[i].domains_nr; k++) {
			const struct schedstat_domain *d = &s->domains.data[s->cpus.data[i].first_domain + k];
			vec_push(&env->domains, ((struct env_domain){
				.cpu = s->cpus.data[i].cpu,
				.domain = d->number,
				.name = copy(env, d->name),
				.mask = copy(env, d->mask),
				.cpus = copy(env, d->cpus),
			}));
		}
}

/* ---- reading ---- */

struct load {
	const struct env *env;
	const sys_cpus *cpus;
	struct schedstat before, *after;
	struct schedstat *now; /* the reading of the current records */
	bool is_chosen;        /* the CPU of the current records is selected */
};

static bool has_cpu(const struct schedstat *s, uint32_t cpu)
{
	for (size_t i = 0; i < s->cpus.len; i++)
		if (s->cpus.data[i].cpu == cpu)
			return true;
	return false;
}

static struct strobe_error *take_cpu(struct load *l, struct cursor *c)
{
	struct schedstat_cpu cpu = {};
	uint64_t jiffies = cursor_u64(c);
	cpu.cpu = cursor_u32(c);
	uint16_t version = cursor_u16(c);
	cursor_skip(c, 2);
	for (size_t i = 0; i < SCHEDSTAT_CPU_COUNTERS; i++)
		cpu.counters[i] = i < SCHEDSTAT_CPU_NARROW ? cursor_u32(c) : cursor_u64(c);
	if (c->bad || !schedstat_domain_counters(version))
		return error_create(ERROR_FORMAT, "a reading of CPU %u is damaged, or of an unknown version", cpu.cpu);
	l->is_chosen = !l->cpus->len || sys_cpus_has(l->cpus, cpu.cpu);
	if (!l->is_chosen)
		return NULL;
	if (has_cpu(l->now, cpu.cpu))
		l->now = l->after;
	if (has_cpu(l->now, cpu.cpu) || (l->now->version && l->now->version != version))
		return error_create(ERROR_FORMAT, "CPU %u has more than two readings, or of several versions", cpu.cpu);
	l->now->version = version;
	l->now->jiffies = l->now->cpus.len ? l->now->jiffies : jiffies;
	cpu.first_domain = l->now->domains.len;
	vec_push(&l->now->cpus, cpu);
	return NULL;
}

static const struct env_domain *described(const struct env *env, uint32_t cpu, uint32_t domain)
{
	for (size_t i = 0; i < env->domains.len; i++)
		if (env->domains.data[i].cpu == cpu && env->domains.data[i].domain == domain)
			return &env->domains.data[i];
	return NULL;
}

static struct strobe_error *take_domain(struct load *l, struct cursor *c)
{
	struct schedstat *s = l->now;
	cursor_skip(c, 8); /* jiffies, as of the CPU */
	uint32_t cpu = cursor_u32(c);
	cursor_skip(c, 2);
	struct schedstat_domain d = { .number = cursor_u16(c), .mask = "", .cpus = "" };
	if (!l->is_chosen)
		return NULL;
	if (!s->cpus.len || s->cpus.data[s->cpus.len - 1].cpu != cpu)
		return error_create(ERROR_FORMAT, "a reading of a domain of CPU %u does not follow that CPU's", cpu);
	for (size_t i = 0; i < schedstat_domain_counters(s->version); i++)
		d.counters[i] = cursor_u32(c);
	if (c->bad)
		return error_create(ERROR_FORMAT, "a reading of a domain of CPU %u is too short", cpu);
	const struct env_domain *known = described(l->env, cpu, d.number);
	if (known) {
		d.name = known->name ? arena_strdup(&s->arena, known->name) : NULL;
		d.mask = arena_strdup(&s->arena, known->mask);
		d.cpus = arena_strdup(&s->arena, known->cpus);
	}
	vec_push(&s->domains, d);
	s->cpus.data[s->cpus.len - 1].domains_nr++;
	return NULL;
}

static struct strobe_error *take_all(struct load *l, struct record_source *source)
{
	struct record r;
	for (bool end = false;;) {
		TRY(source_next(source, &r, &end));
		if (end)
			return NULL;
		struct cursor c = cursor_make(r.hdr + 1, r.hdr->size - sizeof(*r.hdr), false);
		l->env = source_env(source);
		if (r.hdr->type == RECORD_SCHEDSTAT_CPU)
			TRY(take_cpu(l, &c));
		else if (r.hdr->type == RECORD_SCHEDSTAT_DOMAIN)
			TRY(take_domain(l, &c));
	}
}

struct strobe_error *schedstat_read(struct record_source *source, const sys_cpus *cpus, struct schedstat *ret)
{
	struct load l = { .cpus = cpus, .after = ret, .now = &l.before };
	struct strobe_error *err = take_all(&l, source);
	if (!err && !ret->cpus.len)
		err = error_create(ERROR_NOT_FOUND, "this recording has no two readings of the scheduler's counters%s: record them with "
				   "'sched stats record'", cpus->len ? " of these CPUs" : "");
	if (!err)
		err = schedstat_subtract(ret, &l.before);
	schedstat_deinit(&l.before);
	return err;
}

struct strobe_error *schedstat_load(const char *path, bool force, const sys_cpus *cpus, struct schedstat *ret)
{
	struct record_source *source = NULL;
	TRY(reader_open(path, (struct reader_options){ .force = force, .may_lack_events = true }, &source));
	struct strobe_error *err = schedstat_read(source, cpus, ret);
	source_destroy(source);
	return err;
}
