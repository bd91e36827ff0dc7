#include "tracing/func/exits.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* SHT_* of elf.h */
#define SYMBOLS         2
#define SYMBOLS_DYNAMIC 11
#define CODE_MAX (1u << 20) /* maximum size of an analysed function */

static bool has_symbol(const struct object *o, uint32_t table)
{
	static const char *const names[] = { "_Unwind_RaiseException", "_Unwind_Resume", "__cxa_throw", "__gxx_personality_v0" };
	struct object_symtab t;
	if (!object_symtab(o, table, &t))
		return false;
	for (size_t i = 0; i < t.count; i++) {
		struct object_symbol s = object_symbol(&t, i);
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (!strcmp(object_symbol_name(&t, &s), names[k]))
				return true;
	}
	return false;
}

bool func_exits_are_needed(struct object *o)
{
	return object_find_section(o, ".gcc_except_table") && (has_symbol(o, SYMBOLS_DYNAMIC) || has_symbol(o, SYMBOLS));
}

struct walk {
	struct object *object;
	struct disasm *disasm;
	const struct probe_functions *all;
	const struct probe_function *function;
	func_exits *exits;
};

static const struct probe_function *function_at(const struct probe_functions *all, uint64_t address)
{
	size_t low = 0, high = all->list.len;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (all->list.data[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &all->list.data[low - 1] : NULL;
}

/* The separate part of the function ("f.cold") that contains the address, or NULL. */
static const struct probe_function *cold_part(const struct walk *w, uint64_t address)
{
	const struct probe_function *p = function_at(w->all, address);
	size_t n = strlen(w->function->name);
	bool is_part = p && !strncmp(p->name, w->function->name, n) && !strncmp(p->name + n, ".cold", 5);
	return is_part && address < p->address + p->bytes ? p : NULL;
}

static bool is_within(const struct probe_function *part, uint64_t address)
{
	return address >= part->address && address < part->address + part->bytes;
}

static bool add_exit(const struct walk *w, uint64_t address, bool is_jump)
{
	struct func_exit e = { .is_jump = is_jump };
	if (!object_offset_of_vaddr(w->object, address, &e.at))
		return false;
	vec_push(w->exits, e);
	return true;
}

/* Whether a jump within the part goes to the start of an instruction; begins: a bit per byte. */
static bool is_begin(const struct probe_function *part, const uint8_t *begins, uint64_t target)
{
	uint64_t at = target - part->address;
	return begins[at / 8] >> at % 8 & 1;
}

/* Decodes each instruction of a part, and collects exits and further parts; ret_cold: a part in which it continues, or NULL. */
static bool walk_part(const struct walk *w, const struct probe_function *part, const struct probe_function **ret_cold)
{
	size_t n, at = 0;
	const uint8_t *code = object_bytes_at(w->object, part->address, &n);
	_cleanup_free_ uint8_t *begins = xcalloc(part->bytes / 8 + 1, 1);
	VEC(uint64_t) targets = {};
	bool good = code && part->bytes && part->bytes <= n && part->bytes <= CODE_MAX;
	while (good && at < part->bytes) {
		struct insn i;
		if (!disasm_decode(w->disasm, code + at, part->bytes - at, part->address + at, &i))
			break;
		begins[at / 8] |= (uint8_t)(1 << at % 8);
		bool jumps = i.has_target && (i.flow == INSN_JUMP || i.flow == INSN_BRANCH);
		bool leaves = jumps && !is_within(part, i.target) && !is_within(w->function, i.target);
		const struct probe_function *cold = leaves ? cold_part(w, i.target) : NULL;
		*ret_cold = cold ? cold : *ret_cold;
		if (jumps && is_within(part, i.target))
			vec_push(&targets, i.target);
		if (i.flow == INSN_RETURN)
			good = add_exit(w, part->address + at, false);
		else if (leaves && !cold && i.flow == INSN_JUMP)
			good = add_exit(w, part->address + at, true);
		at += i.bytes;
	}
	good = good && at == part->bytes;
	for (size_t i = 0; i < targets.len; i++)
		good = good && is_begin(part, begins, targets.data[i]);
	vec_deinit(&targets);
	return good;
}

bool func_exits_find(struct object *o, struct disasm *d, const struct probe_functions *all, const struct probe_function *f,
		     func_exits *ret)
{
	const struct walk w = { .object = o, .disasm = d, .all = all, .function = f, .exits = ret };
	const struct probe_function *cold = NULL, *none = NULL;
	size_t before = ret->len;
	if (walk_part(&w, f, &cold) && (!cold || walk_part(&w, cold, &none)))
		return ret->len > before;
	ret->len = before;
	return false;
}
