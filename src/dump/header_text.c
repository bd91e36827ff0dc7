#include "dump/header_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "dump/header_bpf.h"
#include "record/attr_text.h"

#define PERF_LAST_BIT FEATURE_CLN_SIZE /* the last feature that perf reports as missing */

static void text(struct out *out, const char *s)
{
	out_text(out, s, strlen(s));
}

/* "# NAME : VALUE" if there is a value. */
static void line(struct out *out, const char *name, const char *value)
{
	if (!value)
		return;
	out_f(out, "# %s : ", name);
	text(out, value);
	out_ch(out, '\n');
}

static void print_nr_cpus(struct out *out, const struct env *e)
{
	out_f(out, "# nrcpus online : %u\n", e->cpus_online);
	out_f(out, "# nrcpus avail : %u\n", e->cpus_available);
}

static void print_total_mem(struct out *out, const struct env *e)
{
	out_f(out, "# total memory : %" PRIu64 " kB\n", e->total_mem_kb);
}

/* Quotes are escaped, so that copied words remain separate. */
static void print_cmdline(struct out *out, const struct env *e)
{
	out_str(out, "# cmdline : ");
	for (uint32_t i = 0; i < e->cmdline_nr; i++) {
		const char *word = e->cmdline[i];
		for (const char *quote; (quote = strchr(word, '\'')); word = quote + 1) {
			out_text(out, word, (size_t)(quote - word));
			out_str(out, "\\'");
		}
		text(out, word);
		out_ch(out, ' ');
	}
	out_ch(out, '\n');
}

static void print_attr_field(void *ctx, const char *name, const char *value)
{
	out_f(ctx, ", %s = ", name);
	text(ctx, value);
}

static void print_events(struct out *out, const struct env *e)
{
	for (size_t i = 0; i < e->events.len; i++) {
		const struct env_event *ev = &e->events.data[i];
		struct attr_names names = env_attr_names(e, ev);
		out_str(out, "# event : name = ");
		text(out, ev->name);
		out_str(out, ", ");
		for (uint32_t k = 0; k < ev->ids_nr; k++) {
			out_str(out, k ? ", " : ", id = { ");
			out_u64(out, ev->ids[k]);
		}
		out_str(out, ev->ids_nr ? " }" : "");
		attr_each_field(&ev->attr, &names, print_attr_field, out);
		out_ch(out, '\n');
	}
}

static void print_siblings(struct out *out, const char *what, const char *const *lists, size_t n)
{
	for (size_t i = 0; i < n; i++)
		line(out, what, lists[i]);
}

static void print_cpu_topology(struct out *out, const struct env *e)
{
	bool dies = e->die_siblings.len;

	print_siblings(out, "sibling sockets", e->core_siblings.data, e->core_siblings.len);
	print_siblings(out, "sibling dies   ", e->die_siblings.data, e->die_siblings.len);
	print_siblings(out, "sibling threads", e->thread_siblings.data, e->thread_siblings.len);
	for (size_t i = 0; i < e->cpus.len; i++) {
		const struct env_cpu *c = &e->cpus.data[i];
		out_f(out, "# CPU %zu: Core ID %d, ", i, c->core);
		if (dies)
			out_f(out, "Die ID %d, ", c->die);
		out_f(out, "Socket ID %d\n", c->socket);
	}
	if (!e->cpus.len)
		out_f(out, "# Core ID%s and Socket ID information is not available\n", dies ? ", Die ID" : "");
}

static void print_numa(struct out *out, const struct env *e)
{
	for (size_t i = 0; i < e->numa.len; i++) {
		const struct env_numa_node *n = &e->numa.data[i];
		out_f(out, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n", n->node, n->mem_total_kb,
		      n->mem_free_kb);
		out_f(out, "# node%u cpu list : ", n->node);
		text(out, n->cpus);
		out_ch(out, '\n');
	}
}

static void print_branch_stack(struct out *out, const struct env *e)
{
	out_str(out, "# contains samples with branch stack\n");
}

static void print_pmus(struct out *out, const struct env *e)
{
	if (!e->pmus.len) {
		out_str(out, "# pmu mappings: not available\n");
		return;
	}
	for (size_t i = 0; i < e->pmus.len; i++) {
		out_str(out, i ? ", " : "# pmu mappings: ");
		text(out, e->pmus.data[i].name);
		out_f(out, " = %u", e->pmus.data[i].type);
	}
	out_ch(out, '\n');
}

