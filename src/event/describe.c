#include "event/describe.h"

#include <string.h>

/* Source: perf_event_open(2). */
static const struct {
	const char *name, *text;
} descriptions[] = {
	{ "branch-instructions", "Branch instructions retired" },
	{ "branch-misses", "Branch instructions retired that were predicted wrongly" },
	{ "bus-cycles", "Bus cycles, which may differ from all cycles" },
	{ "cache-misses", "Cache accesses that missed, mostly in the last level" },
	{ "cache-references", "Cache accesses, mostly of the last level; prefetches and coherency may be among them" },
	{ "cpu-cycles", "Cycles of the CPU while not halted, at whatever frequency it runs" },
	{ "instructions", "Instructions retired; interrupts can make some count twice" },
	{ "ref-cycles", "Cycles of the reference clock while not halted, independent of frequency changes" },
	{ "stalled-cycles-backend", "Cycles in which nothing retired for lack of resources or data" },
	{ "stalled-cycles-frontend", "Cycles in which nothing was issued for lack of instructions" },
	{ "alignment-faults", "Unaligned accesses that the kernel had to handle; never on x86" },
	{ "bpf-output", "Output that a BPF program writes into the ring" },
	{ "cgroup-switches", "Context switches to a task of another cgroup" },
	{ "context-switches", "Switches from one task to another" },
	{ "cpu-clock", "Time by the high-resolution timer of the CPU" },
	{ "cpu-migrations", "Moves of a task from one CPU to another" },
	{ "dummy", "Counts nothing; carries records of mappings and tasks" },
	{ "emulation-faults", "Instructions that the kernel had to emulate" },
	{ "major-faults", "Page faults that had to wait for the disk" },
	{ "minor-faults", "Page faults that needed no disk" },
	{ "page-faults", "Page faults, minor and major" },
	{ "task-clock", "Time that the task spent on a CPU" },
	{ "duration_time", "Time from the beginning of the count to its end, in nanoseconds" },
	{ "user_time", "Time that the command spent in user space, in nanoseconds" },
	{ "system_time", "Time that the command spent in the kernel, in nanoseconds" },
};

#define OPS     PERF_COUNT_HW_CACHE_OP_MAX
#define RESULTS PERF_COUNT_HW_CACHE_RESULT_MAX

static const char *describe_cache(uint64_t config)
{
	/* Each combination is one literal, so that nothing is allocated. */
#define CACHE(name) \
	{ { "Reads of " name, "Reads of " name " that missed" }, { "Writes to " name, "Writes to " name " that missed" }, \
	  { "Prefetches into " name, "Prefetches into " name " that missed" } }
	static const char *const texts[PERF_COUNT_HW_CACHE_MAX][OPS][RESULTS] = {
		[PERF_COUNT_HW_CACHE_L1D] = CACHE("the first level data cache"),
		[PERF_COUNT_HW_CACHE_L1I] = CACHE("the first level instruction cache"),
		[PERF_COUNT_HW_CACHE_LL] = CACHE("the last level cache"),
		[PERF_COUNT_HW_CACHE_DTLB] = CACHE("the data TLB"),
		[PERF_COUNT_HW_CACHE_ITLB] = CACHE("the instruction TLB"),
		[PERF_COUNT_HW_CACHE_BPU] = CACHE("the branch predictor"),
		[PERF_COUNT_HW_CACHE_NODE] = CACHE("the memory of the CPU's own node"),
	};
#undef CACHE
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
	return cache < PERF_COUNT_HW_CACHE_MAX && op < OPS && result < RESULTS ? texts[cache][op][result] : NULL;
}

const char *event_describe(const struct event_name *name)
{
	if (name->group == EVENT_GROUP_CACHE)
		return describe_cache(name->config);
	if (name->group == EVENT_GROUP_PMU || name->group == EVENT_GROUP_TRACEPOINT)
		return NULL;
	for (size_t i = 0; i < sizeof(descriptions) / sizeof(*descriptions); i++)
		if (!strcmp(descriptions[i].name, name->name))
			return descriptions[i].text;
	return NULL;
}
