/*
 * A debugging information entry (DIE) of a unit: its tag, attributes, children and references.
 *
 * A value that may be copied; valid as long as its struct dwarf. Attributes are searched in the bytes each time: for the few entries
 * around an address; for walks over all entries see scope.c. Any thread. Source: DWARF 5 sections 2
 * and 7.5.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "object/dwarf/dwarf.h"
#include "object/dwarf/const.h"

struct dwarf_unit;
struct dwarf_file;
struct dwarf_abbrev;

enum dwarf_class {
	DWARF_NONE, DWARF_ADDRESS, DWARF_ADDRESS_INDEX, DWARF_CONSTANT, DWARF_OFFSET, DWARF_LIST_INDEX, DWARF_REFERENCE,
	DWARF_REFERENCE_SUPPLEMENT, DWARF_STRING, DWARF_STRING_INDEX, DWARF_STRING_OFFSET, DWARF_LINE_STRING_OFFSET,
	DWARF_STRING_OFFSET_SUPPLEMENT, DWARF_BLOCK, DWARF_REFERENCE_SIGNATURE, DWARF_OTHER,
};

struct dwarf_value {
	enum dwarf_class class;
	uint64_t u;         /* references: offset in the section of the file */
	const char *string; /* of DWARF_STRING: NUL-terminated in its section */
	const uint8_t *block; /* of DWARF_BLOCK: u bytes */
};

struct dwarf_range {
	uint64_t start, end; /* end excluded */
};

typedef VEC(struct dwarf_range) dwarf_ranges;

struct dwarf_die {
	struct dwarf_unit *unit;
	const struct dwarf_abbrev *abbrev;
	uint64_t offset; /* in the unit's file */
	uint64_t attrs;  /* where its attributes are */
	uint16_t tag;
	uint8_t address_bytes, offset_bytes; /* of the unit */
	bool swap;
};

/* The entry of the function with code at addr, not of a function inlined into it; false: none. */
bool dwarf_die_of_function(struct dwarf *d, uint64_t addr, struct dwarf_die *ret);
/* The root of the unit; the entry at an offset from the start of the unit. False: none. */
bool dwarf_die_root(const struct dwarf_die *d, struct dwarf_die *ret);
bool dwarf_die_in_unit(const struct dwarf_die *d, uint64_t offset, struct dwarf_die *ret);
/* Identifies the file of the offset, to compare it with another entry's. */
const struct dwarf_file *dwarf_die_file(const struct dwarf_die *d);
/* The first child, or the next entry of the same parent; ret may be d. False at the end. */
bool dwarf_die_child(const struct dwarf_die *d, struct dwarf_die *ret);
bool dwarf_die_sibling(const struct dwarf_die *d, struct dwarf_die *ret);

bool dwarf_die_has(const struct dwarf_die *d, uint16_t name);
/* The class is none if the attribute is absent. */
struct dwarf_value dwarf_die_value(const struct dwarf_die *d, uint16_t name);
/* The same, also searching DW_AT_abstract_origin and DW_AT_specification. */
struct dwarf_value dwarf_die_inherited(const struct dwarf_die *d, uint16_t name, struct dwarf_die *ret_from);
/* A constant; false: not a constant. */
bool dwarf_die_number(const struct dwarf_die *d, uint16_t name, uint64_t *ret);
bool dwarf_die_flag(const struct dwarf_die *d, uint16_t name);
/* A value of d as an entry, an address, a string; false or NULL if it is of another class. */
bool dwarf_die_follow(const struct dwarf_die *d, const struct dwarf_value *v, struct dwarf_die *ret);
bool dwarf_die_address(const struct dwarf_die *d, const struct dwarf_value *v, uint64_t *ret);
const char *dwarf_die_text(const struct dwarf_die *d, const struct dwarf_value *v);
/* The name in the source, for an instance that of its origin; NULL: none. */
const char *dwarf_die_name(const struct dwarf_die *d);
/* Appends its address ranges; false: none. */
bool dwarf_die_ranges(const struct dwarf_die *d, dwarf_ranges *to);
bool dwarf_die_has_address(const struct dwarf_die *d, uint64_t addr);

/*
 * Location lists: calls fn with each stretch of addresses and its expression, until it returns false. False: v is not a list.
 * Source: DWARF 5 sections 2.6.2 and 7.29, DWARF 4 section 2.6.2, GNU's split DWARF.
 */
bool dwarf_each_location(const struct dwarf_die *d, const struct dwarf_value *v,
			 bool (*fn)(void *ctx, const struct dwarf_range *range, const uint8_t *expression, size_t bytes), void *ctx);
/* The expression of v (a location, or a frame base) at an address; false: none. */
bool dwarf_expression_at(const struct dwarf_die *d, const struct dwarf_value *v, uint64_t addr, const uint8_t **ret, size_t *ret_bytes);