static void print_groups(struct out *out, const struct env *e)
{
	for (size_t i = 0; i < e->events.len; i++) {
		const struct env_event *ev = &e->events.data[i];
		if (ev->group_members <= 1)
			continue;
		out_str(out, "# group: ");
		text(out, ev->group_name ? ev->group_name : "");
		for (uint32_t k = 0; k < ev->group_members && i + k < e->events.len; k++) {
			out_ch(out, k ? ',' : '{');
			text(out, ev[k].name);
		}
		out_str(out, "}\n");
	}
}

static void print_auxtrace(struct out *out, const struct env *e)
{
	out_str(out, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_stat(struct out *out, const struct env *e)
{
	out_str(out, "# contains stat data\n");
}

static void print_caches(struct out *out, const struct env *e)
{
	out_str(out, "# CPU cache info:\n");
	for (size_t i = 0; i < e->caches.len; i++) {
		const struct env_cache *c = &e->caches.data[i];
		out_f(out, "#  L%u ", c->level);
		out_text_left(out, c->type, 15);
		out_ch(out, ' ');
		out_text_right(out, c->size, 8);
		out_str(out, " [");
		text(out, c->cpus);
		out_str(out, "]\n");
	}
}

/* Seconds and microseconds, truncated. */
static void print_time(struct out *out, const char *what, uint64_t ns)
{
	out_f(out, "# %s : %" PRIu64 ".%06" PRIu64 "\n", what, ns / 1000000000, ns / 1000 % 1000000);
}

static void print_sample_time(struct out *out, const struct env *e)
{
	double ms = (double)(e->last_sample_ns - e->first_sample_ns) / 1e6;

	print_time(out, "time of first sample", e->first_sample_ns);
	print_time(out, "time of last sample", e->last_sample_ns);
	out_f(out, "# sample duration : %10.3f ms\n", ms);
}

/* In the largest unit that gives more than one. */
static void print_bytes(struct out *out, uint64_t n)
{
	static const char units[] = "BKMG";
	unsigned i = 0;

	for (; n / 1024 > 1 && i < 3; i++)
		n /= 1024;
	out_f(out, "%" PRIu64 "%c", n, units[i]);
}

static bool bit_at(const struct env_mem_node *n, uint64_t i)
{
	return i < n->bits && n->bitmap[i / 64] >> (i % 64) & 1;
}

static void print_bitmap(struct out *out, const struct env_mem_node *n)
{
	const char *separator = "";

	for (uint64_t i = 0; i < n->bits; i++) {
		if (!bit_at(n, i))
			continue;
		uint64_t first = i;
		while (bit_at(n, i + 1))
			i++;
		out_f(out, "%s%" PRIu64, separator, first);
		if (i > first)
			out_f(out, "-%" PRIu64, i);
		separator = ",";
	}
}

static void print_mem_topology(struct out *out, const struct env *e)
{
	out_f(out, "# memory nodes (nr %zu, block size 0x%" PRIx64 "):\n", e->mem_nodes.len, e->mem_block_bytes);
	for (size_t i = 0; i < e->mem_nodes.len; i++) {
		const struct env_mem_node *n = &e->mem_nodes.data[i];
		uint64_t blocks = 0;
		for (uint64_t w = 0; w < (n->bits + 63) / 64; w++)
			blocks += (uint64_t)__builtin_popcountll(n->bitmap[w]);
		out_f(out, "# %4" PRIu64 " [", n->node);
		print_bytes(out, blocks * e->mem_block_bytes);
		out_str(out, "]: ");
		print_bitmap(out, n);
		out_ch(out, '\n');
	}
}

static void print_clockid(struct out *out, const struct env *e)
{
	out_f(out, "# clockid frequency: %" PRIu64 " MHz\n", e->clockid_res_ns * 1000);
}

static void print_dir_format(struct out *out, const struct env *e)
{
	out_f(out, "# directory data version : %" PRIu64 "\n", e->dir_version);
}

static void print_bpf_progs(struct out *out, const struct env *e)
{
	if (!e->bpf_progs.len)
		out_str(out, "# bpf_prog_info empty\n");
	header_bpf_print(out, e);
}

static void print_bpf_btfs(struct out *out, const struct env *e)
{
	if (!e->bpf_btfs.len)
		out_str(out, "# btf info empty\n");
	for (size_t i = 0; i < e->bpf_btfs.len; i++)
		out_f(out, "# btf info of id %u\n", e->bpf_btfs.data[i].id);
}

static void print_compressed(struct out *out, const struct env *e)
{
	out_f(out, "# compressed : %s, level = %u, ratio = %u\n", e->compressed.type == 1 ? "Zstd" : "Unknown",
	      e->compressed.level, e->compressed.ratio);
}

static void print_caps(struct out *out, const struct env_caps *caps)
{
	out_str(out, "# ");
	text(out, caps->pmu);
	out_str(out, " pmu capabilities: ");
	for (uint32_t i = 0; i < caps->caps_nr; i++) {
		out_str(out, i ? ", " : "");
		text(out, caps->caps[i]);
	}
	out_str(out, caps->caps_nr ? "\n" : "not available\n");
}

static void print_e_machine(struct out *out, const struct env *e)
{
	out_f(out, "# e_machine : %u\n#   e_flags : %u\n", e->e_machine, e->e_flags);
}

static void print_cache_line(struct out *out, const struct env *e)
{
	out_f(out, "# cacheline size: %u\n", e->cache_line_bytes);
}

static void print_cpu_pmu_caps(struct out *out, const struct env *e)
{
	for (size_t i = 0; i < e->pmu_caps.len; i++)
		if (!strcmp(e->pmu_caps.data[i].pmu, "cpu"))
			print_caps(out, &e->pmu_caps.data[i]);
}

static void print_pmu_caps(struct out *out, const struct env *e)
{
	for (size_t i = 0; i < e->pmu_caps.len; i++)
		if (strcmp(e->pmu_caps.data[i].pmu, "cpu"))
			print_caps(out, &e->pmu_caps.data[i]);
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_PROCESS_CPUTIME_ID:
		return "process_cputime_id";
	case CLOCK_THREAD_CPUTIME_ID:
		return "thread_cputime_id";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		return "(not found)";
	}
}

static void print_clock_data(struct out *out, const struct env *e)
{
	const char *name = clock_name(e->clock_data.clockid);
	uint64_t wall = e->clock_data.wall_ns, own = e->clock_data.clockid_ns;
	time_t seconds = (time_t)(wall / 1000000000);
	struct tm tm;
	char day[32] = "";

	if (!e->clock_data.present || !e->has_clockid) {
		out_str(out, "# reference time disabled\n");
		return;
	}
	if (localtime_r(&seconds, &tm))
		strftime(day, sizeof(day), "%F %T", &tm);
	out_f(out, "# clockid: %s (%u)\n", name, e->clock_data.clockid);
	out_f(out, "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
	      day, wall / 1000 % 1000000, wall / 1000000000, wall / 1000 % 1000000, own / 1000000000, own % 1000000000, name);
}

static void print_hybrid(struct out *out, const struct env *e)
{
	out_str(out, "# hybrid cpu system:\n");
	for (size_t i = 0; i < e->hybrid.len; i++) {
		out_str(out, "# ");
		text(out, e->hybrid.data[i].pmu);
		out_str(out, " cpu list : ");
		text(out, e->hybrid.data[i].cpus);
		out_ch(out, '\n');
	}
}

static uint32_t domains_of_cpu(const struct env *e, size_t first)
{
	uint32_t nr = 0;
	for (size_t i = first; i < e->domains.len && e->domains.data[i].cpu == e->domains.data[first].cpu; i++)
		nr++;
	return nr;
}

static void print_domain(struct out *out, const struct env *e, const struct env_domain *d)
{
	out_f(out, "# Domain\t\t: %" PRIu32 "\n", d->domain);
	if (e->schedstat_version >= 17)
		line(out, "Domain name     ", d->name);
	line(out, "Domain cpu map  ", d->mask);
	line(out, "Domain cpu list ", d->cpus);
}

static void print_domains(struct out *out, const struct env *e)
{
	uint32_t max = 0;
	for (size_t i = 0; i < e->domains.len; i++)
		max = e->domains.data[i].domain >= max ? e->domains.data[i].domain + 1 : max;
	out_f(out, "# schedstat version\t: %" PRIu32 "\n# Maximum sched domains\t: %" PRIu32 "\n", e->schedstat_version, max);
	for (size_t i = 0; i < e->domains.len; i++) {
		const struct env_domain *d = &e->domains.data[i];
		if (!i || d[-1].cpu != d->cpu)
			out_f(out, "# cpu\t\t: %" PRIu32 "\n# nr_domains\t: %" PRIu32 "\n", d->cpu, domains_of_cpu(e, i));
		print_domain(out, e, d);
	}
}

#define PRINT_STRING(function, name, field)                             \
	static void function(struct out *out, const struct env *e)      \
	{                                                               \
		line(out, name, e->field);                              \
	}
PRINT_STRING(print_hostname, "hostname", hostname)
PRINT_STRING(print_os_release, "os release", os_release)
PRINT_STRING(print_version, "perf version", tool_version)
PRINT_STRING(print_arch, "arch", arch)
PRINT_STRING(print_cpu_desc, "cpudesc", cpu_desc)
PRINT_STRING(print_cpuid, "cpuid", cpuid)
#undef PRINT_STRING

static const struct {
	const char *name;
	void (*print)(struct out *out, const struct env *e);
	bool is_long; /* only with -I */
} features[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", NULL, false },
	[FEATURE_BUILD_ID] = { "BUILD_ID", NULL, false },
	[FEATURE_HOSTNAME] = { "HOSTNAME", print_hostname, false },
	[FEATURE_OSRELEASE] = { "OSRELEASE", print_os_release, false },
	[FEATURE_VERSION] = { "VERSION", print_version, false },
	[FEATURE_ARCH] = { "ARCH", print_arch, false },
	[FEATURE_NRCPUS] = { "NRCPUS", print_nr_cpus, false },
	[FEATURE_CPUDESC] = { "CPUDESC", print_cpu_desc, false },
	[FEATURE_CPUID] = { "CPUID", print_cpuid, false },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", print_total_mem, false },
	[FEATURE_CMDLINE] = { "CMDLINE", print_cmdline, false },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", print_events, false },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", print_cpu_topology, true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", print_numa, true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", print_branch_stack, false },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", print_pmus, false },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", print_groups, false },
	[FEATURE_AUXTRACE] = { "AUXTRACE", print_auxtrace, false },
	[FEATURE_STAT] = { "STAT", print_stat, false },
	[FEATURE_CACHE] = { "CACHE", print_caches, true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", print_sample_time, false },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", print_mem_topology, true },
	[FEATURE_CLOCKID] = { "CLOCKID", print_clockid, false },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", print_dir_format, false },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", print_bpf_progs, false },
	[FEATURE_BPF_BTF] = { "BPF_BTF", print_bpf_btfs, false },
	[FEATURE_COMPRESSED] = { "COMPRESSED", print_compressed, false },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", print_cpu_pmu_caps, false },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", print_clock_data, false },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", print_hybrid, true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", print_pmu_caps, false },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", print_domains, true },
	[FEATURE_E_MACHINE] = { "E_MACHINE", print_e_machine, false },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", print_cache_line, false },
};

