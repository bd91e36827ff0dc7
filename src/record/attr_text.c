#include "record/attr_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

struct bit_name {
	uint64_t bit;
	const char *name;
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* In the order in which perf lists them, which is not quite that of the bits. */
static const struct bit_name sample_type_names[] = {
	{ PERF_SAMPLE_IP, "IP" },
	{ PERF_SAMPLE_TID, "TID" },
	{ PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },
	{ PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" },
	{ PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },
	{ PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" },
	{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct bit_name read_format_names[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" },
	{ PERF_FORMAT_GROUP, "GROUP" },
	{ PERF_FORMAT_LOST, "LOST" },
};

static const struct bit_name branch_names[] = {
	{ PERF_SAMPLE_BRANCH_USER, "USER" },
	{ PERF_SAMPLE_BRANCH_KERNEL, "KERNEL" },
	{ PERF_SAMPLE_BRANCH_HV, "HV" },
	{ PERF_SAMPLE_BRANCH_ANY, "ANY" },
	{ PERF_SAMPLE_BRANCH_ANY_CALL, "ANY_CALL" },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, "ANY_RETURN" },
	{ PERF_SAMPLE_BRANCH_IND_CALL, "IND_CALL" },
	{ PERF_SAMPLE_BRANCH_ABORT_TX, "ABORT_TX" },
	{ PERF_SAMPLE_BRANCH_IN_TX, "IN_TX" },
	{ PERF_SAMPLE_BRANCH_NO_TX, "NO_TX" },
	{ PERF_SAMPLE_BRANCH_COND, "COND" },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, "CALL_STACK" },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, "IND_JUMP" },
	{ PERF_SAMPLE_BRANCH_CALL, "CALL" },
	{ PERF_SAMPLE_BRANCH_NO_FLAGS, "NO_FLAGS" },
	{ PERF_SAMPLE_BRANCH_NO_CYCLES, "NO_CYCLES" },
	{ PERF_SAMPLE_BRANCH_TYPE_SAVE, "TYPE_SAVE" },
	{ PERF_SAMPLE_BRANCH_HW_INDEX, "HW_INDEX" },
	{ PERF_SAMPLE_BRANCH_PRIV_SAVE, "PRIV_SAVE" },
	{ 1ull << 19, "COUNTERS" }, /* Linux 6.8 */
};

/* The bit-fields, in the order of struct perf_event_attr; NULL where they are two bits of one field. */
static const char *const flag_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain", /* Linux 6.19 */
	"defer_output",
};

static void add_bits(struct strbuf *b, uint64_t value, const struct bit_name *names, size_t n)
{
	const char *separator = "";

	for (size_t i = 0; i < n; i++) {
		if (!(value & names[i].bit))
			continue;
		strbuf_addf(b, "%s%s", separator, names[i].name);
		value &= ~names[i].bit;
		separator = "|";
	}
	if (value)
		strbuf_addf(b, "%s0x%" PRIx64, separator, value);
}

struct fields {
	void (*fn)(void *ctx, const char *name, const char *value);
	void *ctx;
	struct strbuf text;
};

static void put(struct fields *t, const char *name)
{
	t->fn(t->ctx, name, strbuf_str(&t->text));
	strbuf_reset(&t->text);
}

static void put_number(struct fields *t, const char *name, uint64_t value)
{
	if (!value)
		return;
	strbuf_addf(&t->text, "%" PRIu64, value);
	put(t, name);
}

static void put_hex(struct fields *t, const char *name, uint64_t value)
{
	if (!value)
		return;
	strbuf_addf(&t->text, "0x%" PRIx64, value);
	put(t, name);
}

static void put_bits(struct fields *t, const char *name, uint64_t value, const struct bit_name *names, size_t n)
{
	if (!value)
		return;
	add_bits(&t->text, value, names, n);
	put(t, name);
}

static void put_flags(struct fields *t, const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (const char *)attr + offsetof(struct perf_event_attr, read_format) + sizeof(attr->read_format),
	       sizeof(flags));
	for (unsigned i = 0; i < COUNT(flag_names); i++) {
		if (!flag_names[i])
			continue;
		uint64_t mask = i + 1 < COUNT(flag_names) && !flag_names[i + 1] ? 3 : 1;
		/* Compilers for big-endian machines lay the first bit-field at the top. */
		bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
		put_number(t, flag_names[i], flags >> (big ? 63 - i - (mask == 3) : i) & mask);
	}
}

static const char *const type_names[] = { "HARDWARE", "SOFTWARE", "TRACEPOINT", "HW_CACHE", "RAW", "BREAKPOINT" };

#define HW_TYPE_SHIFT 32 /* of the PMU's number in the config of a hardware or cache event */

