/*
 * Lock functions and lock names from the kernel's symbols: code that only takes locks, whose caller is of interest, and names of locks.
 *
 * Symbols belong to the DSO, which must outlive this. A zeroed struct is empty. One thread.
 */
#pragma once
#include "base/error.h"
#include "machine/machine.h"
#include "resolve/resolve.h"
#include "symbol/symbol.h"

#define LOCK_RANGES 4

struct lock_symbols {
	struct dso *kernel; /* or NULL */
	struct {
		uint64_t start, end;
	} ranges[LOCK_RANGES];
};

/* kernel may be NULL. */
void lock_symbols_load(struct lock_symbols *s, struct dso *kernel);
/* The kernel of a recording, or NULL. */
struct dso *lock_symbols_kernel(struct resolver *r);
/* Whether the address is in code of the scheduler, of locks or of the tracepoint. */
bool lock_symbols_is_lock(const struct lock_symbols *s, uint64_t ip);
/* A symbol of the kernel's code or data; NULL: none, as for allocated locks. */
const struct symbol *lock_symbols_at(const struct lock_symbols *s, uint64_t address);
/* False: unknown symbol. */
bool lock_symbols_address(const struct lock_symbols *s, const char *name, uint64_t *ret);
