/*
 * Selects the samples to print: those whose own address is in the given functions and objects (script -S and --dsos).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "resolve/resolve.h"

/* Lists are borrowed; empty ones select everything. */
struct dump_choice {
	const char *const *symbols; /* names, or addresses (0x…) of functions or samples */
	uint32_t symbols_nr;
	uint64_t addr_range;        /* size of the range from such an address on */
	const char *const *dsos;    /* by path or by name */
	uint32_t dsos_nr;
};

/* Comma-separated lists of options; NULL: all. They live in the arena. */
struct strobe_error *dump_choice_parse(struct arena *arena, const char *symbols, const char *dsos, uint64_t addr_range,
				       struct dump_choice *ret) _must_check_;
/* Whether all samples are printed; if not, the leaf of each is needed. */
static inline bool dump_choice_is_empty(const struct dump_choice *c)
{
	return !c->symbols_nr && !c->dsos_nr;
}
bool dump_choice_matches(const struct dump_choice *c, const struct resolved_sample *s);
/* Whether a sample is printed. */
static inline bool dump_choice_has(const struct dump_choice *c, const struct resolved_sample *s)
{
	return dump_choice_is_empty(c) || dump_choice_matches(c, s);
}
