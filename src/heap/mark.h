/*
 * Which blocks can be reached from given memory: a conservative mark over bytes that a callback reads.
 *
 * Each aligned word that is an address within a block (its first byte, or any other) reaches it; what is reached is searched itself.
 * Blocks that are roots are reached from the beginning.
 * One thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct mark_block {
	uint64_t address, size;
	uint32_t entry;
	bool is_reached, is_root, is_old; /* root: reached in any case; old: of no interest where it is not reached */
};

struct mark {
	VEC(struct mark_block) blocks;
	VEC(uint32_t) pending; /* reached and not searched yet */
	/* How many bytes from address on could be read. */
	size_t (*read)(void *ctx, uint64_t address, void *ret, size_t bytes);
	void *ctx;
	unsigned step;        /* bytes between places where addresses may lie; 0: 8 */
	uint64_t offset_most; /* of an address within a block that reaches it; 0: any */
	bool skips_ends;      /* what is marked now is data of a C library whose malloc shares a block's last bytes with what follows it */
	uint8_t *buffer;
};

void mark_deinit(struct mark *m);
/* After the last block: they are put in order, and those that are roots reached. */
void mark_begin(struct mark *m);
/* A word, as of a register. */
void mark_word(struct mark *m, uint64_t word);
/* Memory that is a root. */
void mark_range(struct mark *m, uint64_t start, uint64_t end);
/* Follows what was reached until nothing is new. */
void mark_finish(struct mark *m);
/* Whether any block begins in there. */
bool mark_has_blocks(const struct mark *m, uint64_t start, uint64_t end);
