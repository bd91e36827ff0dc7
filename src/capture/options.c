#include "capture/options.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vector.h"

void capture_options_init(struct capture_options *o)
{
	*o = (struct capture_options){
		.freq_hz = 4000,
		.build_id_mmap = true,
		.flush_bytes = 1,
		.synth_parts = SYNTH_ALL,
		.proc_map_timeout_ms = 500,
		.exclude_self = true,
	};
}

struct strobe_error *callgraph_parse(const char *text, struct callgraph_options *ret)
{
	const char *comma = strchr(text, ',');
	size_t n = comma ? (size_t)(comma - text) : strlen(text);
	if (n == 2 && !memcmp(text, "fp", 2)) {
		if (comma && strcmp(comma, ",defer") && strcmp(comma, ",leaf"))
			return error_create(ERROR_USAGE, "--call-graph fp takes \"leaf\" or \"defer\" and no size (found \"%s\")",
					    text);
		ret->mode = CALLGRAPH_FP;
		ret->defer = comma && !strcmp(comma, ",defer");
		ret->leaf = comma && !strcmp(comma, ",leaf");
	} else if (n == 3 && !memcmp(text, "lbr", 3)) {
		if (comma)
			return error_create(ERROR_USAGE, "--call-graph lbr takes no size (found \"%s\")", text);
		ret->mode = CALLGRAPH_LBR;
	} else if (n == 2 && !memcmp(text, "eh", 2)) {
		if (comma && strcmp(comma, ",native"))
			return error_create(ERROR_USAGE, "--call-graph eh takes \"native\" and no size (found \"%s\")", text);
		ret->mode = CALLGRAPH_EH;
		ret->native = comma;
	} else if (n == 4 && !memcmp(text, "auto", 4) && !comma) {
		ret->mode = CALLGRAPH_AUTO;
	} else if (n == 2 && !memcmp(text, "no", 2) && !comma) {
		ret->mode = CALLGRAPH_NONE;
	} else if (n == 5 && !memcmp(text, "dwarf", 5)) {
		uint64_t bytes = 8192;
		if (comma && (!text_to_bytes(comma + 1, &bytes) || !bytes))
			return error_create(ERROR_USAGE,
					    "invalid stack dump size \"%s\": expected bytes, as in --call-graph dwarf,16384",
					    comma + 1);
		bytes = (bytes + 7) & ~7ull;
		/* One sample is at most 64 KB, the size field of a record being 16 bits wide. */
		if (bytes > 65528)
			return error_create(ERROR_USAGE, "stack dump of %llu bytes: the kernel's limit is 65528",
					    (unsigned long long)bytes);
		ret->mode = CALLGRAPH_DWARF;
		ret->dump_bytes = (uint32_t)bytes;
	} else {
		return error_create(ERROR_USAGE, "unknown call graph mode \"%s\": use fp, dwarf[,bytes], lbr, eh or auto",
				    text);
	}
	return NULL;
}

struct flag_name {
	const char *name;
	uint64_t bit;
};

static const struct flag_name branch_names[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
};

struct strobe_error *branch_filter_parse(const char *text, uint64_t *ret)
{
	const uint64_t privilege = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	uint64_t mask = 0;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, ",");
		uint64_t bit = 0;
		for (size_t i = 0; i < sizeof(branch_names) / sizeof(branch_names[0]); i++)
			if (strlen(branch_names[i].name) == n && !strncmp(branch_names[i].name, at, n))
				bit = branch_names[i].bit;
		if (!bit)
			return error_create(ERROR_USAGE, "unknown branch filter \"%.*s\" (see strobe help record, -j)",
					    (int)n, at);
		mask |= bit;
		at += n + (at[n] == ',');
	}
	/* Only a privilege level: any branch, of the levels that the event counts. perf drops it as well, and its tests expect that. */
	if (!(mask & ~privilege))
		mask = PERF_SAMPLE_BRANCH_ANY;
	*ret = mask;
	return NULL;
}

