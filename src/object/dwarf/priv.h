/* Shared by the files of the DWARF reader. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "object/dwarf/dwarf.h"
#include "object/dwarf/const.h"
#include "object/dwarf/die.h"
#include "object/dwarf/functions.h"
#include "object/dwarf/needles.h"

/* ---- files and their sections ---- */

enum dwarf_section {
	DWARF_INFO, DWARF_ABBREV, DWARF_STR, DWARF_LINE_STR, DWARF_STR_OFFSETS, DWARF_ADDR, DWARF_RANGES, DWARF_RNGLISTS,
	DWARF_SECTIONS_KEPT,
	/* Decompressed only when needed: */
	DWARF_LINE = DWARF_SECTIONS_KEPT, DWARF_ARANGES, DWARF_LOC, DWARF_LOCLISTS, DWARF_SECTIONS_NR,
};

struct dwarf_unit;

struct dwarf_file {
	struct dwarf *dwarf;
	struct object *object;
	bool split;                                  /* its sections are named .dwo */
	struct cursor sections[DWARF_SECTIONS_KEPT]; /* at their starts */
	int str_fd;                                  /* of the file, if names are read from .debug_str with pread; -1: mapped */
	uint64_t str_offset;                         /* of that section in the file */
	VEC(struct dwarf_unit *) units;              /* by offset */
	/* Under dwarf->lock. */
	struct u64map abbrevs;                       /* offset -> struct dwarf_abbrevs * */
	struct u64map abbrevs_walked;                /* offsets of those that dwarf_abbrev_alone() was called for */
	uint64_t abbrev_bytes_read;                  /* over again, too */
};

/* ---- abbreviations and attributes ---- */

struct dwarf_attr {
	uint16_t name, form;
	int64_t constant; /* of DW_FORM_implicit_const */
};

/* Attributes that are read of many DIEs, alone: where they are need not be found out by going over those before. */
enum dwarf_placed {
	PLACED_SIBLING, PLACED_LOW_PC, PLACED_HIGH_PC, PLACED_RANGES, PLACED_NAME, PLACED_LINKAGE_NAME, PLACED_ORIGIN,
	PLACED_SPECIFICATION, PLACED_CALL_FILE, PLACED_CALL_LINE, PLACED_CALL_COLUMN, PLACED_NR,
};

/* Where one of them is: after so many bytes, and so many as wide as the unit says. */
struct dwarf_place {
	uint16_t attr; /* which it is, from the first of the entry */
	uint16_t bytes, addresses, offsets, unit_refs;
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first, nr;  /* in attrs */
	uint32_t naming_nr;  /* of these, up to the last one with the name, or a reference to a DIE with it */
	/* The size of all attributes; UINT32_MAX: variable. Values of the unit's address or offset size are counted separately. */
	uint32_t fixed_bytes;
	uint16_t addresses, offsets, unit_refs;
	uint16_t tag;
	bool has_children;
	bool has_code;       /* has low_pc or ranges */
	bool has_sibling;
	uint16_t has;        /* bits of enum dwarf_placed: what is among its attributes, */
	uint16_t placed;     /* and of that what is at a place that is known */
	struct dwarf_place places[PLACED_NR];
};

struct dwarf_abbrevs {
	VEC(struct dwarf_abbrev) entries; /* by code; mostly 1, 2, 3 … */
	VEC(struct dwarf_attr) attrs;
};

/* DW_AT_low_pc, DW_AT_high_pc and DW_AT_ranges of a DIE. */
struct dwarf_pc {
	struct dwarf_value low, high, ranges;
};

/* ---- units ---- */

/* A lock, and the memory of what is made under it. */
struct dwarf_share {
	pthread_mutex_t lock;
	struct arena arena;
};
void dwarf_share_init(struct dwarf_share *s);
void dwarf_share_deinit(struct dwarf_share *s);

struct dwarf_row {
	uint64_t addr;
	uint32_t file, line; /* line 0 and file UINT32_MAX: after the end of a sequence */
	uint16_t column;
	bool is_stmt;
};

/* A range of addresses with the innermost scope. */
struct dwarf_segment {
	uint64_t start;
	uint32_t owner; /* UINT32_MAX = none */
};

