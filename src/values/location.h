/*
 * Where the value of a variable is at one address of the code, compiled so that a kernel or a small program can fetch it.
 *
 * A location is a walk: it begins with a register's content, a static address or a constant, adds offsets[0], reads a pointer
 * there, adds offsets[1], and so on, `derefs` times. What results is where the value lies (LOCATION_IN_MEMORY), or the value.
 * A variable in several places (pieces) has one location for each. Registers are DWARF numbers of the architecture.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum location_kind {
	LOCATION_NONE,        /* see enum location_lack */
	LOCATION_IN_REGISTER, /* the register's content */
	LOCATION_IN_MEMORY,
	LOCATION_IS_VALUE,    /* what the walk results in */
	LOCATION_IS_BYTES,    /* a constant of any size */
};

enum location_base { LOCATION_OF_REGISTER, LOCATION_OF_ADDRESS, LOCATION_OF_CONSTANT };

/* Why there is no location. */
enum location_lack {
	LOCATION_HAS,
	LOCATION_NOT_ALIVE,      /* optimised out, or not at this address */
	LOCATION_AT_ENTRY,       /* only the value that a register had at the entry of the function is known */
	LOCATION_COMPUTED,       /* by more than a walk can do */
	LOCATION_OF_NO_OBJECT,   /* a pointer to what was optimised out */
	LOCATION_THREAD_LOCAL,
	LOCATION_DAMAGED,
};

#define LOCATION_DEREFS_MAX 8

struct location {
	uint8_t kind, base, lack;
	uint8_t derefs;
	uint8_t reg;
	uint8_t low_bytes; /* so many bytes of the value are right, the others are not known; 0: all */
	uint32_t bytes_nr; /* of LOCATION_IS_BYTES */
	uint64_t start;    /* the static address (ELF virtual address) or the constant */
	int64_t offsets[LOCATION_DEREFS_MAX + 1];
	const uint8_t *bytes;
};

struct location_piece {
	uint64_t bit_offset, bits; /* of the variable */
	struct location at;
};

struct locations {
	struct location_piece *pieces; /* by offset; one with all bits (bits 0) where the variable is not in pieces */
	size_t nr;
};

/* Where the value that lies `bits` from bit_offset on of the variable is; .lack says why not. */
struct location location_part(const struct locations *l, uint64_t bit_offset, uint64_t bits);
/* Where what the pointer leads to lies. */
struct location location_target(const struct location *pointer, unsigned pointer_bytes);
