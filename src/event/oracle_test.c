/* The attr that an event text gives, against what perf passes to this kernel (perf -vv). */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "event/event.h"
#include "record/attr_text.h"
#include "sys/tracefs.h"

typedef VEC(char *) blocks;

static void blocks_deinit(blocks *b)
{
	for (size_t i = 0; i < b->len; i++)
		free(b->data[i]);
	vec_deinit(b);
}

/* The attr dumps of a command's output, without lines that depend on the command instead of the event. */
static void read_blocks(const char *command, bool keep_all, blocks *ret)
{
	static const char *const not_of_event[] = { "  sample_type ", "  read_format ",    "  disabled ",
						    "  inherit ",     "  enable_on_exec ", "  { sample_period" };
	FILE *f = popen(command, "r");
	assert_non_null(f);
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	struct strbuf b = {};
	bool inside = false;
	while (getline(&line, &cap, f) > 0) {
		if (!strncmp(line, "perf_event_attr:", 16)) {
			inside = true;
			continue;
		}
		if (inside && strncmp(line, "  ", 2)) {
			inside = false;
			/* An equal block is a retry or another CPU. */
			if (!ret->len || strcmp(ret->data[ret->len - 1], strbuf_str(&b)))
				vec_push(ret, xstrdup(strbuf_str(&b)));
			strbuf_reset(&b);
		}
		bool skip = false;
		for (size_t i = 0; i < 6 && !keep_all; i++)
			skip |= !strncmp(line, not_of_event[i], strlen(not_of_event[i]));
		if (inside && !skip)
			strbuf_addstr(&b, line);
	}
	strbuf_deinit(&b);
	pclose(f);
}

static void need_perf(void)
{
	if (system("perf version >/dev/null 2>&1")) {
		print_message("# perf is not installed: nothing to compare with\n");
		skip();
	}
}

/* clang-format off */
static const char *const event_texts[] = {
	"cycles", "cpu-cycles", "instructions", "branches", "branch-instructions", "branch-misses",
	"bus-cycles", "cache-references", "cache-misses", "ref-cycles", "stalled-cycles-frontend",
	"idle-cycles-frontend", "stalled-cycles-backend", "idle-cycles-backend", "cycles:u", "cycles:k",
	"cycles:h", "cycles:uk", "cycles:kh", "cycles:ukh", "cycles:G", "cycles:H", "cycles:GH", "cycles:HG",
	"cycles:uG", "cycles:Gu", "cycles:kH", "cycles:I", "cycles:p", "cycles:pp", "cycles:ppp",
	"cycles:upp", "cycles:pu", "cycles:kp", "cycles:Gp", "cycles:pG", "cycles:P", "cycles:D", "cycles:S",
	"cycles:W", "cycles:e", "cycles:b", "cycles:uD", "cycles:ukhGHpppDI", "cpu-clock", "task-clock",
	"page-faults", "faults", "minor-faults", "major-faults", "context-switches", "cs", "cpu-migrations",
	"migrations", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
	"page-faults:u", "cs:k", "cs:ppp", "cpu-clock:kD", "L1-dcache-loads", "L1-dcache-load-misses",
	"L1-dcache-stores", "L1-dcache-store-misses", "L1-dcache-prefetches", "L1-dcache-prefetch-misses",
	"L1-icache-loads", "L1-icache-load-misses", "L1-icache-prefetches", "LLC-loads", "LLC-load-misses",
	"LLC-stores", "LLC-store-misses", "LLC-prefetches", "LLC-prefetch-misses", "dTLB-loads",
	"dTLB-load-misses", "dTLB-stores", "dTLB-store-misses", "dTLB-prefetches", "iTLB-loads",
	"iTLB-load-misses", "branch-loads", "branch-load-misses", "node-loads", "node-load-misses",
	"node-stores", "node-store-misses", "node-prefetches", "node-prefetch-misses", "l1d-read", "l1d",
	"L1-dcache", "l1-d-write-miss", "L1-icache-load-refs", "L1-data-misses", "L2-loads", "d-tlb-loads",
	"Data-TLB-write", "i-tlb-read-miss", "bpu-load", "btb-loads-misses", "bpc", "node", "LLC-misses",
	"LLC-speculative-read", "L1-dcache-prefetch-Reference", "L1-dcache-access", "r1a8", "r00c0",
	"r00c0:u", "r1", "r20000038f", "rffffffffffffffff:k", "0:1", "1:2:u", "4:0x1c2", "mem:0x1000",
	"mem:0x1000:w", "mem:0x1000:r", "mem:0x1000:rw", "mem:0x1000:wr", "mem:0x1000:x", "mem:0x1000/1:w",
	"mem:0x1000/2:rw:u", "mem:0x1000/8:x", "mem:4096/8:w:k", "mem:0x1000:u", "software/config=2/",
	"software/config=0x3,config1=7,config2=8/u", "breakpoint/config=1/", "cycles/name=x/",
	"cycles/config=1/u", "cs/period=5,name=zz/", "{page-faults,cs}", "{page-faults,cs}:u",
	"{page-faults:k,cs}:u", "{cs:k,faults:h}:u", "{faults:G,cs}:u", "{faults:u,cs:k}:D",
	"g{faults,cs}:kI", "cs,faults:u,task-clock:k", " cs , faults", "sched:sched_switch",
	"sched:sched_switch:u", "sched:sched_proces?_fork", "raw_syscalls:sys_ent*:k",
	"{sched:sched_switch,cs:D}:u", "duration_time", "user_time,system_time", "msr/tsc/", "msr/tsc/u",
	"msr/event=1/", "msr/smi,name=foo/", "tsc", "tsc:u", "msr/config=4/",
	"uprobe/retprobe,ref_ctr_offset=5/", "uprobe/ref_ctr_offset=0x12345678/",
};
/* clang-format on */

