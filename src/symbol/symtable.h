/*
 * A table of symbols for look-ups by address with one binary search.
 *
 * Symbols may overlap, nest, share a start or have no size: finishing a table chooses the best of those that share a
 * start, gives an end to those without size, and cuts what is left into disjoint segments with one owner each.
 * Read-only, and so thread-safe, once finished.
 */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

#define SYMTABLE_NONE UINT32_MAX

struct symtable_entry {
	uint64_t start, end; /* end excluded; equal to start while the size is unknown */
	uint32_t name;       /* offset in the string space `space` */
	uint8_t space;       /* which of names[] */
	uint8_t binding;     /* STB_* */
	char type;           /* as nm prints it */
	uint8_t loose;       /* its end is a guess: it had no size */
};

#define SYMTABLE_SPACES 4

struct symtable_names {
	const char *data; /* each name ends inside, in a NUL */
	size_t bytes;
};

struct symtable {
	const uint64_t *starts;  /* of segments, ascending */
	const uint32_t *owners;  /* entry of each segment, SYMTABLE_NONE = none */
	size_t segments_nr;
	const struct symtable_entry *entries;
	size_t entries_nr;
	struct symtable_names names[SYMTABLE_SPACES];
	void *memory[3];         /* starts, owners, entries, if to be freed */
};

/* How symbols without a size end. */
enum symtable_ends {
	SYMTABLE_ENDS_ELF, /* at the next symbol; the last at the end of the page after */
	SYMTABLE_ENDS_JIT, /* all have sizes; of overlapping ones, the one with the higher name offset counts */
};

struct symtable_builder {
	VEC(struct symtable_entry) entries;
	struct symtable_names names[SYMTABLE_SPACES];
	enum symtable_ends ends;
	bool demangle; /* rank aliases by demangled names */
};

/* Entries in the order of their tables; the builder is emptied. */
void symtable_finish(struct symtable_builder *b, struct symtable *ret);
void symtable_builder_deinit(struct symtable_builder *b);
void symtable_deinit(struct symtable *t);
/* The index of the entry that owns addr, or SYMTABLE_NONE. */
uint32_t symtable_find(const struct symtable *t, uint64_t addr);
/* Never NULL. */
const char *symtable_name(const struct symtable *t, const struct symtable_entry *e);
