/*
 * A code listing: the instructions of one function, the source lines that they came from, and what each of them cost.
 *
 * Filled by annotate/ (or by hand, in tests); read by text, JSON, page and screen, and by the listings of pprof. Nothing
 * here knows where code or costs came from. How it hangs together:
 *
 *   insns    in the order of their addresses, without gaps: what cannot be decoded is an instruction too (LISTING_BAD)
 *   values   what instruction i cost by event e: values[i * events.len + e]
 *   places   where instructions came from: a tree. The place of an instruction is the innermost inlined function's line;
 *            its caller is the line that function was inlined into, and so on up to the function itself
 *   files    source files that places name, with their text where it could be read
 *   lines    one for each (file, line) that is some instruction's own place, by file and line; line_values as values.
 *            listing_finish() makes them
 *
 * A view of a listing walks listing_rows(): instructions with the source lines, function names and heads that are
 * before them, in the order of a listing. Jumps: an instruction whose target_insn is not LISTING_NONE jumps to that index.
 *
 *	struct listing_rows rows = {};
 *	listing_rows(l, (struct listing_rows_options){ .with_source = true }, &rows);
 *	for (size_t i = 0; i < rows.len; i++) switch (rows.data[i].kind) ...
 *	vec_deinit(&rows);
 *
 * Addresses are those of the object, as the symbol table has them. A listing owns all that it points at (arena and files)
 * unless a field says otherwise; it is immutable once finished. One thread at a time until then.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/idset.h"
#include "base/lines.h"
#include "base/vector.h"

#define LISTING_NONE UINT32_MAX

/* What is counted: a column of the listing. */
struct listing_event {
	const char *name, *unit;              /* unit "" where it has none */
	uint64_t frequency_hz;                /* that was requested; 0: a fixed period, or not known */
	uint64_t samples, value;              /* of this function; value is the sum of periods */
	uint64_t total_samples, total_value;  /* of the whole recording, as far as its filters let it through */
};

struct listing_value {
	uint64_t samples, value;
};

/* What the processor needed for the block of code that ends at an instruction, and for all of the block that it is in. */
struct listing_cycles {
	uint64_t average, least, most; /* 0: no block was seen to end here */
	double per_cycle;              /* instructions of the block, by its average; 0: unknown */
};

enum listing_flow {
	LISTING_NEXT,
	LISTING_JUMP,
	LISTING_BRANCH, /* conditional */
	LISTING_CALL,
	LISTING_RETURN,
	LISTING_TRAP,
	LISTING_BAD,    /* bytes that are no instruction */
};

/* An address with the name of what is there; name NULL: unknown. */
struct listing_symbol {
	uint64_t addr, offset; /* offset: into what the name begins at */
	const char *name;
};

struct listing_insn {
	uint64_t addr;
	const uint8_t *code;
	uint8_t bytes;
	uint8_t flow;              /* enum listing_flow */
	bool has_target;           /* it contains where a jump or call goes */
	bool has_reference;        /* it reads or writes memory at an address that it contains */
	uint16_t target_at, target_bytes; /* where in text the target's number is; 0 bytes: nowhere */
	uint32_t target_insn;      /* of jumps within the function, else LISTING_NONE */
	uint32_t jumps_here;       /* how many instructions of the function jump to this one */
	uint32_t place;            /* or LISTING_NONE */
	struct listing_symbol target, reference;
	const char *text;          /* "je     0x1208": mnemonic, and operands where there are any */
};

struct listing_place {
	const char *function; /* for people; the listing's own function at the outermost. NULL: unknown */
	uint32_t file;        /* or LISTING_NONE */
	uint32_t line;        /* 0: unknown */
	uint32_t caller;      /* place that it was inlined into, LISTING_NONE: it was not inlined */
};

struct listing_file {
	const char *path;     /* as the debug information has it */
	const char *opened;   /* where its text was read, NULL: it could not be, and problem says why */
	const char *problem;
	struct lines text;
};

/* A source line, with what the instructions that came from it cost. */
struct listing_line {
	uint32_t file, line;
};