static void add_hw_cache(struct strbuf *b, uint64_t config)
{
	static const char *const results[] = { "ACCESS", "MISS" }, *const ops[] = { "READ", "WRITE", "PREFETCH" },
				 *const caches[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
	uint64_t result = config >> 16 & 0xff, op = config >> 8 & 0xff, cache = config & 0xff;
	if (result < COUNT(results) && op < COUNT(ops) && cache < COUNT(caches))
		strbuf_addf(b, "PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s",
			    results[result], ops[op], caches[cache]);
}

/* Nothing where the config has no name. */
static void add_config_name(struct strbuf *b, const struct perf_event_attr *attr, const struct attr_names *names)
{
	static const char *const hardware[] = { "CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES", "CACHE_MISSES",
						"BRANCH_INSTRUCTIONS", "BRANCH_MISSES", "BUS_CYCLES", "STALLED_CYCLES_FRONTEND",
						"STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES" };
	static const char *const software[] = { "CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS", "CONTEXT_SWITCHES", "CPU_MIGRATIONS",
						"PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS", "EMULATION_FAULTS",
						"DUMMY", "BPF_OUTPUT", "CGROUP_SWITCHES" };
	uint64_t config = (uint32_t)attr->config;
	if (attr->type == PERF_TYPE_HARDWARE && config < COUNT(hardware))
		strbuf_addf(b, "PERF_COUNT_HW_%s", hardware[config]);
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT(software))
		strbuf_addf(b, "PERF_COUNT_SW_%s", software[attr->config]);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		add_hw_cache(b, config);
	else if (attr->type == PERF_TYPE_TRACEPOINT && names->tracepoint)
		strbuf_addstr(b, names->tracepoint);
	else if (names->alias.name && attr->type >= COUNT(type_names))
		strbuf_add(b, names->alias.name, names->alias.bytes);
}

static void put_type(struct fields *t, const struct perf_event_attr *attr, const struct attr_names *names)
{
	bool raw = attr->type == PERF_TYPE_RAW && names->pmu;
	strbuf_addf(&t->text, "%u", attr->type);
	if (attr->type < COUNT(type_names) && !raw)
		strbuf_addf(&t->text, " (PERF_TYPE_%s)", type_names[attr->type]);
	else if (names->pmu)
		strbuf_addf(&t->text, " (%s)", names->pmu);
	put(t, "type");
}

static void put_config(struct fields *t, const struct perf_event_attr *attr, const struct attr_names *names)
{
	_cleanup_strbuf_ struct strbuf name = {};
	bool has_pmu = names->pmu && attr->type <= PERF_TYPE_HW_CACHE && attr->config >> HW_TYPE_SHIFT;
	add_config_name(&name, attr, names);
	strbuf_addf(&t->text, "%s%llx", attr->config ? "0x" : "", (unsigned long long)attr->config);
	if (name.len && has_pmu)
		strbuf_addf(&t->text, " (%s/%s/)", names->pmu, strbuf_str(&name));
	else if (name.len)
		strbuf_addf(&t->text, " (%s)", strbuf_str(&name));
	put(t, "config");
}

/* The word after aux_sample_size, which older headers reserve: pausing and resuming (Linux 6.13). */
static uint32_t aux_action(const struct perf_event_attr *attr)
{
	uint32_t action;
	memcpy(&action, (const char *)attr + offsetof(struct perf_event_attr, aux_sample_size) + sizeof(attr->aux_sample_size),
	       sizeof(action));
	return action;
}

void attr_each_field(const struct perf_event_attr *attr, const struct attr_names *names,
		     void (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
	struct fields t = { .fn = fn, .ctx = ctx };

	if (names)
		put_type(&t, attr, names);
	else
		put_number(&t, "type", attr->type);
	put_number(&t, "size", attr->size);
	if (names)
		put_config(&t, attr, names);
	else
		put_hex(&t, "config", attr->config);
	put_number(&t, "{ sample_period, sample_freq }", attr->sample_period);
	put_bits(&t, "sample_type", attr->sample_type, sample_type_names, COUNT(sample_type_names));
	put_bits(&t, "read_format", attr->read_format, read_format_names, COUNT(read_format_names));
	put_flags(&t, attr);
	put_number(&t, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	put_number(&t, "bp_type", attr->bp_type);
	put_hex(&t, "{ bp_addr, config1 }", attr->bp_addr);
	put_hex(&t, "{ bp_len, config2 }", attr->bp_len);
	put_bits(&t, "branch_sample_type", attr->branch_sample_type, branch_names, COUNT(branch_names));
	put_hex(&t, "sample_regs_user", attr->sample_regs_user);
	put_number(&t, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid) {
		strbuf_addf(&t.text, "%d", (int)attr->clockid);
		put(&t, "clockid");
	}
	put_hex(&t, "sample_regs_intr", attr->sample_regs_intr);
	put_number(&t, "aux_watermark", attr->aux_watermark);
	put_number(&t, "sample_max_stack", attr->sample_max_stack);
	put_number(&t, "aux_sample_size", attr->aux_sample_size);
	put_hex(&t, "aux_action", aux_action(attr));
	put_number(&t, "sig_data", attr->sig_data);
	strbuf_deinit(&t.text);
}

static void add_line(void *ctx, const char *name, const char *value)
{
	strbuf_addf(ctx, "  %-32s %s\n", name, value);
}

void attr_lines(const struct perf_event_attr *attr, const struct attr_names *names, struct strbuf *ret)
{
	attr_each_field(attr, names, add_line, ret);
}
