/*
 * Finds the blocks that are reachable from given memory: a conservative mark over bytes that a callback reads.
 *
 * Each aligned word that is an address within a block (its first byte, or any other) reaches it; reached blocks are searched
 * themselves. Blocks that are roots are reached from the start. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct mark_block {
	uint64_t address, size;
	uint32_t entry;
	bool is_reached, is_root, is_old; /* root: always reached; old: not reported if unreachable */
};

struct mark {
	VEC(struct mark_block) blocks;
	VEC(uint32_t) pending; /* reached but not searched yet */
	/* Returns the number of bytes that could be read from address on. */
	size_t (*read)(void *ctx, uint64_t address, void *ret, size_t bytes);
	void *ctx;
	unsigned step;        /* distance of words that may be addresses, in bytes; 0: 8 */
	uint64_t offset_most; /* maximum offset of an address that reaches a block; 0: any */
	bool skips_ends;      /* the marked range is data of a C library whose malloc shares a block's last bytes with the next chunk */
	uint8_t *buffer;
};

void mark_deinit(struct mark *m);
/* After the last block: sorts them, and marks the roots as reached. */
void mark_begin(struct mark *m);
/* Marks from a word, such as a register. */
void mark_word(struct mark *m, uint64_t word);
/* Marks from memory that is a root. */
void mark_range(struct mark *m, uint64_t start, uint64_t end);
/* Follows reached blocks until there are no new ones. */
void mark_finish(struct mark *m);
/* Whether any block begins in the range. */
bool mark_has_blocks(const struct mark *m, uint64_t start, uint64_t end);
