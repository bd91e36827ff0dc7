/*
 * What must be known of the code of Go's compiler, to walk through programs that it and others made.
 *
 * Its run time leaves the stack of a goroutine for that of a thread, to run C there (asmcgocall). After the call it finds its way back by
 * what it left on the thread's stack: the goroutine (struct g, whose second word is the upper end of its stack), and how far below that
 * its own stack pointer was. For its own work it does the same (systemstack), and finds the goroutine by the thread's g, as that thread's
 * current one, with the stack pointer that it had. Which words these are, the instructions say, whatever the version of Go, and without
 * symbols.
 *
 * Input is hostile. Thread-safe. Source: runtime/asm_amd64.s of Go 1.16 to 1.23.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "object/object.h"

/* Instructions after which the caller is on the goroutine's stack, and the operands of their rule (unwind/table.h). */
struct go_switch {
	uint64_t start, end; /* vaddrs, in which it holds */
	uint64_t left;       /* from end up to here, its last instructions are on the caller's stack again, as at its first */
	bool is_system;      /* systemstack: UNWIND_CFA_GO_SYSTEM; else asmcgocall: UNWIND_CFA_GO */
	int32_t value, addend;
};

#define GO_SWITCHES_MAX 2

bool go_code_is_in(const struct object *o);
/* Where Go's own code is; false where its table has an unknown form, or does not say. */
bool go_code_find(const struct object *o, uint64_t *ret_start, uint64_t *ret_end);
/* x86-64. How many the object has; by address. */
unsigned go_switches_find(const struct object *o, struct go_switch ret[GO_SWITCHES_MAX]);
/* The one of that kind in n bytes of code at vaddr; false: none is. */
bool go_switch_find_in(const uint8_t *code, size_t n, uint64_t vaddr, bool is_system, struct go_switch *ret);
