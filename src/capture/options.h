/*
 * Settings of a recording: the values of the options of record, shared by every command that opens buffers.
 *
 * Plain values; strings are borrowed from the caller and must live as long as the session. capture_options_init() gives
 * the defaults. Units are in the names. Source of the meanings: perf-record(1), perf_event_open(2).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/target.h"

struct followed_tasks; /* capture/followed.h */

#define CAPTURE_FREQ_MAX UINT64_MAX /* freq_hz: as high as the kernel allows */

/* In the order of enum event_call_graph. */
enum callgraph_mode {
	CALLGRAPH_NONE,
	CALLGRAPH_FP,
	CALLGRAPH_DWARF,
	CALLGRAPH_LBR,
	CALLGRAPH_EH,   /* the user's part comes from a BPF program (bpf/unwind/stack_unwinder.h) */
	/* To be chosen by the caller that opens the session: */
	CALLGRAPH_AUTO,    /* eh where that is possible; else fp or dwarf, as the program keeps frame pointers */
	CALLGRAPH_DEFAULT, /* eh where that is possible; else fp */
};

struct callgraph_options {
	enum callgraph_mode mode;
	uint32_t dump_bytes; /* CALLGRAPH_DWARF: of user stack copied with each sample */
	uint16_t max_stack;  /* 0 = the kernel's limit */
	bool kernel_only, user_only;
	bool leaf;  /* CALLGRAPH_FP: with data to find callers of functions without a frame */
	bool native; /* CALLGRAPH_EH: without the frames of interpreters */
	bool defer; /* CALLGRAPH_FP: the user part is taken on return to user space, if supported (Linux 6.19) */
};

/* Kinds of records synthesized for the state at the start: --synth. */
enum synth_parts {
	SYNTH_NONE = 0,
	SYNTH_TASK = 1 << 0, /* FORK, COMM, NAMESPACES */
	SYNTH_MMAP = 1 << 1,
	SYNTH_CGROUP = 1 << 2,
	SYNTH_ALL = SYNTH_TASK | SYNTH_MMAP | SYNTH_CGROUP,
};

struct capture_options {
	struct target target;
	struct callgraph_options callgraph;

	uint64_t freq_hz;          /* samples per second, for events without their own period; 0 = use period */
	uint64_t period;           /* events per sample, if freq_hz is 0 */
	bool freq_set, period_set; /* set by the user: override the event's own */
	bool strict_freq;          /* fail instead of lowering */

	bool no_inherit, no_samples, inherit_stat;
	bool sample_address, sample_phys_addr, sample_weight;
	bool data_page_size, code_page_size, transaction;
	bool no_time; /* TIME is enabled unless disabled by the user */
	bool sample_cpu, sample_identifier;
	bool sample_data_src; /* set with sample_address */
	bool raw_samples, no_buffering;
	bool period_field_set, no_period_field; /* -P, --no-period */
	bool running_time;                      /* TOTAL_TIME_ENABLED and _RUNNING with values that are read */
	uint64_t branch_mask;                   /* PERF_SAMPLE_BRANCH_*; 0 = no branch stack */
	uint64_t intr_regs, user_regs;          /* register masks of this architecture; 0 = none */
	bool use_clockid;
	int32_t clockid;
	bool all_user, all_kernel;
	bool group; /* all events in one group */
	bool namespaces, cgroups, switch_events, no_bpf_event, text_poke;
	bool mmap_data;     /* non-executable mappings too; set with sample_address */
	bool build_id_mmap; /* build-ids in MMAP2 */
	bool overwrite;     /* rings keep the newest data: written backwards, read at the end */
	bool kernel_maps;   /* synthesize the kernel's mappings even if no event samples the kernel */
	bool track_apart;   /* use a separate event for mappings and tasks, since the user's events may be disabled */
	bool exclude_self;  /* tracepoints: not the recorder's own threads */

	/*
	 * Tasks are recorded by CPU: events are opened on whole CPUs, and the code that opens the session attaches a BPF
	 * program that filters samples before the start. NULL: events are opened on the tasks.
	 */
	const struct followed_tasks *followed;
	/*
	 * With `followed`: mappings and names of all tasks, by events of whole CPUs. An event of a task costs it 0.1 to 0.5 us at each
	 * switch; for recordings that are read once and not kept.
	 */
	bool tracks_all;

	int64_t delay_ms; /* before events are enabled; -1 = not automatically; 0 = at once */

	uint64_t mmap_pages; /* data pages per ring, a power of two; 0 = depends on the events */
	uint64_t aux_pages;
	uint64_t rings_bytes_max; /* limit of all rings together; 0 = none. Their contents come on top of any limit of a file */
	uint64_t flush_bytes;     /* minimum number of bytes before a ring is read */
	int rt_prio;              /* SCHED_FIFO priority; 0 = try 1, without a message */
	uint64_t synth_threads;   /* 0 = as many as pay */
	unsigned synth_parts;     /* SYNTH_* */
	uint64_t proc_map_timeout_ms;
};

void capture_options_init(struct capture_options *o);
/* "fp", "fp,leaf", "fp,defer", "dwarf", "dwarf,4096", "lbr", "eh", "eh,native", "auto", "no". */
struct strobe_error *callgraph_parse(const char *text, struct callgraph_options *ret) _must_check_;
/* "any,u", "any_call" … into PERF_SAMPLE_BRANCH_*. */
struct strobe_error *branch_filter_parse(const char *text, uint64_t *ret) _must_check_;
/* "mono", "CLOCK_MONOTONIC_RAW", "boot", "tai" or a number. */
struct strobe_error *clockid_parse(const char *text, int32_t *ret) _must_check_;
/* "no", "all" or a list of "task", "mmap", "cgroup". */
struct strobe_error *synth_parts_parse(const char *text, unsigned *ret) _must_check_;
/* "64", "64K", "2M" into pages: a power of two, rounded up. */
struct strobe_error *mmap_pages_parse(const char *text, uint64_t *ret) _must_check_;
/* "ax,bx,ip" into a mask of this architecture's sample registers; NULL or "" = all of them that the kind allows. */
struct strobe_error *sample_regs_parse(const char *text, bool user, uint64_t *ret) _must_check_;
/* The name of a register by its bit (0 to 63), for -I?; NULL: samples do not have it. */
const char *sample_reg_name(unsigned reg);
/* Registers with the caller of a function without a frame, for fp chains; 0: it is on the stack. */
uint64_t sample_regs_leaf(void);
/* All registers that the kernel can give with each sample. */
uint64_t sample_regs_all(void);
