/*
 * What the kernel's symbols say about locks: which code only takes them, so that its caller is looked for, and what locks are called.
 *
 * Symbols belong to the DSO, which outlives this. A zeroed struct knows nothing. One thread.
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
/* That of a recording, or NULL. */
struct dso *lock_symbols_kernel(struct resolver *r);
/* Whether the address is in the scheduler's or the locks' own code, or in the tracepoint's. */
bool lock_symbols_is_lock(const struct lock_symbols *s, uint64_t ip);
/* Of the kernel's code or data; NULL: of neither, as locks are that were allocated. */
const struct symbol *lock_symbols_at(const struct lock_symbols *s, uint64_t address);
/* False where the kernel has no such symbol. */
bool lock_symbols_address(const struct lock_symbols *s, const char *name, uint64_t *ret);
