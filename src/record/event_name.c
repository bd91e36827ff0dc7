/* perf's names for events without one in the recording. */
#include "base/strbuf.h"
#include "record/env.h"

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",
	"task-clock",
	"page-faults",
	"context-switches",
	"cpu-migrations",
	"minor-faults",
	"major-faults",
	"alignment-faults",
	"emulation-faults",
	"dummy",
	"bpf-output",
	"cgroup-switches",
};

static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_op[] = { "load", "store", "prefetch" };
static const char *const cache_ops[] = { "loads", "stores", "prefetches" };

/* Code caches are only read, TLBs and branch predictors not prefetched into on purpose: kernel's hw_cache tables. */
static const uint8_t cache_ops_valid[] = { 7, 5, 7, 7, 1, 1, 7 };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void add_cache(struct strbuf *b, uint64_t config)
{
	uint8_t cache = (uint8_t)config, op = (uint8_t)(config >> 8), result = (uint8_t)(config >> 16);

	if (cache >= COUNT(caches))
		strbuf_addstr(b, "unknown-ext-hardware-cache-type");
	else if (op >= COUNT(cache_op))
		strbuf_addstr(b, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		strbuf_addstr(b, "unknown-ext-hardware-cache-result");
	else if (!(cache_ops_valid[cache] & 1 << op))
		strbuf_addstr(b, "invalid-cache");
	else if (result)
		strbuf_addf(b, "%s-%s-misses", caches[cache], cache_op[op]);
	else
		strbuf_addf(b, "%s-%s", caches[cache], cache_ops[op]);
}

static void add_breakpoint(struct strbuf *b, const struct perf_event_attr *attr)
{
	strbuf_addf(b, "mem:0x%llx:", (unsigned long long)attr->bp_addr);
	if (attr->bp_type & 1)
		strbuf_addch(b, 'r');
	if (attr->bp_type & 2)
		strbuf_addch(b, 'w');
	if (attr->bp_type & 4)
		strbuf_addch(b, 'x');
}

/* Privilege levels are named only where some are left out, host and guest only where the choice is not the usual one. */
static void add_modifiers(struct strbuf *b, const struct perf_event_attr *attr)
{
	bool levels = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool usual_exclude_guest = levels || attr->precise_ip;
	bool sides = attr->exclude_host || attr->exclude_guest == usual_exclude_guest;
	char text[16];
	size_t n = 0;

	if (levels && !attr->exclude_kernel)
		text[n++] = 'k';
	if (levels && !attr->exclude_user)
		text[n++] = 'u';
	if (levels && !attr->exclude_hv)
		text[n++] = 'h';
	for (unsigned i = 0; i < attr->precise_ip; i++)
		text[n++] = 'p';
	if (sides && !attr->exclude_host)
		text[n++] = 'H';
	if (sides && !attr->exclude_guest)
		text[n++] = 'G';
	if (n) {
		strbuf_addch(b, ':');
		strbuf_add(b, text, n);
	}
}

const char *env_attr_name(struct arena *a, const struct perf_event_attr *attr)
{
	_cleanup_strbuf_ struct strbuf b = {};
	bool modifiers = true;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		strbuf_addstr(&b, attr->config < COUNT(hardware) ? hardware[attr->config] : "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		strbuf_addstr(&b, attr->config < COUNT(software) ? software[attr->config] : "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE:
		add_cache(&b, attr->config);
		break;
	case PERF_TYPE_RAW:
		strbuf_addf(&b, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERF_TYPE_TRACEPOINT:
		strbuf_addstr(&b, "unknown tracepoint");
		modifiers = false;
		break;
	case PERF_TYPE_BREAKPOINT:
		add_breakpoint(&b, attr);
		break;
	default:
		strbuf_addf(&b, "unknown attr type: %d", (int)attr->type);
		modifiers = false;
	}
	if (modifiers)
		add_modifiers(&b, attr);
	return arena_strdup(a, strbuf_str(&b));
}