struct dwarf_segments {
	struct dwarf_segment *at;
	size_t nr;
};

struct dwarf_scope {
	uint64_t origin;         /* the DIE with its name, or a reference to it, in origin_file */
	struct dwarf_file *origin_file;
	_Atomic(const void *) name; /* once looked up: the string, or the result of keep_name() */
	_Atomic bool named;
	uint32_t parent;         /* UINT32_MAX: the function itself */
	uint32_t call_file, call_line, call_column;
};

/* What is in a function. */
struct dwarf_scopes {
	struct dwarf_scope *at; /* the function first */
	size_t nr;
	struct dwarf_segments segments; /* of scopes */
};

struct dwarf_function {
	uint64_t die; /* offset in the unit's file */
	/* NULL until the first address is requested: of those that are expected, and of any. */
	_Atomic(const struct dwarf_scopes *) expected, all;
};

/* Functions of a unit, made when the first address in it is requested. */
struct dwarf_functions {
	_Atomic bool read; /* what follows is there */
	struct dwarf_function *at;
	size_t nr;
	struct dwarf_segments segments; /* of functions */
	bool has_skipped;  /* nested functions were skipped */
};

struct dwarf_line_file {
	const char *name;
	uint64_t dir;
	_Atomic(const char *) path; /* NULL until it is requested */
};

struct dwarf_unit {
	struct dwarf_file *file;
	uint64_t offset, end, dies;  /* in .debug_info; dies: where the root is */
	uint64_t abbrev_offset;
	uint64_t id;                 /* of a split unit and its skeleton; for a type unit, its signature */
	uint64_t type_offset;        /* of a type unit: its type, from the start of the unit */
	uint16_t version;
	uint8_t address_bytes, offset_bytes, type;
	const struct dwarf_abbrevs *abbrevs; /* NULL until more than the root is read; protected by dwarf->lock until is_prepared */
	_Atomic bool is_prepared;
	bool bad;

	/* Of the root. */
	_Atomic bool has_root;
	uint16_t root_tag;
	struct dwarf_pc root_pc;
	uint64_t low_pc, str_offsets_base, addr_base, rnglists_base, loclists_base, ranges_base, line_offset;
	bool has_lines, has_dwo;
	const char *name, *comp_dir, *dwo_name;
	struct dwarf_unit *skeleton;
	_Atomic(struct dwarf_unit *) split; /* NULL until it is requested */

	/* One thread may read lines while another reads functions. */
	struct dwarf_share functions_share, lines_share;
	_Atomic bool files_read, lines_read;
	struct dwarf_row *rows;
	size_t rows_nr;
	const char **dirs;
	size_t dirs_nr;
	struct dwarf_line_file *files;
	size_t files_nr;
	/* nested: these and nested functions (GNU C, Fortran), for addresses outside of the others. */
	struct dwarf_functions functions, nested;
};

struct dwarf_unit_range {
	uint64_t start, end, max_end; /* max_end: of this one and all before it */
	struct dwarf_unit *unit;
};

struct dwarf_index {
	VEC(struct dwarf_unit_range) ranges; /* by start */
};

/* Threads that use the same unit at once, as in a program with only one, are mostly in different functions. */
#define DWARF_SHARES 8

struct dwarf {
	struct object *object;
	struct dwarf_files files;
	struct dwarf_file main, supplement;
	bool has_supplement;
	struct dwarf_strings strings; /* of main */
	bool are_strings_taken;
	pthread_mutex_t lock; /* of abbrevs, roots and split files */
	struct dwarf_index by_aranges, by_roots;
	_Atomic bool roots_read;         /* by_roots is there */
	VEC(struct dwarf_file *) split;
	struct dwarf_file *package;      /* .dwp */
	bool package_tried;
	uint64_t (*text)[2];             /* executable segments; other addresses are those of discarded code */
	size_t text_nr;
	VEC(struct dwarf_range) stubs;   /* written by the linker, without a unit */
	struct {
		struct dwarf_share share;
	} THREAD_OWN scopes[DWARF_SHARES]; /* of functions: what is in them by processor, copies of names by function */
};

