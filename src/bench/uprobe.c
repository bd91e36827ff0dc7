/*
 * uprobe: usleep(3) alone, and with a BPF program at its entry or return, in all processes of the system.
 *
 * The difference is the cost of a probe; as it is small compared to the sleep, it shows only over many calls. The programs have a few
 * instructions and are written here, so that no compiler is required.
 *
 * Source: linux/bpf.h (struct bpf_insn), bpf-helpers(7).
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <linux/bpf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "bench/priv.h"
#include "bench/tasks.h"
#include "bpf/load/image.h"
#include "bpf/load/probes.h"
#include "sys/sys.h"

#define LOOPS       1000
#define SLEEP_US    1000
#define COLLECTION  "uprobe/"
#define BASELINE    COLLECTION "baseline"
#define US_OF_S     1e6

#define SET(to, value)        { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (value) }
#define COPY(to, from)        { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define ADD(to, value)        { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (value) }
#define PUSH_WORD(at, value)  { .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = (at), .imm = (value) }
#define CALL(helper)          { .code = BPF_JMP | BPF_CALL, .imm = (helper) }
#define EXIT                  { .code = BPF_JMP | BPF_EXIT }

struct program {
	const struct bpf_insn *code;
	uint32_t code_nr;
	bool at_return;
};

static const struct bpf_insn do_nothing[] = { SET(BPF_REG_0, 0), EXIT };

/* bpf_trace_printk("usleep", 8): the text is on the stack, as bytes in either byte order. */
static const struct bpf_insn print[] = {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	PUSH_WORD(-8, 0x656c7375), PUSH_WORD(-4, 0x00007065),
#else
	PUSH_WORD(-8, 0x75736c65), PUSH_WORD(-4, 0x65700000),
#endif
	COPY(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, -8), SET(BPF_REG_2, 8), CALL(BPF_FUNC_trace_printk), SET(BPF_REG_0, 0), EXIT,
};

/* ---- where usleep() is ---- */

struct place {
	uintptr_t address;
	uint64_t offset; /* in the file */
	char *path;      /* NULL: not found */
};

static int find_file(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct place *p = ctx;
	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD || p->address < start || p->address - start >= info->dlpi_phdr[i].p_filesz)
			continue;
		p->offset = p->address - start + info->dlpi_phdr[i].p_offset;
		p->path = xstrdup(info->dlpi_name);
		return 1;
	}
	return 0;
}

/* Searches libc: the program's own address of usleep() could be a PLT entry. */
static struct strobe_error *find_usleep(struct place *ret)
{
	*ret = (struct place){ .address = (uintptr_t)dlsym(RTLD_NEXT, "usleep") };
	if (ret->address)
		dl_iterate_phdr(find_file, ret);
	return ret->path ? NULL : error_create(ERROR_UNSUPPORTED, "cannot find the file of usleep(): is this program linked statically?");
}

/* ---- measurement ---- */

static struct strobe_error *attach(const struct program *p, bpf_links *links)
{
	const struct bpf_image_program image = { .name = "bench_uprobe", .type = BPF_PROG_TYPE_KPROBE, .tracepoint = "",
						 .code = (const void *)p->code, .code_nr = p->code_nr };
	uint32_t type = bpf_probe_attach_type(sys_live(), &image);
	const uint64_t cookie = 0;
	_cleanup_close_ int program = -1;
	struct place place;
	TRY(find_usleep(&place));
	_cleanup_free_ char *path = place.path;
	const struct bpf_probe_places places = { .path = path, .at = &place.offset, .cookies = &cookie, .nr = 1,
						 .at_return = p->at_return };
	TRY(bpf_image_program_load(sys_live(), &image, type, 0, NULL, &program));
	TRY(bpf_probes_attach(sys_live(), program, type, &places, links));
	return links->len ? NULL : error_create(ERROR_UNSUPPORTED, "the kernel cannot probe the first instruction of usleep() in %s", path);
}

