/*
 * Maps code of JIT compilers according to their jitdumps: as `inject -j`, but in the machine instead of a file.
 *
 * A jitdump is found by the record of its mapping. Its functions become maps of the dump's file, at offsets that distinguish
 * functions at the same address at different times. Times are the compiler's: they are used as they are if the recording has
 * CLOCK_MONOTONIC (record -k mono), converted if they are cycles and the recording has the factors, and otherwise shifted by the
 * difference of the two clocks when the dump was opened.
 * One thread, while records are applied.
 */
#pragma once
#include "base/vector.h"
#include "machine/machine.h"
#include "record/env.h"
#include "symbol/symbol.h"

struct jit_map {
	uint64_t time_ns, address, bytes, offset;
	uint32_t pid, tid;
	const char *path;
};

struct jit {
	const struct env *env;
	struct machine *machine;
	struct symbols *symbols;
	bool in_order; /* apply maps at their time; else all at jit_finish() */
	VEC(struct jit_dump { const struct mapped_file *file; uint32_t pid; uint64_t time_ns; bool loaded; }) dumps;
	VEC(struct jit_map) maps; /* pending; sorted by time if in_order */
	size_t next;
	uint64_t next_ns; /* time of the next one; UINT64_MAX: none */
};

void jit_init(struct jit *j, const struct env *env, struct machine *machine, struct symbols *symbols);
void jit_deinit(struct jit *j);
/* Resets the state, before the source is read again. */
void jit_start(struct jit *j, bool in_order);
/* Handles a MMAP or MMAP2 record, which may map a jitdump. */
void jit_mmap(struct jit *j, struct record r, uint64_t time_ns);
/* Applies pending maps up to a time. */
void jit_advance(struct jit *j, uint64_t time_ns);
/* Applies all remaining maps, before machine_seal(), if records came in any order. */
void jit_finish(struct jit *j);