/* Hardware events are parsed even without a PMU, so they can be compared anywhere. */
static void events_have_the_attrs_of_perf(void **state)
{
	need_perf();
	_cleanup_free_ char *tracefs = NULL;
	_cleanup_error_ struct strobe_error *no_tracefs = sys_tracefs(sys_live(), &tracefs);
	size_t compared = 0;
	for (size_t i = 0; i < sizeof(event_texts) / sizeof(*event_texts); i++) {
		if (no_tracefs && (strstr(event_texts[i], "sched:") || strstr(event_texts[i], "syscalls:")))
			continue;
		_cleanup_free_ char *command = xasprintf("perf stat -vv -e '%s' true 2>&1", event_texts[i]);
		blocks reference = {};
		read_blocks(command, false, &reference);
		if (!reference.len) /* a missing PMU, or missing permissions */
			continue;
		struct event_list list;
		event_list_init(&list);
		struct strobe_error *err = event_parse(&list, sys_live(), event_texts[i]);
		if (err)
			fail_msg("%s: %s", event_texts[i], err->message);
		struct strbuf ours = {};
		for (size_t k = 0, r = 0; k < list.events.len && r < reference.len; k++) {
			struct perf_event_attr attr = list.events.data[k].attr;
			attr.sample_type = attr.sample_period = 0;
			strbuf_reset(&ours);
			attr_lines(&attr, NULL, &ours);
			if (k && r && !strcmp(ours.data, reference.data[r - 1]))
				continue; /* perf's repetition was dropped above */
			if (strcmp(ours.data, reference.data[r]))
				fail_msg("%s, event %zu:\n%s--- perf:\n%s", event_texts[i], k, ours.data,
					 reference.data[r]);
			r++;
			compared++;
		}
		strbuf_deinit(&ours);
		event_list_deinit(&list);
		blocks_deinit(&reference);
	}
	print_message("# %zu attrs compared\n", compared);
	assert_true(compared > 150);
}

/* Members that depend on the machine and on side effects of options are copied from the text. */
static const struct {
	const char *name;
	unsigned bit;
} varying[] = {
	{ "  mmap ", 8 },       { "  comm ", 9 },       { "  task ", 13 },           { "  mmap_data ", 17 },
	{ "  mmap2 ", 23 },     { "  comm_exec ", 24 }, { "  enable_on_exec ", 12 }, { "  ksymbol ", 29 },
	{ "  bpf_event ", 30 }, { "  freq ", 10 }
};

/* Reads perf's text of a recording's attr and prints it again: the text must be the same. */
static void attr_text_is_that_of_perf(void **state)
{
	need_perf();
	blocks reference = {};
	read_blocks("cd /tmp && perf record -vv -o /dev/null -e cpu-clock -s -d -W --phys-data --data-page-size "
		    "--code-page-size "
		    "-g --call-graph dwarf -I -R -n -k 1 --overwrite true 2>&1",
		    true, &reference);
	if (!reference.len)
		skip();
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ABI_ATTR_BYTES,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR |
			       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
			       PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_STRUCT,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
			       PERF_FORMAT_LOST,
		.disabled = 1,
		.inherit = 1,
		.mmap = 1,
		.comm = 1,
		.freq = 1,
		.inherit_stat = 1,
		.enable_on_exec = 1,
		.task = 1,
		.mmap_data = 1,
		.sample_id_all = 1,
		.exclude_guest = 1,
		.exclude_callchain_user = 1,
		.mmap2 = 1,
		.comm_exec = 1,
		.use_clockid = 1,
		.write_backward = 1,
		.ksymbol = 1,
		.bpf_event = 1,
		.sample_regs_user = 0xff0fff,
		.sample_stack_user = 8192,
		.clockid = 1,
		.sample_regs_intr = 0xff0fff,
	};
	uint64_t words[16];
	memcpy(words, &attr, sizeof(words));
	for (size_t i = 0; i < sizeof(varying) / sizeof(*varying); i++)
		if (!strstr(reference.data[0], varying[i].name))
			words[5] &= ~perf_abi_attr_mask(varying[i].bit);
	memcpy(&attr, words, sizeof(words));
	if (strstr(reference.data[0], "IDENTIFIER"))
		attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
	struct strbuf ours = {};
	attr_lines(&attr, NULL, &ours);
	if (!strstr(reference.data[0], "sample_regs_user                 0xff0fff")) {
		strbuf_deinit(&ours);
		blocks_deinit(&reference);
		print_message("# not x86-64: other registers\n");
		skip();
	}
	assert_string_equal(strbuf_str(&ours), reference.data[0]);
	strbuf_deinit(&ours);
	blocks_deinit(&reference);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_the_attrs_of_perf),
		cmocka_unit_test(attr_text_is_that_of_perf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
