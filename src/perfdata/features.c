/*
 * Decodes feature sections into the environment: one decoder per feature, in a table by bit (perf.data-file-format.txt).
 *
 * Counts are not trusted: elements are read one by one until the section ends, and no allocation depends on a count.
 */
#include <string.h>

#include "base/log.h"
#include "perfdata/reader_priv.h"

/* A header string: u32 size, then text up to its NUL within that size. */
static const char *get_string(struct env *e, struct cursor *c)
{
	uint32_t room = cursor_u32(c);
	const char *text = cursor_bytes(c, room);

	return text ? arena_strndup(&e->arena, text, strnlen(text, room)) : NULL;
}

static void decode_tracing_data(struct env *e, struct cursor *c)
{
	e->tracing_data_bytes = cursor_left(c);
	e->tracing_data = c->at;
}

/* perf before 2.6.34 wrote entries without the pid: the kernel's name then begins four bytes early, which shows it. */
static bool build_ids_lack_pid(struct cursor c)
{
	while (cursor_left(&c) >= sizeof(struct perf_event_header)) {
		cursor_skip(&c, 6);
		uint16_t size = cursor_u16(&c);
		if (size < 8 + 4 + 24)
			return false;
		const char *name = cursor_bytes(&c, size - 8u);
		size_t room = size - (8 + 4 + 24u);
		if (name && room >= 13 && !memcmp(name + 28, "nel.kallsyms]", 13))
			return true;
	}
	return false;
}

static void decode_build_ids(struct env *e, struct cursor *c)
{
	bool lack_pid = build_ids_lack_pid(*c);

	while (cursor_left(c) >= sizeof(struct perf_event_header)) {
		cursor_u32(c);
		uint16_t misc = cursor_u16(c), size = cursor_u16(c);
		struct cursor body = cursor_sub(c, size >= 8 ? size - 8u : SIZE_MAX);
		if (c->bad)
			return;
		struct env_build_id b = { .pid = -1, .cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK, .build_id_len = 20 };
		uint8_t id[24];
		body.swap = c->swap;
		if (!lack_pid)
			b.pid = (int32_t)cursor_u32(&body);
		cursor_copy(&body, id, sizeof(id));
		if (body.bad)
			continue;
		memcpy(b.build_id, id, sizeof(b.build_id));
		if (misc & PERF_RECORD_MISC_EXT_RESERVED && id[20] <= sizeof(b.build_id))
			b.build_id_len = id[20];
		const char *name = (const char *)body.at;
		b.filename = arena_strndup(&e->arena, name, strnlen(name, cursor_left(&body)));
		vec_push(&e->build_ids, b);
	}
}

#define DECODE_STRING(function, field)                                   \
	static void function(struct env *e, struct cursor *c)            \
	{                                                                \
		e->field = get_string(e, c);                             \
	}
DECODE_STRING(decode_hostname, hostname)
DECODE_STRING(decode_os_release, os_release)
DECODE_STRING(decode_version, tool_version)
DECODE_STRING(decode_arch, arch)
DECODE_STRING(decode_cpu_desc, cpu_desc)
DECODE_STRING(decode_cpuid, cpuid)
#undef DECODE_STRING

static void decode_nr_cpus(struct env *e, struct cursor *c)
{
	e->cpus_available = cursor_u32(c);
	e->cpus_online = cursor_u32(c);
}

static void decode_total_mem(struct env *e, struct cursor *c)
{
	e->total_mem_kb = cursor_u64(c);
}

static void decode_cmdline(struct env *e, struct cursor *c)
{
	VEC(const char *) words = {};

	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		const char *word = get_string(e, c);
		if (word)
			vec_push(&words, word);
	}
	e->cmdline = arena_memdup(&e->arena, words.data, words.len * sizeof(*words.data));
	e->cmdline_nr = (uint32_t)words.len;
	vec_deinit(&words);
}

