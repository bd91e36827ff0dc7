/*
 * The layout of a type of data, with the cost of each member: what accesses of them cost.
 *
 * Rows are in the order of the declaration: the type itself, then its members, each after the one that contains it. Members of structs
 * in an array are listed once, with the costs of all elements. A layout owns what it points to, but for the names of events; it is
 * immutable once made. Read by text and JSON.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"
#include "table/listing.h"

struct layout_row {
	unsigned depth;         /* 0: the type itself */
	uint64_t offset, bytes; /* from the start of the type */
	const char *type;       /* "struct node*" */
	const char *name;       /* of the member, or "" */
	unsigned bits;          /* of a bit field; 0: not a bit field */
	bool has_members;       /* they follow */
	/* It is of each element of the array around it: offset is that in the first, costs are of all. stride 0: there is none. */
	uint64_t array_start, array_bytes, stride;
};

struct layout {
	struct arena arena;
	const char *type, *object; /* path of the file whose code accesses it */
	VEC(struct listing_event) events; /* name, and samples and value of the type */
	VEC(struct layout_row) rows;
	VEC(struct listing_value) values; /* of row i by event e: values[i * events.len + e] */
};

void layout_destroy(struct layout *l);

static inline const struct listing_value *layout_value(const struct layout *l, size_t row, size_t event)
{
	return &l->values.data[row * l->events.len + event];
}

/* Instructions whose data has a known type, and others. */
struct layout_count {
	const char *name; /* of a reason, or a mnemonic */
	uint64_t known, unknown;
};

/* Of all instructions that are counted; names live as long as their makers say. */
struct layout_stats {
	VEC(struct layout_count) reasons, mnemonics; /* by number, highest first; reasons have unknown ones only */
	struct layout_count all;
};
