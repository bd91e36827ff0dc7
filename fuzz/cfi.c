/*
 * Any bytes as .eh_frame or .debug_frame: compiled, every row requested, every expression run.
 * The first byte chooses: 1 = 64 bit, 2 = other byte order, 4 = .debug_frame. The rest is the section, at address 0x8000;
 * code is at 0x1000 to 0x10001000. The same bytes are analysed as code that has no such section.
 */
#include <stdlib.h>
#include <string.h>

#include "values/expression.h"
#include "unwind/bare_code.h"
#include "unwind/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_memory(void *ctx, uint64_t at, unsigned bytes, uint64_t *ret)
{
	*ret = at ^ bytes ^ *(uint64_t *)ctx;
	return at & 1;
}

static const struct unwind_rule *rule_of(const struct unwind_table *t, uint32_t row)
{
	return &t->rules[t->rows[row] & (UNWIND_RULES_MAX - 1)];
}

static void ask_rows(const struct unwind_table *t)
{
	for (uint32_t i = 1, page = 0; i < t->rows_nr; i++) {
		while (t->pages[page + 1] <= i)
			page++;
		uint32_t offset = page << UNWIND_PAGE_BITS | t->rows[i] >> UNWIND_RULE_BITS;
		const struct unwind_rule *r = unwind_table_find(t, t->base + offset);
		bool is_first = t->pages[page] == i;
		if (r != rule_of(t, i) || (!is_first && t->rows[i - 1] >> UNWIND_RULE_BITS >= t->rows[i] >> UNWIND_RULE_BITS))
			abort();
		if (r->saves_nr && (r->saves > t->saves_nr || r->saves_nr > t->saves_nr - r->saves))
			abort();
		if (r->kind == UNWIND_CFA_EXPR && (uint32_t)r->value >= t->exprs_nr)
			abort();
	}
	if (rule_of(t, t->rows_nr - 1)->kind != UNWIND_CFA_NONE)
		abort();
}

static void run_exprs(const struct unwind_table *t)
{
	uint64_t regs[UNWIND_REGS], sum = 1, cfa = 0x7000;
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		regs[i] = 0x1001 * i;
	struct expression_context x = {
		.regs = regs, .known = 0xffffffff, .address_bytes = t->is_64bit ? 8 : 4, .swap = t->swap,
		.read = read_memory, .ctx = &sum,
	};
	for (uint32_t i = 0; i < t->exprs_nr; i++)
		expression_run(&x, t->exprs[i].bytes, t->exprs[i].n, i & 1 ? &cfa : NULL, &sum);
}

static void analyse(const uint8_t *code, size_t n, bool is_32bit)
{
	struct bare_code b = { .is_32bit = is_32bit };
	bare_code_analyse(&b, code, n, 0x1000);
	for (size_t i = 1; i < b.rows.len; i++)
		if (b.rows.data[i - 1].vaddr >= b.rows.data[i].vaddr)
			abort();
	if (b.rows.len && vec_last(&b.rows).cfa != BARE_UNKNOWN)
		abort();
	for (size_t i = 0; i < b.functions.len; i++)
		if (b.functions.data[i].end <= b.functions.data[i].start || b.functions.data[i].end > 0x1000 + n)
			abort();
	bare_code_deinit(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	struct object_frames f = { .bytes = data + 1, .n = size - 1, .vaddr = 0x8000, .is_debug_frame = *data & 4 };
	struct unwind_source from = {
		.frames = &f, .frames_nr = 1, .is_64bit = *data & 1, .swap = *data & 2, .from = 0x1000, .to = 0x10001000,
	};
	struct unwind_table *t = unwind_table_build(&from);
	if (t) {
		ask_rows(t);
		run_exprs(t);
	}
	unwind_table_destroy(t);
	analyse(data + 1, size - 1, *data & 4);
	return 0;
}
