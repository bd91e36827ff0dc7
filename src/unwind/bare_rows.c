#include "unwind/bare_rows.h"

static uint32_t rule_of(struct cfi_builder *b, uint8_t kind, bool is_32bit, const struct bare_row *row)
{
	/* DWARF numbers of registers by those of instructions, and of the return address; 32-bit x86 has the same of both. */
	static const uint8_t numbers_64bit[BARE_REGS + 1] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const uint8_t numbers_32bit[BARE_REGS + 1] = { 0, 1, 2, 3, 4, 5, 6, 7, [BARE_REGS] = 8 };
	const uint8_t *numbers = is_32bit ? numbers_32bit : numbers_64bit;
	struct cfi_state st = { .cfa_kind = kind, .cfa_reg = numbers[row->reg], .cfa_value = row->value, .cfa_addend = row->addend };
	for (uint32_t left = row->saved | 1u << BARE_REGS; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		int32_t at = i < BARE_REGS ? row->saved_at[i] : is_32bit ? -4 : -8;
		st.regs[numbers[i]] = (struct unwind_save){ .reg = numbers[i], .kind = UNWIND_SAVE_OFFSET, .value = at };
		st.known |= 1ull << numbers[i];
	}
	return cfi_intern(b, &st, numbers[BARE_REGS], UNWIND_ANALYSED);
}

void bare_rows_add(struct cfi_builder *b, const struct bare_code *bare, size_t *at, uint64_t before, uint32_t unknown)
{
	static const uint8_t kinds[] = { [BARE_REG] = UNWIND_CFA_REG, [BARE_DEREF] = UNWIND_CFA_DEREF, [BARE_STUB] = UNWIND_CFA_PLT };
	for (; *at < bare->rows.len && bare->rows.data[*at].vaddr <= before; ++*at) {
		const struct bare_row *row = &bare->rows.data[*at];
		if (row->vaddr - b->base > UINT32_MAX)
			return;
		if (row->vaddr == before)
			continue;
		uint32_t rule = row->cfa == BARE_UNKNOWN ? unknown : rule_of(b, kinds[row->cfa], bare->is_32bit, row);
		cfi_add_row(b, row->vaddr, rule);
	}
}
