/*
 * Shared by the code that makes tables: entries of .eh_frame and .debug_frame, and the state of their programs.
 */
#pragma once
#include "base/cursor.h"
#include "base/idset.h"
#include "base/vector.h"
#include "unwind/table.h"

#define CFI_OMITTED 0xff /* DW_EH_PE_omit */

struct cfi_cie {
	size_t offset; /* in its section */
	const uint8_t *program;
	size_t program_bytes;
	uint64_t code_align;
	int64_t data_align;
	uint8_t ra;
	uint8_t encoding; /* of addresses in its FDEs: DW_EH_PE_* */
	bool has_augmentation, is_signal, is_usable;
};

struct cfi_fde {
	uint64_t start, end;
	const uint8_t *program;
	size_t program_bytes;
	uint32_t cie;
	uint32_t section;
};

/* A section, and the encoding of its numbers. */
struct cfi_section {
	struct object_frames frames;
	bool is_64bit, swap;
	VEC(struct cfi_cie) cies; /* by offset, ascending */
};

struct cfi_fdes {
	VEC(struct cfi_fde) list;
};

/* Reads the CIEs of a section, then its FDEs, which are appended. */
void cfi_read_cies(struct cfi_section *s);
void cfi_read_fdes(struct cfi_section *s, uint32_t section, struct cfi_fdes *ret);
/* Reads an encoded address; false: failed. at_bytes: the start of the section's bytes. */
bool cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding, uint64_t function, uint64_t *ret);

struct cfi_state {
	uint64_t known; /* bit by register: regs[] says where it is */
	uint64_t hash;  /* of those, each hashed by itself and all joined by xor: kept up to date as they change */
	int32_t cfa_value, cfa_addend;
	uint8_t cfa_kind, cfa_reg;
	struct unwind_save regs[UNWIND_REGS];
};

struct cfi_row {
	uint32_t offset; /* from the table's base */
	uint32_t rule;
};

struct cfi_builder {
	VEC(struct cfi_row) rows;
	VEC(struct unwind_rule) rules;
	VEC(struct unwind_save) saves;
	VEC(struct unwind_expr) exprs;
	struct idset index;
	uint64_t base;
	/* Of the last CIE: the state after its program, with which functions begin. */
	const struct cfi_cie *cie;
	struct cfi_state initial;
};

/* Appends the rows of one function; they end at `end`. */
void cfi_run(struct cfi_builder *b, const struct cfi_section *s, const struct cfi_fde *f, uint64_t end);
void cfi_add_row(struct cfi_builder *b, uint64_t vaddr, uint32_t rule);
/* The index of the rule for a state, whose hash need not be known. */
uint32_t cfi_intern(struct cfi_builder *b, struct cfi_state *st, uint8_t ra, uint8_t flags);

#define UNWIND_SECTIONS_MAX 4 /* two of the object, two of its debug file */
struct unwind_source unwind_source_of(struct object *o, struct object *debug, struct object_frames frames[UNWIND_SECTIONS_MAX]);
/* See UNWIND_PLAIN. */
void unwind_table_mark_plain(const struct unwind_table *t, struct unwind_rule *r);
