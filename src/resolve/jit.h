/*
 * Code of run-time compilers, mapped where and when their jitdumps say: what `inject -j` does to a file, done to the machine.
 *
 * The record that maps a jitdump says that there is one. Its code becomes maps of the dump's file, at offsets that distinguish one
 * function from another that is at the same address later. Times are the compiler's: they are taken as they are where the
 * recording has CLOCK_MONOTONIC (record -k mono), converted where they are cycles and the recording says how, and else
 * moved by what lies between the opening of the dump in the one clock and in the other.
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
	bool in_order; /* maps are applied when their time has come; else all at jit_finish() */
	VEC(struct jit_dump { const struct mapped_file *file; uint32_t pid; uint64_t time_ns; bool loaded; }) dumps;
	VEC(struct jit_map) maps; /* still to be applied; in order of time where in_order */
	size_t next;
	uint64_t next_ns; /* when the next is due; UINT64_MAX: none */
};

void jit_init(struct jit *j, const struct env *env, struct machine *machine, struct symbols *symbols);
void jit_deinit(struct jit *j);
/* Forgets what was seen: the source is read anew. */
void jit_start(struct jit *j, bool in_order);
/* A MMAP or MMAP2 record, which may be one of a jitdump. */
void jit_mmap(struct jit *j, struct record r, uint64_t time_ns);
/* Applies what was due up to a time. */
void jit_advance(struct jit *j, uint64_t time_ns);
/* Applies all that is left: before machine_seal(), where records came in any order. */
void jit_finish(struct jit *j);
