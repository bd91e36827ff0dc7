/*
 * The fields printed for each kind of event: defaults, -F, and the contents of the recording.
 *
 * -F takes a list of names, alone for all kinds of events or after "hw:", "sw:", "trace:" … for one; or a list of +name
 * and -name that changes the defaults. Source: perf-script(1).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/env.h"

enum dump_field_index {
#define FIELD(id, name) DUMP_INDEX_##id,
#include "dump/fields.def"
#undef FIELD
	DUMP_FIELDS_NR,
};

#define DUMP_FIELD(id) ((uint64_t)1 << DUMP_INDEX_##id)

/* PERF_TYPE_HARDWARE … PERF_TYPE_BREAKPOINT, then all other types, then events synthesized from an instruction trace. */
#define DUMP_KINDS 8

struct dump_fields {
	uint64_t of[DUMP_KINDS];
	uint64_t requested[DUMP_KINDS]; /* by the user: an error if the recording lacks them */
	bool user_set[DUMP_KINDS], any_user_set;
};

void dump_fields_defaults(struct dump_fields *f);
/* Applies one -F. ERROR_USAGE names the invalid word. */
struct strobe_error *dump_fields_parse(struct dump_fields *f, const char *text) _must_check_;
/* Whether it is a valid -F: for `-f LIST` in old scripts. */
bool dump_fields_is_list(const char *text);
/*
 * Drops default fields that the recording's events lack. A missing field that the user requested is an error.
 * with_chains: call chains are shown, also for tracepoints.
 */
struct strobe_error *dump_fields_check(struct dump_fields *f, const struct env *env, bool with_chains) _must_check_;
/* Index into of[] for an event. */
unsigned dump_kind(const struct perf_event_attr *attr);
/* "comm,tid,pid,…" for help texts. */
#define DUMP_FIELD_NAMES                                                                                          \
	"comm, tid, pid, time, cpu, event, trace, ip, sym, dso, dsoff, addr, symoff, srcline, srccode, period, iregs, "   \
	"uregs, brstack, brstacksym, brstackoff, brstackinsn, brstackinsnlen, brstackdisasm, flags, data_src, weight, "       \
	"bpf-output, insn, insnlen, disasm, phys_addr, misc, tod, data_page_size, code_page_size, ins_lat, "           \
	"retire_lat, cgroup, machine_pid, vcpu; callindent, ipc and synth are always empty"
