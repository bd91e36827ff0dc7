/*
 * The unwinding rule of one instruction of a loaded object: the locations of its caller's frame, frame pointer and return address.
 *
 * It is read from .eh_frame in memory, found through the table of .eh_frame_hdr. Nothing is allocated, no lock is taken if the C
 * library has _dl_find_object() (glibc 2.35), and only data is read that the program's own unwinder trusts, too. Only the registers
 * of a walk along calls are tracked: stack pointer, frame pointer, return address. Sources: DWARF 5 section 6.4, Linux Standard Base
 * 5 "Exception Frames", the psABI supplements.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum cfi_kind {
	CFI_UNKNOWN,    /* no rule, or one that needs other registers */
	CFI_SP,         /* CFA = sp + cfa */
	CFI_FP,         /* CFA = fp + cfa */
	CFI_FP_DEREF,   /* CFA = the word at fp + cfa: a realigned frame */
	CFI_SIGNAL,     /* the trampoline of a signal's handler */
	CFI_END,        /* the outermost frame */
	CFI_NO_TABLE,   /* code without tables: the walk tries the frame pointer */
};

/* In 8 bytes, for atomic access; fp and ra in units of 8 bytes from the CFA, 0: unchanged. */
struct cfi_rule {
	uint64_t kind : 4;
	int64_t cfa : 26;
	int64_t fp : 17;
	int64_t ra : 17;
};

#define CFI_FP_LOST (-(1 << 16)) /* fp: the caller's is unknown */

struct cfi_object {
	const uint8_t *hdr; /* .eh_frame_hdr in memory, or NULL */
	uintptr_t start, end, bias;
	const char *name;   /* from the dynamic linker: "" is the program */
};

/*
 * The section .eh_frame of the object at start, which has no .eh_frame_hdr: searched from its beginning for each new address. Call it
 * once, before the first walk; the section is as trusted as that of other objects.
 */
void cfi_use_section(uintptr_t start, const uint8_t *section, uint64_t bytes);
/* False: no object at pc. */
bool cfi_find_object(uintptr_t pc, struct cfi_object *ret);
struct cfi_rule cfi_rule_at(const struct cfi_object *o, uintptr_t pc);
