/*
 * Call frame information compiled: a sorted array of small rows, address → rule, for one object.
 *
 * A row has the address from which on a rule applies; a rule has the locations of the canonical frame address (CFA: the
 * stack pointer before the call) and the caller's registers. Objects have few distinct rules, so rows refer to them by
 * index; the common ones (register + offset, realigned frames, PLT stubs) are plain data that needs no interpreter.
 * Registers are DWARF numbers of the object's architecture; those beyond 63 (vectors) are ignored.
 *
 * A table is const after it is built, and thread-safe. Expressions are borrowed from the object, which must outlive it. Input is
 * untrusted: after invalid data there is no rule up to the end of the function. Sources: DWARF 5 section 6.4, Linux Standard Base 5
 * "Exception Frames", the psABI supplements.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "object/object.h"

enum unwind_cfa_kind {
	UNWIND_CFA_NONE,  /* unknown */
	UNWIND_CFA_REG,   /* reg + value */
	UNWIND_CFA_DEREF, /* the word at reg + value, plus addend: a realigned frame, which has its caller's stack pointer (DRAP) */
	UNWIND_CFA_PLT,   /* x86: sp + a word, and one more from byte `value` of a 16-byte stub on, when it has pushed */
	UNWIND_CFA_GO,    /* on another stack (unwind/go_code.h): [[sp + addend] + 8] - [sp + value], and a word */
	/* The same by the thread's g, at fs + value: [[[g + m] + curg] + sp] and a word; m, curg, sp: bytes 0, 1 and 2, and 3 of addend. */
	UNWIND_CFA_GO_SYSTEM,
	UNWIND_CFA_EXPR,  /* expression number `value` */
};

enum unwind_save_kind {
	UNWIND_SAVE_OFFSET,     /* lies at CFA + value */
	UNWIND_SAVE_CFA,        /* is CFA + value */
	UNWIND_SAVE_REG,        /* is in register base */
	UNWIND_SAVE_AT,         /* lies at base + value */
	UNWIND_SAVE_EXPR,       /* lies where expression `value` says */
	UNWIND_SAVE_VALUE_EXPR, /* is what expression `value` says */
	UNWIND_SAVE_UNDEFINED,  /* lost */
};

struct unwind_save {
	uint8_t reg, kind, base, unused;
	int32_t value;
};

#define UNWIND_SIGNAL 1 /* a signal frame: its caller was interrupted */
#define UNWIND_END    2 /* the return address is undefined: the outermost frame */
#define UNWIND_ANALYSED 8 /* by its instructions (unwind/bare_code.h): a return address that no call precedes is not followed */
#define UNWIND_PLAIN  4 /* UNWIND_CFA_REG, with the return address and all else at UNWIND_SAVE_OFFSET: nearly all rules */

struct unwind_rule {
	uint32_t saves; /* the first, in the table's saves */
	int32_t value;
	uint8_t saves_nr, kind, reg, flags;
	uint8_t ra; /* register of the return address */
	/* For UNWIND_PLAIN, to check at once that a frame is inside of a dump: */
	int32_t addend; /* of UNWIND_CFA_DEREF */
	int32_t lowest, highest; /* offsets of the first and the last save from the CFA */
	uint64_t saved;          /* the saved registers */
};

/* A row: its offset in the page that it begins in, then its rule. */
#define UNWIND_PAGE_BITS 10
#define UNWIND_RULE_BITS 22
#define UNWIND_RULES_MAX (1u << UNWIND_RULE_BITS)

struct unwind_expr {
	const uint8_t *bytes;
	uint32_t n;
};

struct unwind_table {
	uint64_t base;         /* vaddr of the first row */
	uint32_t *rows;        /* first one that has no rule and begins nowhere, then by address; the last has no rule */
	uint32_t rows_nr;
	uint32_t *pages;       /* of each page of UNWIND_PAGE_BITS, the first row that begins there or later; then rows_nr */
	uint32_t pages_nr;
	bool is_lent;          /* rows and pages belong to the borrower */
	struct unwind_rule *rules; /* 0 is UNWIND_CFA_NONE */
	struct unwind_save *saves;
	struct unwind_expr *exprs;
	uint32_t rules_nr, saves_nr, exprs_nr;
	uint32_t functions; /* FDEs that were read */
	bool swap, is_64bit;
};

#define UNWIND_REGS 64

/* The source of a table, found by object_frames(). */
struct unwind_source {
	const struct object_frames *frames;
	unsigned frames_nr;
	bool is_64bit, swap;
	uint64_t from, to; /* vaddrs of code; rows outside are dropped */
	/* The object whose code without call frame information is analysed, and its debug file, which may have more symbols; or NULL. */
	const struct object *object, *debug;
};

/* NULL: no call frame information. debug: a separate debug file that may have more, or NULL. */
struct unwind_table *unwind_table_of(struct object *o, struct object *debug);
struct unwind_table *unwind_table_build(const struct unwind_source *from);
void unwind_table_destroy(struct unwind_table *t);
/* Replaces rows and pages by equal ones that outlive the table, and frees its own. No other thread may read meanwhile. */
void unwind_table_lend(struct unwind_table *t, uint32_t *pages, uint32_t *rows);

/* The share of code with rules whose CFA is relative to the frame pointer: most, in programs with frame pointers. */
double unwind_table_fp_share(const struct unwind_table *t, unsigned fp);

/* The rule at vaddr; never NULL. */
static inline const struct unwind_rule *unwind_table_find(const struct unwind_table *t, uint64_t vaddr)
{
	uint64_t offset = vaddr - t->base;
	uint64_t page = offset >> UNWIND_PAGE_BITS;
	if (page >= t->pages_nr)
		return &t->rules[0];
	/* The row before those of the page holds where it begins. */
	uint32_t low = t->pages[page] - 1, n = t->pages[page + 1] - low;
	uint32_t limit = (uint32_t)offset << UNWIND_RULE_BITS | (UNWIND_RULES_MAX - 1);
	while (n > 1) {
		uint32_t half = n / 2;
		low = t->rows[low + half] <= limit ? low + half : low;
		n -= half;
	}
	return &t->rules[t->rows[low] & (UNWIND_RULES_MAX - 1)];
}