/* ---- form.c ---- */
/* NULL: damaged table. Call it under dwarf->lock, or with one thread. */
const struct dwarf_abbrevs *dwarf_abbrevs(struct dwarf_file *f, uint64_t offset);
void dwarf_abbrevs_free(struct dwarf_file *f);
/*
 * Reads a single entry of a table that need not be cached into t, which is the caller's and empty: false if it does not exist, or
 * the table is used again and should be cached. Locking as above.
 */
bool dwarf_abbrev_alone(struct dwarf_file *f, uint64_t offset, uint64_t code, struct dwarf_abbrevs *t);
const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *t, uint64_t code);
/* The cursor is in the section DWARF_INFO of the unit's file, or in a line header (form by form). */
struct dwarf_value dwarf_read_form(const struct dwarf_unit *u, struct cursor *c, uint16_t form, int64_t constant);
/* An attribute of a DIE whose attributes begin at c, which stays; of no class where its abbreviation does not give its place. */
struct dwarf_value dwarf_read_place(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a,
				    const struct dwarf_place *at);
static inline struct dwarf_value dwarf_read_placed(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a,
						   enum dwarf_placed which)
{
	return a->placed & 1u << which ? dwarf_read_place(u, c, a, &a->places[which]) : (struct dwarf_value){};
}
/* Skips the value of an attribute. */
void dwarf_skip_form(const struct dwarf_unit *u, struct cursor *c, uint16_t form);
bool dwarf_skip_attrs(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrevs *t,
		      const struct dwarf_abbrev *a);
/* Looks up a string, which is only done when needed. NULL: not a string. */
const char *dwarf_string(const struct dwarf_unit *u, const struct dwarf_value *v);
/* The name of a function, as returned to the caller of the reader. */
struct dwarf_name {
	bool has_place;
	uint64_t place;     /* in dwarf->strings */
	struct strbuf text; /* else */
};
/* Copies a string into `to`; false: not a string, and `to` is unchanged. */
bool dwarf_take_name(const struct dwarf_unit *u, const struct dwarf_value *v, struct dwarf_name *to);
void dwarf_open_strings(struct dwarf *d);
bool dwarf_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *ret);
uint64_t dwarf_get(struct cursor *c, unsigned bytes);

/* ---- ranges.c ---- */
/* Appends the address ranges of a DIE of the unit. */
void dwarf_read_pc(const struct dwarf_unit *u, const struct dwarf_pc *pc, dwarf_ranges *to);
struct dwarf_owned {
	struct dwarf_range range;
	uint32_t owner; /* with overlaps, the higher one counts */
};
typedef VEC(struct dwarf_owned) dwarf_owned_list;
/* Splits nested ranges into disjoint segments; empties the list. */
struct dwarf_segments dwarf_cut_segments(dwarf_owned_list *list, struct arena *arena);
uint32_t dwarf_segment_find(const struct dwarf_segments *s, uint64_t addr);
bool dwarf_is_text(const struct dwarf *d, uint64_t addr);

/* ---- unit.c ---- */
/* A cursor at the start of a section, which is decompressed on first use. */
struct cursor dwarf_section(const struct dwarf_file *f, enum dwarf_section which);
void dwarf_file_init(struct dwarf_file *f, struct dwarf *d, struct object *o, bool split);
void dwarf_file_deinit(struct dwarf_file *f);
/* Reads the headers of all units. */
void dwarf_read_units(struct dwarf_file *f);
/* The unit at an offset, with its root and abbreviations read; NULL: none. */
struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset);
/* Reads root and abbreviations; false: failed. Takes dwarf->lock, also while a unit's lock is held. */
bool dwarf_unit_prepare(struct dwarf_unit *u);
/* Reads the root. Call it under dwarf->lock, or with one thread. */
void dwarf_read_root(struct dwarf_unit *u);
/* The same if it has not been read yet; takes no lock. */
void dwarf_need_root(struct dwarf_unit *u);
/* Appends the address ranges of the unit by its root, which must have been read. */
void dwarf_root_ranges(const struct dwarf_unit *u, dwarf_ranges *to);

