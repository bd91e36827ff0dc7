/*
 * The location of a variable's value at one code address, compiled so that the kernel or a small program can fetch it.
 *
 * A location is a walk: it begins with a register's content, a static address or a constant, adds offsets[0], reads a pointer there,
 * adds offsets[1], and so on, `derefs` times. The result is the address of the value (LOCATION_IN_MEMORY), or the value. A variable
 * in several pieces has one location for each. Registers are DWARF numbers of the architecture.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum location_kind {
	LOCATION_NONE,        /* see enum location_lack */
	LOCATION_IN_REGISTER, /* the register's content */
	LOCATION_IN_MEMORY,
	LOCATION_IS_VALUE,    /* the result of the walk */
	LOCATION_IS_BYTES,    /* a constant of any size */
};

enum location_base { LOCATION_OF_REGISTER, LOCATION_OF_ADDRESS, LOCATION_OF_CONSTANT };

/* Reasons for a missing location. */
enum location_lack {
	LOCATION_HAS,
	LOCATION_NOT_ALIVE,      /* optimized out, or not at this address */
	LOCATION_AT_ENTRY,       /* only the value that a register had at the entry of the function is known */
	LOCATION_COMPUTED,       /* by operations that a walk lacks */
	LOCATION_OF_NO_OBJECT,   /* a pointer to an object that was optimized out */
	LOCATION_THREAD_LOCAL,
	LOCATION_DAMAGED,
};

#define LOCATION_DEREFS_MAX 8

struct location {
	uint8_t kind, base, lack;
	uint8_t derefs;
	uint8_t reg;
	uint8_t low_bytes; /* only that many low bytes of the value are known; 0: all */
	uint32_t bytes_nr; /* for LOCATION_IS_BYTES */
	uint64_t start;    /* the static address (ELF virtual address) or the constant */
	int64_t offsets[LOCATION_DEREFS_MAX + 1];
	const uint8_t *bytes;
};

struct location_piece {
	uint64_t bit_offset, bits; /* of the variable */
	struct location at;
};

struct locations {
	struct location_piece *pieces; /* by offset; a single one with all bits (bits 0) if the variable is not in pieces */
	size_t nr;
};

/* The location of `bits` bits of the variable from bit_offset on; .lack is the reason if there is none. */
struct location location_part(const struct locations *l, uint64_t bit_offset, uint64_t bits);
/* The location of the pointer's target. */
struct location location_target(const struct location *pointer, unsigned pointer_bytes);