/* Names of the header's events, in their order; attrs and IDs are known already. */
static void decode_event_desc(struct env *e, struct cursor *c)
{
	uint32_t n = cursor_u32(c), attr_bytes = cursor_u32(c);

	for (uint32_t i = 0; i < n && !c->bad; i++) {
		cursor_skip(c, attr_bytes);
		uint32_t ids = cursor_u32(c);
		const char *name = get_string(e, c);
		cursor_skip(c, (size_t)ids * 8);
		if (name && *name && i < e->events.len)
			e->events.data[i].name = name;
	}
}

static void get_siblings(struct env *e, struct cursor *c, uint32_t n, void *list)
{
	VEC(const char *) *strings = list;

	for (; n && !c->bad; n--) {
		const char *s = get_string(e, c);
		if (s)
			vec_push(strings, s);
	}
}

/* The section grew over the years: siblings; then core and socket of each CPU; then dies. Older sections end earlier. */
static void decode_cpu_topology(struct env *e, struct cursor *c)
{
	get_siblings(e, c, cursor_u32(c), &e->core_siblings);
	get_siblings(e, c, cursor_u32(c), &e->thread_siblings);
	if (c->bad)
		return;
	size_t cpus = cursor_left(c) / 8 < e->cpus_available ? 0 : e->cpus_available;
	for (size_t i = 0; i < cpus; i++) {
		struct env_cpu cpu = { .die = -1 };
		cpu.core = (int32_t)cursor_u32(c);
		cpu.socket = (int32_t)cursor_u32(c);
		vec_push(&e->cpus, cpu);
	}
	if (!cpus || cursor_left(c) < 4)
		return;
	get_siblings(e, c, cursor_u32(c), &e->die_siblings);
	if (cursor_left(c) / 4 < cpus)
		return;
	for (size_t i = 0; i < cpus; i++)
		e->cpus.data[i].die = (int32_t)cursor_u32(c);
}

static void decode_numa(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_numa_node node = { .node = cursor_u32(c) };
		node.mem_total_kb = cursor_u64(c);
		node.mem_free_kb = cursor_u64(c);
		node.cpus = get_string(e, c);
		if (node.cpus)
			vec_push(&e->numa, node);
	}
}

static void decode_branch_stack(struct env *e, struct cursor *c)
{
	e->has_branch_stack = true;
}

static void decode_pmus(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_pmu pmu = { .type = cursor_u32(c) };
		pmu.name = get_string(e, c);
		if (pmu.name)
			vec_push(&e->pmus, pmu);
	}
}

/* An event belongs to only one group: the first that lists it. */
static void decode_groups(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		const char *name = get_string(e, c);
		uint32_t leader = cursor_u32(c), members = cursor_u32(c), i = 1;
		if (c->bad || leader >= e->events.len)
			continue;
		struct env_event *ev = &e->events.data[leader];
		if (ev->leader != leader || ev->group_members)
			continue;
		for (; i < members && leader + i < e->events.len && ev[i].leader == leader + i && !ev[i].group_members; i++)
			ev[i].leader = leader;
		ev->group_members = i;
		ev->group_name = strcmp(name, "{anon_group}") ? name : NULL;
	}
}

static void decode_auxtrace(struct env *e, struct cursor *c)
{
	e->has_auxtrace = true;
	for (uint64_t n = cursor_u64(c); n && cursor_left(c) >= 16; n--) {
		struct env_auxtrace a = { .file_offset = cursor_u64(c) };
		a.bytes = cursor_u64(c);
		vec_push(&e->auxtrace, a);
	}
}

static void decode_stat(struct env *e, struct cursor *c)
{
	e->has_stat = true;
}

static void decode_caches(struct env *e, struct cursor *c)
{
	cursor_u32(c); /* version, always 1 */
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_cache cache = { .level = cursor_u32(c) };
		cache.line_bytes = cursor_u32(c);
		cache.sets = cursor_u32(c);
		cache.ways = cursor_u32(c);
		cache.type = get_string(e, c);
		cache.size = get_string(e, c);
		cache.cpus = get_string(e, c);
		if (cache.cpus)
			vec_push(&e->caches, cache);
	}
}

static void decode_sample_time(struct env *e, struct cursor *c)
{
	e->first_sample_ns = cursor_u64(c);
	e->last_sample_ns = cursor_u64(c);
}

