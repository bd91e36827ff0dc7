/*
 * Any bytes as a kept table of a source of two sections: what is accepted can be walked, and its expressions run. The first byte: 1 = the
 * source is of 64 bits, 2 = other byte order.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/kept_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum_rule(const struct unwind_table *t, const struct unwind_rule *r)
{
	uint64_t sum = r->kind;
	for (unsigned i = 0; i < r->saves_nr; i++)
		sum += t->saves[r->saves + i].reg;
	if (r->kind == UNWIND_CFA_EXPR && t->exprs[r->value].n)
		sum += t->exprs[r->value].bytes[t->exprs[r->value].n - 1];
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t bytes[2][48];
	const struct object_frames frames[] = {
		{ .bytes = bytes[0], .n = sizeof(bytes[0]) },
		{ .bytes = bytes[1], .n = sizeof(bytes[1]) },
	};
	if (!size)
		return 0;
	struct unwind_source from = { .frames = frames, .frames_nr = 2, .is_64bit = *data & 1, .swap = *data & 2 };
	struct unwind_table *t = kept_table_read(data + 1, size - 1, &from);
	uint64_t sum = 0;
	for (uint64_t at = 0; t && at <= (uint64_t)t->pages_nr << UNWIND_PAGE_BITS; at += 16)
		sum += sum_rule(t, unwind_table_find(t, t->base + at));
	for (uint32_t i = 0; t && i < t->rules_nr; i++)
		sum += sum_rule(t, &t->rules[i]);
	for (uint32_t i = 0; t && i < t->exprs_nr; i++)
		for (uint32_t j = 0; j < t->exprs[i].n; j++)
			sum += t->exprs[i].bytes[j];
	unwind_table_destroy(t);
	return sum == UINT64_MAX;
}
