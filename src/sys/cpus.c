#include "sys/cpus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define CPU_DIR "/sys/devices/system/cpu"

static bool push_cpu(void *ctx, uint32_t cpu)
{
	sys_cpus *cpus = ctx;
	vec_push(cpus, cpu);
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

struct strobe_error *sys_cpus_parse(const char *list, sys_cpus *ret)
{
	if (!text_each_cpu(list, SYS_CPU_MAX, push_cpu, ret))
		return error_create(ERROR_USAGE, "invalid CPU list '%s': expected a list like 0-3,7", list);
	if (!ret->len)
		return NULL;
	qsort(ret->data, ret->len, sizeof(*ret->data), by_number);
	size_t n = 1;
	for (size_t i = 1; i < ret->len; i++)
		if (ret->data[i] != ret->data[n - 1])
			ret->data[n++] = ret->data[i];
	ret->len = n;
	return NULL;
}

/* Reads a file with such a list, like a PMU's cpumask. */
static struct strobe_error *sys_cpus_read(const struct sys *sys, const char *path, sys_cpus *ret)
{
	_cleanup_free_ char *line = NULL;
	TRY(sys_read_line(sys, path, &line));
	return error_prefix(sys_cpus_parse(line, ret), "%s", path);
}

struct strobe_error *sys_cpus_online(const struct sys *sys, sys_cpus *ret)
{
	return sys_cpus_read(sys, CPU_DIR "/online", ret);
}

uint32_t sys_cpus_possible_nr(const struct sys *sys)
{
	sys_cpus cpus = {};
	_cleanup_error_ struct strobe_error *err = sys_cpus_read(sys, CPU_DIR "/possible", &cpus);
	uint32_t n = !err && cpus.len ? vec_last(&cpus) + 1 : (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	vec_deinit(&cpus);
	return n;
}

static struct strobe_error *sys_cpus_present(const struct sys *sys, sys_cpus *ret)
{
	return sys_cpus_read(sys, CPU_DIR "/present", ret);
}

bool sys_cpus_has(const sys_cpus *cpus, uint32_t cpu)
{
	return cpus->len && bsearch(&cpu, cpus->data, cpus->len, sizeof(cpu), by_number);
}

/* The line of a file, in the arena; NULL: none. */
static const char *line_of(const struct sys *sys, struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static const char *line_of(const struct sys *sys, struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	_cleanup_free_ char *path = xvasprintf(fmt, ap);
	va_end(ap);
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(sys, path, &line);
	return err ? NULL : arena_strdup(arena, line);
}

static int32_t number_of(const struct sys *sys, struct arena *arena, uint32_t cpu, const char *name)
{
	const char *line = line_of(sys, arena, CPU_DIR "/cpu%u/topology/%s", cpu, name);
	int64_t v;
	return line && text_to_i64(line, &v) && v >= -1 && v <= INT32_MAX ? (int32_t)v : -1;
}

typedef VEC(const char *) lists;

static void add_distinct(void *vec, const char *list)
{
	lists *v = vec;
	if (!list || !*list)
		return;
	for (size_t i = 0; i < v->len; i++)
		if (!strcmp(v->data[i], list))
			return;
	vec_push(v, list);
}

/* These files were renamed in Linux 5.x; older kernels have only the second name. */
static const char *sibling_list(const struct sys *sys, struct arena *arena, uint32_t cpu, const char *name,
				const char *old_name)
{
	const char *line = line_of(sys, arena, CPU_DIR "/cpu%u/topology/%s", cpu, name);
	return line || !old_name ? line : line_of(sys, arena, CPU_DIR "/cpu%u/topology/%s", cpu, old_name);
}

static uint32_t cache_number(const struct sys *sys, struct arena *arena, const char *dir, const char *name)
{
	const char *line = line_of(sys, arena, "%s/%s", dir, name);
	uint64_t v;
	return line && text_to_u64(line, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static bool is_known_cache(const struct sys_topology *t, const struct sys_cache *c)
{
	for (size_t i = 0; i < t->caches.len; i++) {
		const struct sys_cache *other = &t->caches.data[i];
		if (other->level == c->level && !strcmp(other->type, c->type) && !strcmp(other->cpus, c->cpus))
			return true;
	}
	return false;
}

static void read_caches(struct sys_topology *t, const struct sys *sys, uint32_t cpu)
{
	for (unsigned index = 0; index < 16; index++) {
		_cleanup_free_ char *dir = xasprintf(CPU_DIR "/cpu%u/cache/index%u", cpu, index);
		struct sys_cache c = { .type = line_of(sys, &t->arena, "%s/type", dir) };
		if (!c.type)
			return;
		c.level = cache_number(sys, &t->arena, dir, "level");
		c.cpus = line_of(sys, &t->arena, "%s/shared_cpu_list", dir);
		if (!c.cpus || is_known_cache(t, &c))
			continue;
		c.line_bytes = cache_number(sys, &t->arena, dir, "coherency_line_size");
		c.sets = cache_number(sys, &t->arena, dir, "number_of_sets");
		c.ways = cache_number(sys, &t->arena, dir, "ways_of_associativity");
		c.size = line_of(sys, &t->arena, "%s/size", dir);
		if (!c.size)
			c.size = "";
		vec_push(&t->caches, c);
	}
}

static void read_cpu(struct sys_topology *t, const struct sys *sys, uint32_t cpu, bool online)
{
	struct sys_cpu c = {
		.cpu = cpu,
		.online = online,
		.core = number_of(sys, &t->arena, cpu, "core_id"),
		.cluster = number_of(sys, &t->arena, cpu, "cluster_id"),
		.die = number_of(sys, &t->arena, cpu, "die_id"),
		.socket = number_of(sys, &t->arena, cpu, "physical_package_id"),
		.node = -1,
	};
	vec_push(&t->cpus, c);
	if (!online)
		return;
	add_distinct(&t->packages, sibling_list(sys, &t->arena, cpu, "package_cpus_list", "core_siblings_list"));
	add_distinct(&t->dies, sibling_list(sys, &t->arena, cpu, "die_cpus_list", NULL));
	add_distinct(&t->cores, sibling_list(sys, &t->arena, cpu, "core_cpus_list", "thread_siblings_list"));
	read_caches(t, sys, cpu);
}

/* The number after "Key:" in a meminfo text. */
static uint64_t meminfo_kb(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static struct strobe_error *read_node(struct sys_topology *t, const struct sys *sys, uint32_t node)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_free_ char *path = xasprintf("/sys/devices/system/node/node%u/meminfo", node);
	_cleanup_error_ struct strobe_error *err = sys_read(sys, path, &text, 1 << 20);
	const char *cpus = line_of(sys, &t->arena, "/sys/devices/system/node/node%u/cpulist", node);
	struct sys_node n = {
		.node = node,
		.mem_total_kb = meminfo_kb(strbuf_str(&text), "MemTotal:"),
		.mem_free_kb = meminfo_kb(strbuf_str(&text), "MemFree:"),
		.cpus = cpus ? cpus : "",
	};
	vec_push(&t->nodes, n);
	sys_cpus members = {};
	struct strobe_error *bad = sys_cpus_parse(n.cpus, &members);
	for (size_t i = 0; i < t->cpus.len; i++)
		if (sys_cpus_has(&members, t->cpus.data[i].cpu))
			t->cpus.data[i].node = (int32_t)node;
	vec_deinit(&members);
	return bad;
}

static struct strobe_error *read_all(struct sys_topology *t, const struct sys *sys, sys_cpus *present, sys_cpus *online,
				     sys_cpus *nodes)
{
	TRY(sys_cpus_present(sys, present));
	TRY(sys_cpus_online(sys, online));
	for (size_t i = 0; i < present->len; i++)
		read_cpu(t, sys, present->data[i], sys_cpus_has(online, present->data[i]));
	t->online_nr = online->len;
	if (!sys_exists(sys, "/sys/devices/system/node/online"))
		return NULL; /* a kernel without NUMA */
	TRY(sys_cpus_read(sys, "/sys/devices/system/node/online", nodes));
	for (size_t i = 0; i < nodes->len; i++)
		TRY(read_node(t, sys, nodes->data[i]));
	return NULL;
}

struct strobe_error *sys_topology_read(struct sys_topology *t, const struct sys *sys)
{
	*t = (struct sys_topology){ 0 };
	arena_init(&t->arena);
	sys_cpus present = {}, online = {}, nodes = {};
	struct strobe_error *err = read_all(t, sys, &present, &online, &nodes);
	vec_deinit(&present);
	vec_deinit(&online);
	vec_deinit(&nodes);
	if (err)
		sys_topology_deinit(t);
	return err;
}

void sys_topology_deinit(struct sys_topology *t)
{
	vec_deinit(&t->cpus);
	vec_deinit(&t->packages);
	vec_deinit(&t->dies);
	vec_deinit(&t->cores);
	vec_deinit(&t->nodes);
	vec_deinit(&t->caches);
	arena_deinit(&t->arena);
}

/* The value of the first "key : value" line of /proc/cpuinfo; owned, or NULL. */
static char *cpuinfo_field(const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, key, n))
			continue;
		const char *at = line + n + strspn(line + n, " \t");
		if (*at != ':')
			continue;
		at++;
		at += strspn(at, " \t");
		return xstrndup(at, strcspn(at, "\n"));
	}
	return NULL;
}

char *sys_cpu_description(const struct sys *sys)
{
	static const char *const keys[] = {
		"model name", "cpu model", "Processor", "cpu", "vendor_id", "uarch", "isa"
	};
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/cpuinfo", &text, 0);
	for (size_t i = 0; !err && i < sizeof(keys) / sizeof(*keys); i++) {
		char *value = cpuinfo_field(strbuf_str(&text), keys[i]);
		if (value)
			return value;
	}
	return NULL;
}

char *sys_cpuid(const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/cpuinfo", &text, 0);
	const char *s = strbuf_str(&text);
	_cleanup_free_ char *vendor = cpuinfo_field(s, "vendor_id"), *family = cpuinfo_field(s, "cpu family");
	_cleanup_free_ char *model = cpuinfo_field(s, "model"), *stepping = cpuinfo_field(s, "stepping");
	if (vendor && family && model && stepping)
		return xasprintf("%s,%s,%s,%s", vendor, family, model, stepping);
	char *midr = NULL;
	_cleanup_error_ struct strobe_error *no_midr =
		sys_read_line(sys, CPU_DIR "/cpu0/regs/identification/midr_el1", &midr);
	if (!no_midr)
		return midr;
	return cpuinfo_field(s, "revision");
}

uint64_t sys_mem_total_kb(const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/meminfo", &text, 0);
	return meminfo_kb(strbuf_str(&text), "MemTotal:");
}
