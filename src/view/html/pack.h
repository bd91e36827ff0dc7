/*
 * Encodes columns of numbers compactly, in a form that a browser converts to typed arrays without a loop over single numbers.
 *
 * The bytes are: "STRB", the length of the header (u32, little-endian), the header (one JSON object), and the columns one
 * after the other in the order of its "columns". A column of n numbers is stored by planes: the lowest byte of each number,
 * then the second lowest of each, and so on, up to the highest byte in use. Planes of similar bytes compress well, and small
 * numbers take little space even without compression.
 *
 * The caller adds facts to pack.head (a JSON object that is open) and columns in any order, and ends with pack_finish().
 * One thread at a time.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "base/vector.h"

enum pack_coding {
	PACK_PLAIN,
	PACK_SIGNED, /* two's complement, stored as 0, -1, 1, -2 … */
	PACK_DELTA,  /* differences from one to the next, stored as the signed ones are */
	PACK_TEXT,   /* n bytes of text */
};

struct pack_column {
	const char *name; /* borrowed */
	size_t nr;
	unsigned planes;
	enum pack_coding coding;
};

struct pack {
	struct json head;
	struct out head_bytes, body;
	VEC(struct pack_column) columns;
};

void pack_init(struct pack *k);
void pack_deinit(struct pack *k);
void pack_numbers(struct pack *k, const char *name, const uint64_t *values, size_t n, enum pack_coding coding);
void pack_text(struct pack *k, const char *name, const char *text, size_t bytes);
/* Writes everything; nothing can be added afterwards. */
void pack_finish(struct pack *k, struct out *out);
