#include "event/table_priv.h"

#include <stdio.h>
#include <strings.h>

#define HW(config, name, alias)                                                            \
	{                                                                                  \
		name, alias, EVENT_HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, 0 \
	}
#define SW(config, name, alias)                                                            \
	{                                                                                  \
		name, alias, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, 0 \
	}
#define TOOL(tool, name)                                                                           \
	{                                                                                          \
		name, NULL, EVENT_TOOL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, EVENT_TOOL_##tool \
	}

const struct table_symbol table_symbols[] = {
	HW(BRANCH_INSTRUCTIONS, "branch-instructions", "branches"),
	HW(BRANCH_MISSES, "branch-misses", NULL),
	HW(BUS_CYCLES, "bus-cycles", NULL),
	HW(CACHE_MISSES, "cache-misses", NULL),
	HW(CACHE_REFERENCES, "cache-references", NULL),
	HW(CPU_CYCLES, "cpu-cycles", "cycles"),
	HW(INSTRUCTIONS, "instructions", NULL),
	HW(REF_CPU_CYCLES, "ref-cycles", NULL),
	HW(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend"),
	HW(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend"),
	SW(ALIGNMENT_FAULTS, "alignment-faults", NULL),
	SW(BPF_OUTPUT, "bpf-output", NULL),
	SW(CGROUP_SWITCHES, "cgroup-switches", NULL),
	SW(CONTEXT_SWITCHES, "context-switches", "cs"),
	SW(CPU_CLOCK, "cpu-clock", NULL),
	SW(CPU_MIGRATIONS, "cpu-migrations", "migrations"),
	SW(DUMMY, "dummy", NULL),
	SW(EMULATION_FAULTS, "emulation-faults", NULL),
	SW(PAGE_FAULTS_MAJ, "major-faults", NULL),
	SW(PAGE_FAULTS_MIN, "minor-faults", NULL),
	SW(PAGE_FAULTS, "page-faults", "faults"),
	SW(TASK_CLOCK, "task-clock", NULL),
	TOOL(DURATION_TIME, "duration_time"),
	TOOL(USER_TIME, "user_time"),
	TOOL(SYSTEM_TIME, "system_time"),
};
const size_t table_symbols_nr = sizeof(table_symbols) / sizeof(*table_symbols);

static bool same(const char *s, const char *name, size_t n)
{
	return s && !strncasecmp(s, name, n) && !s[n];
}

const struct table_symbol *table_find(const char *name, size_t n)
{
	for (size_t i = 0; i < table_symbols_nr; i++)
		if (same(table_symbols[i].name, name, n) || same(table_symbols[i].alias, name, n))
			return &table_symbols[i];
	return NULL;
}

#define ALIASES 5

struct part {
	const char *names[ALIASES]; /* the first one is shown */
	unsigned ops;               /* of caches: bits of the operations that exist */
};

#define R (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define W (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define P (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

static const struct part caches[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = { { "L1-dcache", "l1-d", "l1d", "L1-data" }, R | W | P },
	[PERF_COUNT_HW_CACHE_L1I] = { { "L1-icache", "l1-i", "l1i", "L1-instruction" }, R | P },
	[PERF_COUNT_HW_CACHE_LL] = { { "LLC", "L2" }, R | W | P },
	[PERF_COUNT_HW_CACHE_DTLB] = { { "dTLB", "d-tlb", "Data-TLB" }, R | W | P },
	[PERF_COUNT_HW_CACHE_ITLB] = { { "iTLB", "i-tlb", "Instruction-TLB" }, R },
	[PERF_COUNT_HW_CACHE_BPU] = { { "branch", "branches", "bpu", "btb", "bpc" }, R },
	[PERF_COUNT_HW_CACHE_NODE] = { { "node" }, R | W | P },
};

#undef R
#undef W
#undef P

static const struct part operations[PERF_COUNT_HW_CACHE_OP_MAX] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { { "load", "loads", "read" } },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { { "store", "stores", "write" } },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { { "prefetch", "prefetches", "speculative-read", "speculative-load" } },
};

static const struct part results[PERF_COUNT_HW_CACHE_RESULT_MAX] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { { "refs", "Reference", "ops", "access" } },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { { "misses", "miss" } },
};

/* The longest name that the text begins with and that ends at the text's end or a dash: its length, 0: none. */
static size_t match_part(const struct part *parts, size_t nr, const char *text, size_t n, unsigned *ret)
{
	size_t best = 0;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < ALIASES && parts[i].names[k]; k++) {
			size_t len = strlen(parts[i].names[k]);
			if (len > n || len <= best || strncasecmp(parts[i].names[k], text, len))
				continue;
			if (len == n || text[len] == '-') {
				best = len;
				*ret = (unsigned)i;
			}
		}
	return best;
}

enum table_cache_result table_cache_parse(const char *name, size_t n, uint64_t *ret_config, size_t *ret_at)
{
	unsigned cache = 0, op = 0, result = 0;
	bool has_op = false, has_result = false;
	size_t at = match_part(caches, PERF_COUNT_HW_CACHE_MAX, name, n, &cache);
	if (!at)
		return TABLE_CACHE_NO_NAME;
	while (at < n) {
		*ret_at = ++at; /* after the dash */
		size_t len;
		if (!has_op && (len = match_part(operations, PERF_COUNT_HW_CACHE_OP_MAX, name + at, n - at, &op)))
			has_op = true;
		else if (!has_result &&
			 (len = match_part(results, PERF_COUNT_HW_CACHE_RESULT_MAX, name + at, n - at, &result)))
			has_result = true;
		else
			return TABLE_CACHE_WRONG_PART;
		at += len;
	}
	if (!(caches[cache].ops & 1u << op))
		return TABLE_CACHE_NO_SUCH_OP;
	*ret_config = cache | (uint64_t)op << 8 | (uint64_t)result << 16;
	return TABLE_CACHE_OK;
}

bool table_cache_name(size_t i, char *ret_name, size_t room, uint64_t *ret_config)
{
	for (unsigned cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
		for (unsigned op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++)
			for (unsigned result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX; result++) {
				if (!(caches[cache].ops & 1u << op) || i--)
					continue;
				/* "-loads" for accesses, "-load-misses" for misses */
				snprintf(ret_name, room, "%s-%s%s%s", caches[cache].names[0],
					 operations[op].names[result ? 0 : 1], result ? "-" : "",
					 result ? results[result].names[0] : "");
				*ret_config = cache | (uint64_t)op << 8 | (uint64_t)result << 16;
				return true;
			}
	return false;
}