/* Offsets of the parts of the file, and its modification time. A stream has no offsets. */
static void print_file(struct out *out, const struct env *e)
{
	time_t when = (time_t)e->file.modified_s;
	struct tm tm;
	char captured[64];

	/* A live session has no file. */
	if (!when && !e->file.data_bytes && !e->is_pipe)
		return;
	if (localtime_r(&when, &tm) && strftime(captured, sizeof(captured), "%a %b %e %T %Y", &tm))
		out_f(out, "# captured on    : %s\n", captured);
	out_f(out, "# header version : %u\n", e->file_version - 1);
	out_f(out, "# data offset    : %" PRIu64 "\n", e->file.data_offset);
	out_f(out, "# data size      : %" PRIu64 "\n", e->file.data_bytes);
	out_f(out, "# feat offset    : %" PRIu64 "\n", e->file.data_offset + e->file.data_bytes);
}

void header_text_print(struct out *out, const struct env *env, bool full)
{
	out_str(out, "# ========\n");
	print_file(out, env);
	/* perf prints a stream's header before it has read its features. */
	if (env->is_pipe)
		out_str(out, "# ========\n#\n");
	for (uint32_t bit = 0; bit < sizeof(features) / sizeof(*features); bit++) {
		if (!features[bit].print || !env_section(env, bit))
			continue;
		if (features[bit].is_long && !full)
			out_f(out, "# %s info available, use -I to display\n", features[bit].name);
		else
			features[bit].print(out, env);
	}
	if (env->is_pipe)
		return;
	out_str(out, "# missing features: ");
	for (uint32_t bit = 1; bit <= PERF_LAST_BIT; bit++)
		if (!env_section(env, bit))
			out_f(out, "%s ", features[bit].name);
	out_str(out, "\n# ========\n#\n");
}