static void decode_mem_topology(struct env *e, struct cursor *c)
{
	e->mem_version = cursor_u64(c);
	e->mem_block_bytes = cursor_u64(c);
	for (uint64_t n = cursor_u64(c); n && !c->bad; n--) {
		struct env_mem_node node = { .node = cursor_u64(c) };
		node.blocks = cursor_u64(c);
		node.bits = cursor_u64(c);
		size_t words = node.bits / 64 + !!(node.bits % 64);
		if (c->bad || words > cursor_left(c) / 8)
			return;
		uint64_t *bitmap = arena_alloc(&e->arena, words * 8);
		for (size_t i = 0; i < words; i++)
			bitmap[i] = cursor_u64(c);
		node.bitmap = bitmap;
		vec_push(&e->mem_nodes, node);
	}
}

static void decode_clockid(struct env *e, struct cursor *c)
{
	e->clockid_res_ns = cursor_u64(c);
	e->has_clockid = !c->bad;
}

static void decode_dir_format(struct env *e, struct cursor *c)
{
	e->dir_version = cursor_u64(c);
	e->has_dir_format = !c->bad;
}

static void decode_bpf_progs(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_bpf_prog prog = { .info_bytes = cursor_u32(c) };
		prog.data_bytes = cursor_u32(c);
		prog.arrays = cursor_u64(c);
		prog.info = cursor_bytes(c, prog.info_bytes);
		prog.data = cursor_bytes(c, prog.data_bytes);
		if (c->bad || prog.info_bytes < 8)
			return;
		struct cursor info = cursor_make(prog.info, prog.info_bytes, c->swap);
		cursor_u32(&info); /* struct bpf_prog_info begins with type and id */
		prog.id = cursor_u32(&info);
		vec_push(&e->bpf_progs, prog);
	}
}

static void decode_bpf_btfs(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_bpf_btf btf = { .id = cursor_u32(c) };
		btf.bytes = cursor_u32(c);
		btf.data = cursor_bytes(c, btf.bytes);
		if (!c->bad)
			vec_push(&e->bpf_btfs, btf);
	}
}

static void decode_compressed(struct env *e, struct cursor *c)
{
	e->compressed.version = cursor_u32(c);
	e->compressed.type = cursor_u32(c);
	e->compressed.level = cursor_u32(c);
	e->compressed.ratio = cursor_u32(c);
	e->compressed.mmap_bytes = cursor_u32(c);
	e->compressed.present = !c->bad;
}

/* The "name=value" strings of one PMU. */
static struct env_caps get_caps(struct env *e, struct cursor *c)
{
	VEC(const char *) caps = {};

	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		const char *name = get_string(e, c), *value = get_string(e, c);
		if (value)
			vec_push(&caps, (const char *)arena_printf(&e->arena, "%s=%s", name, value));
	}
	struct env_caps ret = {
		.pmu = "cpu",
		.caps = arena_memdup(&e->arena, caps.data, caps.len * sizeof(*caps.data)),
		.caps_nr = (uint32_t)caps.len,
	};
	vec_deinit(&caps);
	return ret;
}

static void decode_cpu_pmu_caps(struct env *e, struct cursor *c)
{
	struct env_caps caps = get_caps(e, c);

	if (!c->bad)
		vec_push(&e->pmu_caps, caps);
}

static void decode_pmu_caps(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_caps caps = get_caps(e, c);
		caps.pmu = get_string(e, c);
		if (caps.pmu)
			vec_push(&e->pmu_caps, caps);
	}
}

static void decode_clock_data(struct env *e, struct cursor *c)
{
	if (cursor_u32(c) != 1)
		return; /* unknown version */
	e->clock_data.clockid = cursor_u32(c);
	e->clock_data.wall_ns = cursor_u64(c);
	e->clock_data.clockid_ns = cursor_u64(c);
	e->clock_data.present = !c->bad;
}

static void decode_hybrid(struct env *e, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct env_hybrid h = { .pmu = get_string(e, c) };
		h.cpus = get_string(e, c);
		if (h.cpus)
			vec_push(&e->hybrid, h);
	}
}