struct listing {
	struct arena arena;
	const char *symbol, *raw_name;  /* for people; as linked */
	const char *object, *object_path, *build_id; /* short name and path of the file, hex digits or "" */
	const char *section;            /* ".text", or NULL */
	const char *arch;               /* "x86_64" */
	const char *debug_origin;       /* file that lines came from, or NULL */
	uint64_t start, end;            /* end excluded */
	VEC(struct listing_event) events;
	VEC(struct listing_insn) insns;
	VEC(struct listing_value) values;
	VEC(struct listing_cycles) cycles; /* of instruction i; or none at all where branches with cycles were not recorded */
	VEC(struct listing_place) places;
	VEC(struct listing_file) files;
	VEC(struct listing_line) lines;
	VEC(struct listing_value) line_values;
	struct {
		struct idset places;
	} index; /* while it is built */
};

struct listing *listing_create(void);
void listing_destroy(struct listing *l);

/* ---- building: events first, then instructions, then values ---- */

/* The string is borrowed and has to live as long; numbers of the function itself are added up by listing_add_value(). */
uint32_t listing_event(struct listing *l, const struct listing_event *e);
/* Strings and code are borrowed: put them into the arena where they would not live as long. Values start at 0. */
uint32_t listing_insn(struct listing *l, const struct listing_insn *insn);
/* Interned by path, which is copied; without text until the builder of the listing reads it. */
uint32_t listing_file(struct listing *l, const char *path);
/* Interned; function is borrowed and compared by content. */
uint32_t listing_place(struct listing *l, const struct listing_place *p);
/* Adds to the instruction that covers addr; false where none does, and nothing is counted. */
bool listing_add_value(struct listing *l, uint64_t addr, uint32_t event, uint64_t samples, uint64_t value);
/* Connects jumps, and sums up lines. */
void listing_finish(struct listing *l);

/* ---- look-ups ---- */

/* The instruction that covers addr, or LISTING_NONE. */
uint32_t listing_find(const struct listing *l, uint64_t addr);
/* Index in lines, or LISTING_NONE where no instruction came from there. */
uint32_t listing_find_line(const struct listing *l, uint32_t file, uint32_t line);

static inline const struct listing_value *listing_value(const struct listing *l, size_t insn, size_t event)
{
	return &l->values.data[insn * l->events.len + event];
}

static inline const struct listing_value *listing_line_value(const struct listing *l, size_t line, size_t event)
{
	return &l->line_values.data[line * l->events.len + event];
}

/* What a share is of: the function (local) or the recording (global), in periods or in samples (hits). */
enum listing_share { LISTING_LOCAL_PERIOD, LISTING_GLOBAL_PERIOD, LISTING_LOCAL_HITS, LISTING_GLOBAL_HITS };
/* "local period", … */
const char *listing_share_name(enum listing_share s);
/* In percent; 0 where the whole is 0. */
double listing_percent(const struct listing *l, size_t event, const struct listing_value *v, enum listing_share s);

enum listing_row_kind {
	LISTING_ROW_SECTION,  /* "Disassembly of section .text:" */
	LISTING_ROW_SYMBOL,   /* the function's head: its address and name */
	LISTING_ROW_FUNCTION, /* what follows came from this function: the place's */
	LISTING_ROW_SOURCE,   /* a line of source text */
	LISTING_ROW_PLACE,    /* file and line, where the text is not available */
	LISTING_ROW_INSN,
};

struct listing_row {
	enum listing_row_kind kind;
	uint32_t insn;       /* the row's own, or the next one below */
	uint32_t file, line; /* of SOURCE and PLACE */
};

struct listing_rows {
	struct listing_row *data;
	size_t len, cap;
};

struct listing_rows_options {
	bool with_source; /* rows SOURCE and PLACE */
	unsigned context; /* lines without code that are shown before one that has some; 0 = 5 */
};

/* Appends; vec_deinit() is the caller's. A line is shown each time that instructions of it begin. */
void listing_rows(const struct listing *l, struct listing_rows_options options, struct listing_rows *rows);
