/*
 * A code listing: the instructions of one function, their source lines, and the cost of each.
 *
 * Filled by annotate/ (or by hand, in tests); read by text, JSON, page and screen, and by the listings of pprof. It is independent of
 * the origin of code and costs. Its parts:
 *
 *   insns    in the order of their addresses, without gaps: undecodable bytes are an instruction too (LISTING_BAD)
 *   values   the cost of instruction i by event e: values[i * events.len + e]
 *   places   origins of instructions: a tree. The place of an instruction is the innermost inlined function's line;
 *            its caller is the line that function was inlined into, and so on up to the function itself
 *   files    source files of places, with their text if it could be read
 *   lines    one for each (file, line) that is some instruction's own place, by file and line; line_values as values.
 *            listing_finish() makes them
 *
 * A view of a listing iterates over listing_rows(): instructions, and the source lines, function names and headings before them, in
 * output order. Jumps: an instruction whose target_insn is not LISTING_NONE jumps to that index.
 *
 *	struct listing_rows rows = {};
 *	listing_rows(l, (struct listing_rows_options){ .with_source = true }, &rows);
 *	for (size_t i = 0; i < rows.len; i++) switch (rows.data[i].kind) ...
 *	vec_deinit(&rows);
 *
 * Addresses are those of the object's symbol table. A listing owns all that it points to (arena and files) unless a field says
 * otherwise; it is immutable once finished. One thread at a time until then.
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

/* An event that is counted: a column of the listing. */
struct listing_event {
	const char *name, *unit;              /* unit "": none */
	uint64_t frequency_hz;                /* the requested frequency; 0: a fixed period, or unknown */
	uint64_t samples, value;              /* of this function; value is the sum of periods */
	uint64_t total_samples, total_value;  /* of the whole recording, as far as filters allow */
};

struct listing_value {
	uint64_t samples, value;
};

/* Cycles of the block of code that ends at an instruction, and the speed of the block that contains it. */
struct listing_cycles {
	uint64_t average, least, most; /* 0: no block ends here */
	double per_cycle;              /* instructions of the block, by its average; 0: unknown */
};

enum listing_flow {
	LISTING_NEXT,
	LISTING_JUMP,
	LISTING_BRANCH, /* conditional */
	LISTING_CALL,
	LISTING_RETURN,
	LISTING_TRAP,
	LISTING_BAD,    /* bytes that are not an instruction */
};

/* An address with the name of its symbol; name NULL: unknown. */
struct listing_symbol {
	uint64_t addr, offset; /* offset: from the start of the symbol */
	const char *name;
};

struct listing_insn {
	uint64_t addr;
	const uint8_t *code;
	uint8_t bytes;
	uint8_t flow;              /* enum listing_flow */
	bool has_target;           /* it encodes the target of a jump or call */
	bool has_reference;        /* it reads or writes memory at an address that it encodes */
	uint16_t target_at, target_bytes; /* the target's number within text; 0 bytes: none */
	uint32_t target_insn;      /* of jumps within the function, else LISTING_NONE */
	uint32_t jumps_here;       /* number of jumps to it from the function */
	uint32_t place;            /* or LISTING_NONE */
	struct listing_symbol target, reference;
	const char *text;          /* "je     0x1208": mnemonic, and operands if any */
	const char *data_type;     /* what it accesses, "struct node +0x24 (in[2].b)"; NULL: not known, or not looked up */
};

struct listing_place {
	const char *function; /* demangled; the listing's own function for the outermost place. NULL: unknown */
	uint32_t file;        /* or LISTING_NONE */
	uint32_t line;        /* 0: unknown */
	uint32_t caller;      /* the place that it was inlined into, LISTING_NONE: not inlined */
};

struct listing_file {
	const char *path;     /* from the debug information */
	const char *opened;   /* the path its text was read from, NULL: unreadable, see problem */
	const char *problem;
	struct lines text;
};

/* A source line, with the cost of its instructions. */
struct listing_line {
	uint32_t file, line;
};

struct listing {
	struct arena arena;
	const char *symbol, *raw_name;  /* demangled; raw */
	const char *object, *object_path, *build_id; /* short name and path of the file, hex digits or "" */
	const char *section;            /* ".text", or NULL */
	const char *arch;               /* "x86_64" */
	const char *debug_origin;       /* file with the line information, or NULL */
	uint64_t start, end;            /* end is exclusive */
	VEC(struct listing_event) events;
	VEC(struct listing_insn) insns;
	VEC(struct listing_value) values;
	VEC(struct listing_cycles) cycles; /* of instruction i; empty if branches with cycles were not recorded */
	VEC(struct listing_place) places;
	VEC(struct listing_file) files;
	VEC(struct listing_line) lines;
	VEC(struct listing_value) line_values;
	struct {
		struct idset places;
	} index; /* while it is being built */
};

struct listing *listing_create(void);
void listing_destroy(struct listing *l);

/* ---- building: events first, then instructions, then values ---- */

/* The strings are borrowed and must outlive the listing; listing_add_value() sums up the numbers of the function. */
uint32_t listing_event(struct listing *l, const struct listing_event *e);
/* Strings and code are borrowed: copy them to the arena if they do not live long enough. Values start at 0. */
uint32_t listing_insn(struct listing *l, const struct listing_insn *insn);
/* Interned by path, which is copied; without text until the listing's builder reads it. */
uint32_t listing_file(struct listing *l, const char *path);
/* Interned; function is borrowed and compared by content. */
uint32_t listing_place(struct listing *l, const struct listing_place *p);
/* Adds to the instruction that covers addr; false if none does, and nothing is added. */
bool listing_add_value(struct listing *l, uint64_t addr, uint32_t event, uint64_t samples, uint64_t value);
/* Connects jumps, and sums up lines. */
void listing_finish(struct listing *l);

/* ---- look-ups ---- */

/* The instruction that covers addr, or LISTING_NONE. */
uint32_t listing_find(const struct listing *l, uint64_t addr);
/* Index in lines, or LISTING_NONE if the line has no instruction. */
uint32_t listing_find_line(const struct listing *l, uint32_t file, uint32_t line);

static inline const struct listing_value *listing_value(const struct listing *l, size_t insn, size_t event)
{
	return &l->values.data[insn * l->events.len + event];
}

static inline const struct listing_value *listing_line_value(const struct listing *l, size_t line, size_t event)
{
	return &l->line_values.data[line * l->events.len + event];
}

/* The total of a share: the function (local) or the recording (global), in periods or in samples (hits). */
enum listing_share { LISTING_LOCAL_PERIOD, LISTING_GLOBAL_PERIOD, LISTING_LOCAL_HITS, LISTING_GLOBAL_HITS };
/* "local period", … */
const char *listing_share_name(enum listing_share s);
/* In percent; 0 if the total is 0. */
double listing_percent(const struct listing *l, size_t event, const struct listing_value *v, enum listing_share s);

enum listing_row_kind {
	LISTING_ROW_SECTION,  /* "Disassembly of section .text:" */
	LISTING_ROW_SYMBOL,   /* the function's heading: its address and name */
	LISTING_ROW_FUNCTION, /* the following rows belong to this function: the place's */
	LISTING_ROW_SOURCE,   /* a line of source text */
	LISTING_ROW_PLACE,    /* file and line, if the text is not available */
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
	unsigned context; /* number of lines without code to show before a line with code; 0 = 5 */
};

/* Appends; the caller frees with vec_deinit(). A line is shown each time that instructions of it begin. */
void listing_rows(const struct listing *l, struct listing_rows_options options, struct listing_rows *rows);
