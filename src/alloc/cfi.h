/*
 * The unwinding rule of one instruction of a loaded object: where its frame's caller, frame pointer and return address are.
 *
 * It is read out of .eh_frame where that lies in memory, found by the table of .eh_frame_hdr. Nothing is allocated, no lock is
 * taken where the C library has _dl_find_object() (glibc 2.35), and no more is read than the program's own unwinder trusts when
 * it throws. Only what a walk from call to call needs is followed: stack pointer, frame pointer, return address.
 * Sources: DWARF 5 section 6.4, Linux Standard Base 5 "Exception Frames", the psABI supplements.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum cfi_kind {
	CFI_UNKNOWN,    /* no rule, or one that needs other registers */
	CFI_SP,         /* CFA = sp + cfa */
	CFI_FP,         /* CFA = fp + cfa */
	CFI_FP_DEREF,   /* CFA = what lies at fp + cfa: a realigned frame */
	CFI_SIGNAL,     /* the trampoline of a signal's handler */
	CFI_END,        /* the outermost frame */
	CFI_NO_TABLE,   /* code without tables: its frame pointer may help */
};

/* In 8 bytes, so that it is read and written at once; fp and ra in units of 8 bytes from the CFA, 0 where they are unchanged. */
struct cfi_rule {
	uint64_t kind : 4;
	int64_t cfa : 26;
	int64_t fp : 17;
	int64_t ra : 17;
};

#define CFI_FP_LOST (-(1 << 16)) /* fp: of the caller's nothing is known */

struct cfi_object {
	const uint8_t *hdr; /* .eh_frame_hdr in memory, or NULL */
	uintptr_t start, end, bias;
	const char *name;   /* as the dynamic linker has it: "" is the program */
};

/* False where no object lies at pc. */
bool cfi_find_object(uintptr_t pc, struct cfi_object *ret);
struct cfi_rule cfi_rule_at(const struct cfi_object *o, uintptr_t pc);
