/*
 * Call frame information of Go's own code, by the table that its run time unwinds with (object/gopclntab.h).
 *
 * The table says at each instruction how far the stack pointer is below where it was at the function's first one. x86: the return
 * address is above that. arm64: a function that has a frame keeps it at the stack pointer. Stripped programs have the table, too, and
 * .debug_frame of others says the same, without the frame pointer, which is known here by the instruction that keeps it. Functions with
 * which stacks begin end a walk. Those that change stacks write the stack pointer in ways that the table leaves out: on x86 their
 * instructions are analysed (unwind/bare_code.h), and where that finds no frame, the caller is unknown.
 *
 * Input is hostile. Const once opened, borrows from the object, and thread-safe. Sources: runtime/symtab.go, runtime/stkframe.go,
 * cmd/internal/obj/x86/obj6.go and cmd/internal/obj/arm64/obj7.go of Go 1.16 to 1.24.
 */
#pragma once
#include "object/gopclntab.h"
#include "unwind/cfi_priv.h"

struct go_rows {
	const struct object *object;
	struct gopclntab table;
	size_t left; /* ranges that may still be read: each has two bytes of the table, but functions can share them */
};

/* False: the object has no such table, or is of an architecture without rows. */
bool go_rows_open(struct go_rows *g, const struct object *o);
/* Appends its functions; cie: which one. */
void go_rows_list(const struct go_rows *g, uint32_t section, struct cfi_fdes *to);
/* Appends the rows of one of them; they end at `end`. */
void go_rows_run(struct go_rows *g, struct cfi_builder *b, const struct cfi_fde *f, uint64_t end);