/* Microseconds per call of the mean run of a benchmark; 0 if it did not run. */
static double us_of(const struct bench_report *r, const char *benchmark)
{
	for (size_t i = 0; benchmark && i < r->figures.len; i++)
		if (!strcmp(r->figures.data[i].benchmark, benchmark) && !strcmp(r->figures.data[i].name, "time"))
			return r->figures.data[i].stats.mean * US_OF_S;
	return 0;
}

/* The benchmark of this collection that ran before the current one, unless it is the first. */
static const char *previous(const struct bench_report *r)
{
	const char *found = NULL;
	for (size_t i = 0; i < r->figures.len; i++) {
		const char *name = r->figures.data[i].benchmark;
		if (!strncmp(name, COLLECTION, strlen(COLLECTION)) && strcmp(name, r->benchmark) != 0)
			found = name;
	}
	return found && strcmp(found, BASELINE) != 0 ? found : NULL;
}

static void put(struct bench_report *r, uint64_t ns, uint64_t loops)
{
	bool is_baseline = !strcmp(r->benchmark, BASELINE);
	double us = floor((double)ns / 1e3), each = us / (double)loops;
	double baseline = is_baseline ? 0 : us_of(r, BASELINE), before = is_baseline ? 0 : us_of(r, previous(r));
	bench_text(r, "# Executed %" PRIu64 " usleep(%d) calls\n %14s: %.0f usecs", loops, SLEEP_US, "Total time", us);
	if (baseline > 0)
		bench_text(r, " %+.0f to baseline", us - baseline);
	if (before > 0)
		bench_text(r, " %+.0f to previous", us - before);
	bench_text(r, "\n\n %.3f usecs/op", each);
	if (baseline > 0)
		bench_text(r, " %.3f usecs/op to baseline", (us - baseline) / (double)loops);
	if (before > 0)
		bench_text(r, " %.3f usecs/op to previous", (us - before) / (double)loops);
	bench_text(r, "\n");
	bench_simple(r, "%.0f\n", us);
	bench_figure(r, NULL, "time", "s", (double)ns / (double)NS_PER_S);
	bench_figure(r, NULL, "operation", "us", (double)ns / 1e3 / (double)loops);
}

static struct strobe_error *run(const struct bench_settings *s, struct bench_report *r, const struct program *program)
{
	uint64_t loops = s->loops ? s->loops : LOOPS;
	bpf_links links = {};
	bench_setting(r, "loops", loops);
	struct strobe_error *err = program ? attach(program, &links) : NULL;
	uint64_t start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < loops && !err; i++)
		usleep(SLEEP_US);
	uint64_t ns = bench_clock_ns() - start_ns;
	for (size_t i = 0; i < links.len; i++)
		close(links.data[i]);
	vec_deinit(&links);
	if (!err)
		put(r, ns, loops);
	return err;
}

#define PROGRAM(instructions, is_at_return) \
	&(const struct program){ instructions, sizeof(instructions) / sizeof(*(instructions)), is_at_return }

struct strobe_error *bench_uprobe_baseline(const struct bench_settings *s, struct bench_report *r)
{
	return run(s, r, NULL);
}

struct strobe_error *bench_uprobe_empty(const struct bench_settings *s, struct bench_report *r)
{
	return run(s, r, PROGRAM(do_nothing, false));
}

struct strobe_error *bench_uprobe_trace_printk(const struct bench_settings *s, struct bench_report *r)
{
	return run(s, r, PROGRAM(print, false));
}

struct strobe_error *bench_uprobe_empty_ret(const struct bench_settings *s, struct bench_report *r)
{
	return run(s, r, PROGRAM(do_nothing, true));
}

struct strobe_error *bench_uprobe_trace_printk_ret(const struct bench_settings *s, struct bench_report *r)
{
	return run(s, r, PROGRAM(print, true));
}
