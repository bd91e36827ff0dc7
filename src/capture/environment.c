#include "capture/environment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "capture/host_priv.h"
#include "sys/cpus.h"
#include "sys/process_files.h"

#define NODE_DIR "/sys/devices/system/node"
#define PMU_DIR  "/sys/bus/event_source/devices"

/* Keeps *line in the arena and frees it; NULL stays NULL. */
static const char *keep(struct env *env, char *line)
{
	const char *kept = line ? arena_strdup(&env->arena, line) : NULL;
	free(line);
	return kept;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Blocks of memory of one node, as a bitmap by block number. */
static void fill_node_memory(struct env *env, const struct sys *sys, uint32_t node)
{
	_cleanup_free_ char *path = xasprintf(NODE_DIR "/node%u", node);
	sys_names names = {};
	struct strobe_error *err = sys_list(sys, path, &names);
	if (err) {
		error_destroy(err);
		return;
	}
	VEC(uint64_t) blocks = {};
	for (size_t i = 0; i < names.len; i++)
		if (!strncmp(names.data[i], "memory", 6) && isdigit((unsigned char)names.data[i][6]))
			vec_push(&blocks, strtoull(names.data[i] + 6, NULL, 10));
	sys_names_deinit(&names);
	if (blocks.len) {
		qsort(blocks.data, blocks.len, sizeof(uint64_t), compare_u64);
		uint64_t bits = vec_last(&blocks) + 1;
		/* A block is at least 1 MB: a number that large is not a block of memory. */
		if (bits < (1ull << 32)) {
			uint64_t *bitmap = arena_calloc(&env->arena, (bits + 63) / 64 * 8);
			for (size_t i = 0; i < blocks.len; i++)
				bitmap[blocks.data[i] / 64] |= 1ull << (blocks.data[i] % 64);
			struct env_mem_node m = { .node = node, .blocks = bits, .bits = bits, .bitmap = bitmap };
			vec_push(&env->mem_nodes, m);
		}
	}
	vec_deinit(&blocks);
}

#define KEEP_LIST(to, from)                         \
	for (size_t i_ = 0; i_ < (from)->len; i_++) \
	vec_push(to, (const char *)arena_strdup(&env->arena, (from)->data[i_]))

static void fill_topology(struct env *env, const struct sys *sys)
{
	struct sys_topology t = {};
	struct strobe_error *err = sys_topology_read(&t, sys);
	if (err) {
		error_destroy(err);
		return;
	}
	for (size_t i = 0; i < t.cpus.len; i++) {
		const struct sys_cpu *c = &t.cpus.data[i];
		const struct env_cpu none = { -1, -1, -1 };
		while (env->cpus.len < c->cpu)
			vec_push(&env->cpus, none);
		struct env_cpu e = { .core = c->core, .socket = c->socket, .die = c->die };
		vec_push(&env->cpus, e);
	}
	env->cpus_available = (uint32_t)t.cpus.len;
	env->cpus_online = (uint32_t)t.online_nr;
	KEEP_LIST(&env->core_siblings, &t.packages);
	KEEP_LIST(&env->die_siblings, &t.dies);
	KEEP_LIST(&env->thread_siblings, &t.cores);
	for (size_t i = 0; i < t.nodes.len; i++) {
		const struct sys_node *n = &t.nodes.data[i];
		struct env_numa_node e = {
			.node = n->node,
			.mem_total_kb = n->mem_total_kb,
			.mem_free_kb = n->mem_free_kb,
			.cpus = arena_strdup(&env->arena, n->cpus),
		};
		vec_push(&env->numa, e);
		if (env->mem_block_bytes)
			fill_node_memory(env, sys, n->node);
	}
	for (size_t i = 0; i < t.caches.len; i++) {
		const struct sys_cache *c = &t.caches.data[i];
		struct env_cache e = {
			.level = c->level,
			.line_bytes = c->line_bytes,
			.sets = c->sets,
			.ways = c->ways,
			.type = arena_strdup(&env->arena, c->type),
			.size = arena_strdup(&env->arena, c->size),
			.cpus = arena_strdup(&env->arena, c->cpus),
		};
		vec_push(&env->caches, e);
	}
	sys_topology_deinit(&t);
}

static void fill_caps(struct env *env, const struct sys *sys, const char *pmu)
{
	_cleanup_free_ char *path = xasprintf(PMU_DIR "/%s/caps", pmu);
	sys_names names = {};
	struct strobe_error *err = sys_exists(sys, path) ? sys_list(sys, path, &names) : NULL;
	if (err)
		error_destroy(err);
	VEC(const char *) caps = {};
	for (size_t i = 0; i < names.len; i++) {
		_cleanup_free_ char *file = xasprintf("%s/%s", path, names.data[i]);
		_cleanup_free_ char *value = host_line(sys, file);
		if (value)
			vec_push(&caps, (const char *)arena_printf(&env->arena, "%s=%s", names.data[i], value));
	}
	sys_names_deinit(&names);
	if (caps.len) {
		struct env_caps c = {
			.pmu = arena_strdup(&env->arena, pmu),
			.caps = arena_memdup(&env->arena, caps.data, caps.len * sizeof(char *)),
			.caps_nr = (uint32_t)caps.len,
		};
		vec_push(&env->pmu_caps, c);
	}
	vec_deinit(&caps);
}

static void fill_pmus(struct env *env, const struct sys *sys)
{
	sys_names names = {};
	struct strobe_error *err = sys_list(sys, PMU_DIR, &names);
	if (err)
		error_destroy(err);
	for (size_t i = 0; i < names.len; i++) {
		int64_t type;
		_cleanup_free_ char *path = xasprintf(PMU_DIR "/%s/type", names.data[i]);
		if (!host_number(sys, path, &type))
			continue;
		struct env_pmu p = { .type = (uint32_t)type, .name = arena_strdup(&env->arena, names.data[i])};
		vec_push(&env->pmus, p);
		fill_caps(env, sys, p.name);
	}
	sys_names_deinit(&names);
}

static void fill_command_line(struct env *env, const struct sys *sys, bool full_path)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_free_ char *program = full_path ? process_program() : NULL;
	size_t nr = 0;
	error_destroy(sys_read(sys, "/proc/self/cmdline", &text, 0));
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		nr++;
	const char **words = (const char **)arena_new_array(&env->arena, char *, nr + 1);
	const char *word = strbuf_str(&text);
	for (size_t i = 0; i < nr; i++, word += strlen(word) + 1)
		words[i] = arena_strdup(&env->arena, !i && program ? program : word);
	env->cmdline = words;
	env->cmdline_nr = (uint32_t)nr;
}

