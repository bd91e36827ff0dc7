/* One encoder per feature; sections without one are copied as recorded, if they were recorded in this machine's byte order. */
#include <string.h>

#include "perfdata/features_priv.h"

#define NAME_ALIGN 64

static void put32(struct strbuf *b, uint32_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put64(struct strbuf *b, uint64_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put_zeros(struct strbuf *b, size_t n)
{
	static const char zeros[NAME_ALIGN];

	for (; n > sizeof(zeros); n -= sizeof(zeros))
		strbuf_add(b, zeros, sizeof(zeros));
	strbuf_add(b, zeros, n);
}

static size_t padded(size_t length)
{
	return (length + 1 + NAME_ALIGN - 1) & ~(size_t)(NAME_ALIGN - 1);
}

static void put_string_n(struct strbuf *b, const char *s, size_t n)
{
	put32(b, (uint32_t)padded(n));
	strbuf_add(b, s, n);
	put_zeros(b, padded(n) - n);
}

static void put_string(struct strbuf *b, const char *s)
{
	put_string_n(b, s ? s : "", s ? strlen(s) : 0);
}

void feature_attr(const struct env_event *ev, uint8_t ret[WRITTEN_ATTR_BYTES])
{
	uint32_t bytes = ev->attr_bytes < WRITTEN_ATTR_BYTES ? ev->attr_bytes : WRITTEN_ATTR_BYTES, size = WRITTEN_ATTR_BYTES;

	memset(ret, 0, WRITTEN_ATTR_BYTES);
	memcpy(ret, ev->attr_raw, bytes);
	memcpy(ret + 4, &size, sizeof(size));
}

static bool encode_tracing_data(const struct env *e, struct strbuf *b)
{
	if (!e->tracing_data)
		return false;
	strbuf_add(b, e->tracing_data, e->tracing_data_bytes);
	return true;
}

static bool encode_build_ids(const struct env *e, struct strbuf *b)
{
	for (size_t i = 0; i < e->build_ids.len; i++) {
		const struct env_build_id *id = &e->build_ids.data[i];
		size_t length = strlen(id->filename), room = padded(length);
		uint8_t bytes[24] = { [20] = id->build_id_len };
		struct perf_event_header hdr = {
			.misc = id->cpumode | PERF_RECORD_MISC_EXT_RESERVED,
			.size = (uint16_t)(sizeof(hdr) + 4 + sizeof(bytes) + room),
		};
		if (room > 4096 + NAME_ALIGN)
			continue;
		memcpy(bytes, id->build_id, id->build_id_len);
		strbuf_add(b, &hdr, sizeof(hdr));
		put32(b, (uint32_t)id->pid);
		strbuf_add(b, bytes, sizeof(bytes));
		strbuf_add(b, id->filename, length);
		put_zeros(b, room - length);
	}
	return e->build_ids.len;
}

#define ENCODE_STRING(function, field)                                   \
	static bool function(const struct env *e, struct strbuf *b)      \
	{                                                                \
		if (!e->field)                                           \
			return false;                                    \
		put_string(b, e->field);                                 \
		return true;                                             \
	}
ENCODE_STRING(encode_hostname, hostname)
ENCODE_STRING(encode_os_release, os_release)
ENCODE_STRING(encode_version, tool_version)
ENCODE_STRING(encode_arch, arch)
ENCODE_STRING(encode_cpu_desc, cpu_desc)
ENCODE_STRING(encode_cpuid, cpuid)
#undef ENCODE_STRING

static bool encode_nr_cpus(const struct env *e, struct strbuf *b)
{
	put32(b, e->cpus_available);
	put32(b, e->cpus_online);
	return e->cpus_available || e->cpus_online;
}

static bool encode_total_mem(const struct env *e, struct strbuf *b)
{
	put64(b, e->total_mem_kb);
	return e->total_mem_kb;
}

static bool encode_cmdline(const struct env *e, struct strbuf *b)
{
	put32(b, e->cmdline_nr);
	for (uint32_t i = 0; i < e->cmdline_nr; i++)
		put_string(b, e->cmdline[i]);
	return e->cmdline_nr;
}

static bool encode_event_desc(const struct env *e, struct strbuf *b)
{
	put32(b, (uint32_t)e->events.len);
	put32(b, WRITTEN_ATTR_BYTES);
	for (size_t i = 0; i < e->events.len; i++) {
		const struct env_event *ev = &e->events.data[i];
		uint8_t attr[WRITTEN_ATTR_BYTES];
		feature_attr(ev, attr);
		strbuf_add(b, attr, sizeof(attr));
		put32(b, ev->ids_nr);
		put_string(b, ev->name);
		strbuf_add(b, ev->ids, ev->ids_nr * sizeof(*ev->ids));
	}
	return e->events.len;
}

static void put_strings(struct strbuf *b, const char *const *strings, size_t n)
{
	put32(b, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		put_string(b, strings[i]);
}

static bool encode_cpu_topology(const struct env *e, struct strbuf *b)
{
	put_strings(b, e->core_siblings.data, e->core_siblings.len);
	put_strings(b, e->thread_siblings.data, e->thread_siblings.len);
	for (size_t i = 0; i < e->cpus.len; i++) {
		put32(b, (uint32_t)e->cpus.data[i].core);
		put32(b, (uint32_t)e->cpus.data[i].socket);
	}
	if (e->die_siblings.len && e->cpus.len) {
		put_strings(b, e->die_siblings.data, e->die_siblings.len);
		for (size_t i = 0; i < e->cpus.len; i++)
			put32(b, (uint32_t)e->cpus.data[i].die);
	}
	return e->core_siblings.len || e->thread_siblings.len;
}

static bool encode_numa(const struct env *e, struct strbuf *b)
{
	put32(b, (uint32_t)e->numa.len);
	for (size_t i = 0; i < e->numa.len; i++) {
		const struct env_numa_node *n = &e->numa.data[i];
		put32(b, n->node);
		put64(b, n->mem_total_kb);
		put64(b, n->mem_free_kb);
		put_string(b, n->cpus);
	}
	return e->numa.len;
}

static bool encode_branch_stack(const struct env *e, struct strbuf *b)
{
	return e->has_branch_stack;
}

static bool encode_pmus(const struct env *e, struct strbuf *b)
{
	put32(b, (uint32_t)e->pmus.len);
	for (size_t i = 0; i < e->pmus.len; i++) {
		put32(b, e->pmus.data[i].type);
		put_string(b, e->pmus.data[i].name);
	}
	return e->pmus.len;
}

static bool encode_groups(const struct env *e, struct strbuf *b)
{
	uint32_t groups = 0;

	for (size_t i = 0; i < e->events.len; i++)
		groups += e->events.data[i].group_members > 1;
	put32(b, groups);
	for (size_t i = 0; i < e->events.len; i++) {
		const struct env_event *ev = &e->events.data[i];
		if (ev->group_members <= 1)
			continue;
		put_string(b, ev->group_name ? ev->group_name : "{anon_group}");
		put32(b, (uint32_t)i);
		put32(b, ev->group_members);
	}
	return groups;
}

static bool encode_auxtrace(const struct env *e, struct strbuf *b)
{
	put64(b, e->auxtrace.len);
	for (size_t i = 0; i < e->auxtrace.len; i++) {
		put64(b, e->auxtrace.data[i].file_offset);
		put64(b, e->auxtrace.data[i].bytes);
	}
	return e->has_auxtrace;
}

static bool encode_stat(const struct env *e, struct strbuf *b)
{
	return e->has_stat;
}

static bool encode_caches(const struct env *e, struct strbuf *b)
{
	put32(b, 1);
	put32(b, (uint32_t)e->caches.len);
	for (size_t i = 0; i < e->caches.len; i++) {
		const struct env_cache *c = &e->caches.data[i];
		put32(b, c->level);
		put32(b, c->line_bytes);
		put32(b, c->sets);
		put32(b, c->ways);
		put_string(b, c->type);
		put_string(b, c->size);
		put_string(b, c->cpus);
	}
	return e->caches.len;
}

static bool encode_sample_time(const struct env *e, struct strbuf *b)
{
	put64(b, e->first_sample_ns);
	put64(b, e->last_sample_ns);
	return e->first_sample_ns || e->last_sample_ns;
}

static bool encode_mem_topology(const struct env *e, struct strbuf *b)
{
	put64(b, 1);
	put64(b, e->mem_block_bytes);
	put64(b, e->mem_nodes.len);
	for (size_t i = 0; i < e->mem_nodes.len; i++) {
		const struct env_mem_node *n = &e->mem_nodes.data[i];
		put64(b, n->node);
		put64(b, n->blocks);
		put64(b, n->bits);
		strbuf_add(b, n->bitmap, (n->bits + 63) / 64 * 8);
	}
	return e->mem_nodes.len;
}

static bool encode_clockid(const struct env *e, struct strbuf *b)
{
	put64(b, e->clockid_res_ns);
	return e->has_clockid;
}

static bool encode_dir_format(const struct env *e, struct strbuf *b)
{
	put64(b, e->dir_version);
	return e->has_dir_format;
}

static bool encode_compressed(const struct env *e, struct strbuf *b)
{
	put32(b, e->compressed.version);
	put32(b, e->compressed.type);
	put32(b, e->compressed.level);
	put32(b, e->compressed.ratio);
	put32(b, e->compressed.mmap_bytes);
	return e->compressed.present;
}

static void put_caps(struct strbuf *b, const struct env_caps *caps)
{
	put32(b, caps->caps_nr);
	for (uint32_t i = 0; i < caps->caps_nr; i++) {
		const char *cap = caps->caps[i], *equals = strchr(cap, '=');
		size_t name_length = equals ? (size_t)(equals - cap) : strlen(cap);
		put_string_n(b, cap, name_length);
		put_string(b, equals ? equals + 1 : "");
	}
}

/* "cpu" has its own section; all others share one. */
static bool is_cpu(const struct env_caps *caps)
{
	return !strcmp(caps->pmu, "cpu");
}

static bool encode_cpu_pmu_caps(const struct env *e, struct strbuf *b)
{
	for (size_t i = 0; i < e->pmu_caps.len; i++)
		if (is_cpu(&e->pmu_caps.data[i])) {
			put_caps(b, &e->pmu_caps.data[i]);
			return true;
		}
	return false;
}

static bool encode_pmu_caps(const struct env *e, struct strbuf *b)
{
	uint32_t n = 0;

	for (size_t i = 0; i < e->pmu_caps.len; i++)
		n += !is_cpu(&e->pmu_caps.data[i]);
	put32(b, n);
	for (size_t i = 0; i < e->pmu_caps.len; i++) {
		if (is_cpu(&e->pmu_caps.data[i]))
			continue;
		put_caps(b, &e->pmu_caps.data[i]);
		put_string(b, e->pmu_caps.data[i].pmu);
	}
	return n;
}

static bool encode_clock_data(const struct env *e, struct strbuf *b)
{
	put32(b, 1);
	put32(b, e->clock_data.clockid);
	put64(b, e->clock_data.wall_ns);
	put64(b, e->clock_data.clockid_ns);
	return e->clock_data.present;
}

static bool encode_hybrid(const struct env *e, struct strbuf *b)
{
	put32(b, (uint32_t)e->hybrid.len);
	for (size_t i = 0; i < e->hybrid.len; i++) {
		put_string(b, e->hybrid.data[i].pmu);
		put_string(b, e->hybrid.data[i].cpus);
	}
	return e->hybrid.len;
}

static size_t domains_of_cpu(const struct env *e, size_t first)
{
	size_t nr = 1;
	while (first + nr < e->domains.len && e->domains.data[first + nr].cpu == e->domains.data[first].cpu)
		nr++;
	return nr;
}

static uint32_t domains_max(const struct env *e)
{
	uint32_t max = 0;
	for (size_t i = 0; i < e->domains.len; i++)
		max = e->domains.data[i].domain > max ? e->domains.data[i].domain : max;
	return max + 1;
}

static void put_domain(struct strbuf *b, const struct env_domain *d, uint32_t version)
{
	put32(b, d->domain);
	if (version >= 17)
		put_string(b, d->name);
	put_string(b, d->mask);
	put_string(b, d->cpus);
}

static bool encode_domains(const struct env *e, struct strbuf *b)
{
	put32(b, e->schedstat_version);
	put32(b, domains_max(e));
	for (size_t i = 0, nr; i < e->domains.len; i += nr) {
		nr = domains_of_cpu(e, i);
		put32(b, e->domains.data[i].cpu);
		put32(b, (uint32_t)nr);
		for (size_t k = 0; k < nr; k++)
			put_domain(b, &e->domains.data[i + k], e->schedstat_version);
	}
	return e->domains.len;
}

static bool (*const encoders[FEATURE_BITS])(const struct env *e, struct strbuf *b) = {
	[FEATURE_TRACING_DATA] = encode_tracing_data,
	[FEATURE_BUILD_ID] = encode_build_ids,
	[FEATURE_HOSTNAME] = encode_hostname,
	[FEATURE_OSRELEASE] = encode_os_release,
	[FEATURE_VERSION] = encode_version,
	[FEATURE_ARCH] = encode_arch,
	[FEATURE_NRCPUS] = encode_nr_cpus,
	[FEATURE_CPUDESC] = encode_cpu_desc,
	[FEATURE_CPUID] = encode_cpuid,
	[FEATURE_TOTAL_MEM] = encode_total_mem,
	[FEATURE_CMDLINE] = encode_cmdline,
	[FEATURE_EVENT_DESC] = encode_event_desc,
	[FEATURE_CPU_TOPOLOGY] = encode_cpu_topology,
	[FEATURE_NUMA_TOPOLOGY] = encode_numa,
	[FEATURE_BRANCH_STACK] = encode_branch_stack,
	[FEATURE_PMU_MAPPINGS] = encode_pmus,
	[FEATURE_GROUP_DESC] = encode_groups,
	[FEATURE_AUXTRACE] = encode_auxtrace,
	[FEATURE_STAT] = encode_stat,
	[FEATURE_CACHE] = encode_caches,
	[FEATURE_SAMPLE_TIME] = encode_sample_time,
	[FEATURE_MEM_TOPOLOGY] = encode_mem_topology,
	[FEATURE_CLOCKID] = encode_clockid,
	[FEATURE_DIR_FORMAT] = encode_dir_format,
	[FEATURE_COMPRESSED] = encode_compressed,
	[FEATURE_CPU_PMU_CAPS] = encode_cpu_pmu_caps,
	[FEATURE_CLOCK_DATA] = encode_clock_data,
	[FEATURE_HYBRID_TOPOLOGY] = encode_hybrid,
	[FEATURE_PMU_CAPS] = encode_pmu_caps,
	[FEATURE_CPU_DOMAIN_INFO] = encode_domains,
};

/* Sections that describe how this file is written, not what was recorded. */
static bool is_of_file(uint32_t bit)
{
	return bit == FEATURE_COMPRESSED || bit == FEATURE_AUXTRACE;
}

bool feature_encode(const struct env *e, uint32_t bit, struct strbuf *ret)
{
	if (encoders[bit]) {
		size_t before = ret->len;
		/* An empty recorded section is kept: it means that there was nothing. */
		if (encoders[bit](e, ret) || (env_section(e, bit) && !is_of_file(bit)))
			return true;
		ret->len = before;
		return false;
	}
	const struct env_section *s = env_section(e, bit);
	if (!s || e->swapped)
		return false;
	strbuf_add(ret, s->data, s->bytes);
	return true;
}