static void decode_domains(struct env *e, struct cursor *c)
{
	e->schedstat_version = cursor_u32(c);
	cursor_skip(c, 4); /* maximum number of domains of a CPU */
	while (cursor_left(c) && !c->bad) {
		uint32_t cpu = cursor_u32(c);
		for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
			struct env_domain d = { .cpu = cpu, .domain = cursor_u32(c) };
			d.name = e->schedstat_version >= 17 ? get_string(e, c) : NULL;
			d.mask = get_string(e, c);
			d.cpus = get_string(e, c);
			if (d.cpus)
				vec_push(&e->domains, d);
		}
	}
}

static void decode_e_machine(struct env *e, struct cursor *c)
{
	e->e_machine = cursor_u32(c);
	e->e_flags = cursor_u32(c);
}

static void decode_cache_line(struct env *e, struct cursor *c)
{
	e->cache_line_bytes = cursor_u32(c);
}

static void (*const decoders[FEATURE_BITS])(struct env *e, struct cursor *c) = {
	[FEATURE_TRACING_DATA] = decode_tracing_data,
	[FEATURE_BUILD_ID] = decode_build_ids,
	[FEATURE_HOSTNAME] = decode_hostname,
	[FEATURE_OSRELEASE] = decode_os_release,
	[FEATURE_VERSION] = decode_version,
	[FEATURE_ARCH] = decode_arch,
	[FEATURE_NRCPUS] = decode_nr_cpus,
	[FEATURE_CPUDESC] = decode_cpu_desc,
	[FEATURE_CPUID] = decode_cpuid,
	[FEATURE_TOTAL_MEM] = decode_total_mem,
	[FEATURE_CMDLINE] = decode_cmdline,
	[FEATURE_EVENT_DESC] = decode_event_desc,
	[FEATURE_CPU_TOPOLOGY] = decode_cpu_topology,
	[FEATURE_NUMA_TOPOLOGY] = decode_numa,
	[FEATURE_BRANCH_STACK] = decode_branch_stack,
	[FEATURE_PMU_MAPPINGS] = decode_pmus,
	[FEATURE_GROUP_DESC] = decode_groups,
	[FEATURE_AUXTRACE] = decode_auxtrace,
	[FEATURE_STAT] = decode_stat,
	[FEATURE_CACHE] = decode_caches,
	[FEATURE_SAMPLE_TIME] = decode_sample_time,
	[FEATURE_MEM_TOPOLOGY] = decode_mem_topology,
	[FEATURE_CLOCKID] = decode_clockid,
	[FEATURE_DIR_FORMAT] = decode_dir_format,
	[FEATURE_BPF_PROG_INFO] = decode_bpf_progs,
	[FEATURE_BPF_BTF] = decode_bpf_btfs,
	[FEATURE_COMPRESSED] = decode_compressed,
	[FEATURE_CPU_PMU_CAPS] = decode_cpu_pmu_caps,
	[FEATURE_CLOCK_DATA] = decode_clock_data,
	[FEATURE_HYBRID_TOPOLOGY] = decode_hybrid,
	[FEATURE_PMU_CAPS] = decode_pmu_caps,
	[FEATURE_CPU_DOMAIN_INFO] = decode_domains,
	[FEATURE_E_MACHINE] = decode_e_machine,
	[FEATURE_CLN_SIZE] = decode_cache_line,
};

void feature_decode(struct env *e, uint32_t bit, const void *data, uint64_t bytes)
{
	struct cursor c = cursor_make(data, bytes, e->swapped);

	/* Only the first copy of a feature counts, as decoders append. */
	if (bit >= FEATURE_BITS || env_section(e, bit))
		return;
	env_set_section(e, bit, data, bytes);
	if (decoders[bit])
		decoders[bit](e, &c);
	if (c.bad)
		log_info("feature section %u is damaged", bit);
}

void feature_refresh_events(struct env *e)
{
	static const uint32_t bits[] = { FEATURE_EVENT_DESC, FEATURE_GROUP_DESC };

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		const struct env_section *s = env_section(e, bits[i]);
		if (!s)
			continue;
		struct cursor c = cursor_make(s->data, s->bytes, e->swapped);
		decoders[bits[i]](e, &c);
	}
}
