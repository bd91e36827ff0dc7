#include "bpf/unwind/code_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Offsets in x86-64's struct ucontext, from the stack pointer of a signal frame on. */
enum { SIGNAL_RSP_AT = 160, SIGNAL_RA_AT = 168 };

_Static_assert(UNWIND_CODE_BITS == UNWIND_PAGE_BITS && UNWIND_NUMBER_BITS == UNWIND_RULE_BITS, "tables are copied as they are");

void code_rules_init(struct code_rules *r, const struct arch *arch, struct unwind_code_rule *list)
{
	*r = (struct code_rules){ .arch = arch, .list = list };
	list[0] = (struct unwind_code_rule){ .kind = UNWIND_RULE_NONE };
	r->nr = 1;
}

void code_rules_deinit(struct code_rules *r)
{
	idset_deinit(&r->index);
}

static int kept_of(const struct arch *a, unsigned reg)
{
	if (reg == a->dwarf_ra)
		return UNWIND_KEPT_RA;
	for (int i = 0; i < a->dwarf_kept_nr && i < UNWIND_KEPT_RA; i++)
		if (a->dwarf_kept[i] == reg)
			return i;
	return -1;
}

static const struct unwind_code_rule by_user = { .kind = UNWIND_RULE_USER };

/*
 * The vDSO of arm64 marks its trampoline, whose rule uses the frame pointer and so skips the interrupted function
 * (arch/arm64/kernel/vdso/sigreturn.S); on x86-64 C libraries have their own trampoline, with CFI for the registers.
 */
static struct unwind_code_rule signal_rule(const struct arch *a, const struct unwind_table *t, const struct unwind_rule *r)
{
	const struct unwind_code_rule signal = { .kind = UNWIND_RULE_SIGNAL };
	if (a == &arch_aarch64)
		return signal;
	if (r->kind != UNWIND_CFA_DEREF || r->reg != a->dwarf_sp || r->value != SIGNAL_RSP_AT)
		return by_user;
	for (unsigned i = 0; i < r->saves_nr; i++) {
		const struct unwind_save *s = &t->saves[r->saves + i];
		if (s->reg == r->ra && s->kind == UNWIND_SAVE_AT && s->base == a->dwarf_sp && s->value == SIGNAL_RA_AT)
			return signal;
	}
	return by_user;
}

/* False if the program cannot apply it. Call-clobbered registers are ignored. */
static bool add_save(const struct arch *a, struct unwind_code_rule *to, const struct unwind_rule *r,
		     const struct unwind_save *s)
{
	int kept = kept_of(a, s->reg);
	if (s->reg == a->dwarf_sp)
		return s->kind == UNWIND_SAVE_CFA && !s->value;
	if (kept < 0)
		return true;
	if (s->kind == UNWIND_SAVE_UNDEFINED)
		return kept != UNWIND_KEPT_RA;
	bool based = s->kind == UNWIND_SAVE_AT;
	if (!based && s->kind != UNWIND_SAVE_OFFSET)
		return false;
	if (based && (kept == UNWIND_KEPT_RA || r->kind == UNWIND_CFA_PLT || s->base != r->reg))
		return false;
	to->kept |= (uint16_t)(1u << kept);
	to->based |= (uint16_t)(based << kept);
	to->at[kept] = s->value;
	return true;
}

struct unwind_code_rule code_rule_of(const struct arch *a, const struct unwind_table *t, const struct unwind_rule *r)
{
	static const uint8_t kinds[] = {
		[UNWIND_CFA_NONE] = UNWIND_RULE_NONE, [UNWIND_CFA_REG] = UNWIND_RULE_REG,
		[UNWIND_CFA_DEREF] = UNWIND_RULE_DEREF, [UNWIND_CFA_PLT] = UNWIND_RULE_PLT,
		[UNWIND_CFA_GO] = UNWIND_RULE_GO, [UNWIND_CFA_GO_SYSTEM] = UNWIND_RULE_GO_SYSTEM,
		[UNWIND_CFA_EXPR] = UNWIND_RULE_USER,
	};
	if (r->kind == UNWIND_CFA_NONE)
		return (struct unwind_code_rule){ .kind = UNWIND_RULE_NONE };
	if (r->flags & UNWIND_END)
		return (struct unwind_code_rule){ .kind = UNWIND_RULE_END };
	if (r->flags & UNWIND_SIGNAL)
		return signal_rule(a, t, r);
	bool is_known = r->reg < a->dwarf_regs_nr && r->reg < UNWIND_WALK_REGS && a->dwarf_regs[r->reg] != ARCH_DWARF_NONE;
	if (r->kind == UNWIND_CFA_EXPR || !is_known || r->ra != a->dwarf_ra)
		return by_user;
	struct unwind_code_rule to = { .kind = kinds[r->kind], .reg = r->reg, .value = r->value,
				       .is_analysed = (r->flags & UNWIND_ANALYSED) != 0, .addend = r->addend };
	for (unsigned i = 0; i < r->saves_nr; i++)
		if (!add_save(a, &to, r, &t->saves[r->saves + i]))
			return by_user;
	return to.kept >> UNWIND_KEPT_RA & 1 || a->lr != ARCH_REG_NONE ? to : by_user;
}

static bool rule_eq(const void *table, uint32_t id, const void *key)
{
	return !memcmp(&((const struct unwind_code_rule *)table)[id], key, sizeof(struct unwind_code_rule));
}

/* UINT32_MAX: no room. */
static uint32_t intern(struct code_rules *rules, const struct unwind_code_rule *r)
{
	uint64_t hash = hash_bytes(r, sizeof(*r));
	uint32_t id = idset_find(&rules->index, hash, rule_eq, rules->list, r);
	if (id != IDSET_NONE)
		return id;
	if (rules->nr == UNWIND_RULES)
		return UINT32_MAX;
	id = rules->nr++;
	rules->list[id] = *r;
	idset_insert(&rules->index, hash, id);
	return id;
}

bool code_rows_write(struct code_rules *rules, const struct unwind_table *t, uint32_t *to)
{
	for (uint32_t i = 0; i < t->rules_nr; i++) {
		struct unwind_code_rule r = code_rule_of(rules->arch, t, &t->rules[i]);
		uint32_t number = r.kind == UNWIND_RULE_NONE ? 0 : intern(rules, &r);
		if (number == UINT32_MAX)
			return false;
		to[t->rules_nr - 1 - i] = number;
	}
	to += t->rules_nr;
	memcpy(to, t->pages, ((size_t)t->pages_nr + 1) * sizeof(*to));
	to += t->pages_nr + 1;
	memcpy(to, t->rows, t->rows_nr * sizeof(*to));
	return true;
}