/* ---- index.c ---- */
/* Reads the text segments, and the units in .debug_aranges. */
void dwarf_build_index(struct dwarf *d);
/* Iterates over the units at an address, with roots read; one of them may occur twice. */
struct dwarf_search {
	struct dwarf *dwarf;
	uint64_t addr;
	const struct dwarf_index *in;
	size_t at;
	unsigned claims; /* number of units so far */
};
struct dwarf_search dwarf_search(struct dwarf *d, uint64_t addr);
/* NULL at the end. */
struct dwarf_unit *dwarf_next_unit(struct dwarf_search *s);

/* ---- dwarf.c ---- */
/* The offset, in the unit's file, of the entry of the function at an address; false: none. */
bool dwarf_function_offset(struct dwarf_unit *u, uint64_t addr, uint64_t *ret);

/* ---- line.c ---- */
/* The names of files before the lines; false: before DWARF 5, where lines may define more of them, and none is kept. */
bool dwarf_read_files(struct dwarf_unit *u);
void dwarf_read_lines(struct dwarf_unit *u, bool with_files);
typedef VEC(struct dwarf_statement) dwarf_statements;
/* Appends all rows that begin a statement, sorted by address. */
void dwarf_read_statements(struct dwarf_unit *u, dwarf_statements *to);
const struct dwarf_row *dwarf_row_find(const struct dwarf_unit *u, uint64_t addr);
/* NULL: no such file. */
const char *dwarf_file_path(struct dwarf_unit *u, uint64_t file);

/* ---- dwarf.c ---- */
/* The lines of the unit, read once, and its files. */
void dwarf_need_lines(struct dwarf_unit *u);
/* The files alone, which takes much less. */
void dwarf_need_files(struct dwarf_unit *u);

/* ---- scope.c ---- */
/* At an offset of the section, ending with the unit. */
struct cursor dwarf_cursor_at(const struct dwarf_unit *u, uint64_t offset);
/* Skips a DIE and, if it has a sibling attribute, everything below it; returns true then. */
bool dwarf_skip_with_children(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrev *a);
/* u: the unit with the functions (the split one, if any). */
void dwarf_read_functions(struct dwarf_unit *u, struct dwarf_functions *to);
/*
 * What is in the function at these addresses, which ascend; NULL: at any. It is stored in the share, which is locked only for that: two
 * threads that look up one function may read it twice.
 */
struct dwarf_addresses {
	const uint64_t *data;
	size_t len;
};
const struct dwarf_scopes *dwarf_read_scopes(struct dwarf_unit *u, struct dwarf_function *fn, const struct dwarf_addresses *only,
					     struct dwarf_share *share);
/* Appends the name of a DIE to `to`, which is empty; false: none. */
bool dwarf_name_of(struct dwarf_file *f, uint64_t die, struct dwarf_name *to);

/* ---- mentions.c ---- */
/* Offsets of a name in the string sections, as used in attributes. */
struct dwarf_mentions {
	bool is_known; /* false: any unit may have the name */
	bool has_bases; /* units may refer to names by index, or in other files */
	struct needles in_units;
	uint8_t places[NEEDLES_MAX][4];
	unsigned places_nr;
	struct cursor offsets;                 /* .debug_str_offsets */
	VEC(uint64_t) references;              /* in .debug_abbrev: possible references to functions of other units */
	VEC(uint64_t) tables;                  /* of the units there; both sorted */
};
/* name: borrowed; NULL: any. The struct must not move. */
void dwarf_mentions_init(struct dwarf_mentions *m, struct dwarf *d, const char *name);
void dwarf_mentions_deinit(struct dwarf_mentions *m);
/* False: the unit has no code of a function of that name. */
bool dwarf_unit_mentions(const struct dwarf_mentions *m, struct dwarf_unit *u);
/* Whether inlined functions, or also functions, may refer to other units (link-time optimisation, dwz). */
bool dwarf_refers_to_others(struct dwarf_unit *u, bool with_functions);

/* ---- split.c ---- */
/* The unit with the functions of a skeleton; the unit itself if it is not one, or the file is missing. */
struct dwarf_unit *dwarf_split_unit(struct dwarf_unit *u);
