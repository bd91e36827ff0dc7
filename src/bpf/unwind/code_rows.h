/*
 * Compiled call frame information (unwind/table.h) in the format of the BPF program (bpf/unwind/unwind_shared.h).
 *
 * x86-64 and arm64. Rules are interned, so that all tables together have few; rule 0 is UNWIND_RULE_NONE. Does not call the kernel;
 * memory for rules and words is the caller's, for unit tests. One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idset.h"
#include "bpf/unwind/unwind_shared.h"
#include "unwind/table.h"

struct code_rules {
	const struct arch *arch;
	struct unwind_code_rule *list; /* UNWIND_RULES of them */
	uint32_t nr;
	struct idset index;
};

void code_rules_init(struct code_rules *r, const struct arch *arch, struct unwind_code_rule *list);
void code_rules_deinit(struct code_rules *r);

/* A rule of the table in the form that the BPF program applies. */
struct unwind_code_rule code_rule_of(const struct arch *a, const struct unwind_table *t, const struct unwind_rule *r);

/* The size of a table in words: the numbers of its rules, its index of pages, its rows. */
static inline size_t code_words_of(const struct unwind_table *t)
{
	return (size_t)t->rules_nr + t->pages_nr + 1 + t->rows_nr;
}

/* Writes the table to `to`. False if the rules are full: the table must not be used then. */
bool code_rows_write(struct code_rules *rules, const struct unwind_table *t, uint32_t *to);