void environment_fill(struct env *env, const struct sys *sys, const char *tool_version, bool full_path)
{
	struct utsname u;
	if (!sys_uname(sys, &u)) {
		env->hostname = arena_strdup(&env->arena, u.nodename);
		env->os_release = arena_strdup(&env->arena, u.release);
		env->arch = arena_strdup(&env->arena, u.machine);
	}
	env->tool_version = arena_strdup(&env->arena, tool_version);
	env->total_mem_kb = sys_mem_total_kb(sys);
	env->cpu_desc = keep(env, sys_cpu_description(sys));
	env->cpuid = keep(env, sys_cpuid(sys));
	fill_command_line(env, sys, full_path);
	_cleanup_free_ char *block = host_line(sys, "/sys/devices/system/memory/block_size_bytes");
	env->mem_version = 1;
	env->mem_block_bytes = block ? strtoull(block, NULL, 16) : 0;
	fill_topology(env, sys);
	fill_pmus(env, sys);
}

void environment_clock(struct env *env, const struct sys *sys, int32_t clockid)
{
	struct timespec res;
	env->has_clockid = true;
	env->clockid_res_ns = clock_getres(clockid, &res) ? 0 : timespec_ns(res);
	uint64_t clock_ns = sys_clock_ns(sys, clockid), wall_ns = sys_clock_ns(sys, CLOCK_REALTIME);
	if (!clock_ns || !wall_ns)
		return;
	env->clock_data.present = true;
	env->clock_data.clockid = (uint32_t)clockid;
	env->clock_data.wall_ns = wall_ns;
	env->clock_data.clockid_ns = clock_ns;
}

void environment_fill_session(struct env *env, const struct sys *sys, const char *tool_version, const struct capture_options *o)
{
	environment_fill(env, sys, tool_version, true);
	if (!o->no_bpf_event)
		environment_bpf(env);
	if (o->use_clockid)
		environment_clock(env, sys, o->clockid);
}