struct strobe_error *clockid_parse(const char *text, int32_t *ret)
{
	static const struct {
		const char *name;
		int32_t id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "boottime", CLOCK_BOOTTIME },
		{ "realtime", CLOCK_REALTIME },
		{ "tai", CLOCK_TAI },
		{ "mono", CLOCK_MONOTONIC },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "real", CLOCK_REALTIME },
		{ "boot", CLOCK_BOOTTIME },
	};
	int64_t number;
	if (text_to_i64(text, &number)) {
		*ret = (int32_t)number;
		return NULL;
	}
	const char *name = strncasecmp(text, "CLOCK_", 6) ? text : text + 6;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!strcasecmp(clocks[i].name, name)) {
			*ret = clocks[i].id;
			return NULL;
		}
	}
	return error_create(ERROR_USAGE, "unknown clockid \"%s\": use mono, raw, boot, real, tai or a number", text);
}

struct strobe_error *synth_parts_parse(const char *text, unsigned *ret)
{
	unsigned parts = 0;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, ",");
		if (n == 2 && !strncmp(at, "no", n))
			parts = SYNTH_NONE;
		else if (n == 3 && !strncmp(at, "all", n))
			parts |= SYNTH_ALL;
		else if (n == 4 && !strncmp(at, "task", n))
			parts |= SYNTH_TASK;
		else if (n == 4 && !strncmp(at, "mmap", n))
			parts |= SYNTH_MMAP | SYNTH_TASK;
		else if (n == 6 && !strncmp(at, "cgroup", n))
			parts |= SYNTH_CGROUP;
		else
			return error_create(ERROR_USAGE,
					    "unknown kind \"%.*s\" for --synth: use no, all, task, mmap, cgroup",
					    (int)n, at);
		at += n + (at[n] == ',');
	}
	*ret = parts;
	return NULL;
}

struct strobe_error *mmap_pages_parse(const char *text, uint64_t *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), pages = 0, bytes = 0;
	if (text_to_u64(text, &pages)) {
		if (!pages) {
			*ret = 0;
			return NULL;
		}
	} else if (text_to_bytes(text, &bytes) && bytes) {
		pages = (bytes + page - 1) / page;
	} else {
		return error_create(ERROR_USAGE, "invalid buffer size \"%s\": expected pages (512) or bytes (2M)", text);
	}
	if (pages > (1ull << 30))
		return error_create(ERROR_USAGE, "buffer of %llu pages: too large", (unsigned long long)pages);
	uint64_t rounded = 1;
	while (rounded < pages)
		rounded <<= 1;
	*ret = rounded;
	return NULL;
}

uint64_t sample_regs_all(void)
{
	const struct arch *a = arch_native();
	return a ? a->task_regs : 0;
}

uint64_t sample_regs_leaf(void)
{
	return sample_regs_all() && arch_native()->lr != ARCH_REG_NONE ? 1ull << arch_native()->lr : 0;
}

const char *sample_reg_name(unsigned reg)
{
	return sample_regs_all() >> reg & 1 ? arch_reg_name(arch_native(), reg) : NULL;
}

/* By its n letters, as a bit; 0: none. */
static uint64_t find_register(const char *name, size_t n)
{
	for (unsigned i = 0; i < 64; i++) {
		const char *known = sample_reg_name(i);
		if (known && strlen(known) == n && !strncasecmp(known, name, n))
			return 1ull << i;
	}
	return 0;
}

struct strobe_error *sample_regs_parse(const char *text, bool user, uint64_t *ret)
{
	const char *option = user ? "--user-regs" : "--intr-regs";
	if (!sample_regs_all())
		return error_create(ERROR_UNSUPPORTED, "%s: no register names are known for this architecture", option);
	if (!text || !*text) {
		*ret = sample_regs_all();
		return NULL;
	}
	uint64_t mask = 0;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, ",");
		uint64_t bit = find_register(at, n);
		if (!bit)
			return error_create(ERROR_USAGE, "unknown register \"%.*s\" in %s (list them with %s=?)",
					    (int)n, at, option, option);
		mask |= bit;
		at += n + (at[n] == ',');
	}
	*ret = mask;
	return NULL;
}
