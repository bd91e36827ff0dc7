#include "values/call_convention.h"

#include <string.h>

#define WORD_BYTES 8

/* The registers and stack used so far. */
struct assignment {
	const struct arch *arch;
	unsigned registers;
	uint64_t stack; /* bytes */
	bool is_lost;   /* a preceding type is unknown */
};

bool call_convention_is_known(const struct arch *arch)
{
	return arch && arch->dwarf_arguments_nr;
}

static struct locations pieces(struct arena *arena, size_t n)
{
	return (struct locations){ arena_new_array(arena, struct location_piece, n), n };
}

static struct locations nowhere(struct arena *arena)
{
	struct locations l = pieces(arena, 1);
	l.pieces[0].at.lack = LOCATION_COMPUTED;
	return l;
}

static struct locations in_memory(struct arena *arena, unsigned reg, int64_t offset)
{
	struct locations l = pieces(arena, 1);
	l.pieces[0].at = (struct location){ .kind = LOCATION_IN_MEMORY, .reg = (uint8_t)reg, .offsets = { offset } };
	return l;
}

/* On x86-64 the return address is below the arguments. */
static struct locations on_stack(struct assignment *a, uint64_t bytes, struct arena *arena)
{
	uint64_t below = a->arch->lr == ARCH_REG_NONE ? WORD_BYTES : 0, at = below + a->stack;
	a->stack += (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
	return in_memory(arena, a->arch->dwarf_sp, (int64_t)at);
}

static struct locations in_registers(struct assignment *a, uint64_t bytes, struct arena *arena)
{
	size_t n = (size_t)((bytes + WORD_BYTES - 1) / WORD_BYTES);
	struct locations l = pieces(arena, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t left = bytes - i * WORD_BYTES;
		l.pieces[i].at = (struct location){ .kind = LOCATION_IN_REGISTER, .reg = a->arch->dwarf_arguments[a->registers++] };
		l.pieces[i].bit_offset = i * WORD_BYTES * 8;
		l.pieces[i].bits = n == 1 ? 0 : (left < WORD_BYTES ? left : WORD_BYTES) * 8;
	}
	return l;
}

static bool is_compound(const struct type *t)
{
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->kind == TYPE_CLASS;
}

/* On arm64, after an argument that does not fit, the remaining registers stay unused; on x86-64 they do not. */
static struct locations locate(struct assignment *a, const struct type *t, struct arena *arena)
{
	bool is_arm = a->arch == &arch_aarch64;
	uint64_t bytes = type_bytes(t);
	size_t needs = (size_t)((bytes + WORD_BYTES - 1) / WORD_BYTES);
	a->is_lost |= !bytes || t->kind == TYPE_FLOAT || t->kind == TYPE_ARRAY;
	if (a->is_lost)
		return nowhere(arena);
	if (bytes > 2 * WORD_BYTES && is_arm) {
		/* A copy, whose address is passed. */
		if (a->registers < a->arch->dwarf_arguments_nr)
			return in_memory(arena, a->arch->dwarf_arguments[a->registers++], 0);
		struct locations copy = on_stack(a, WORD_BYTES, arena);
		copy.pieces[0].at.derefs = 1;
		return copy;
	}
	if (is_arm && needs == 2 && !is_compound(t))
		a->registers += a->registers & 1; /* a 16-byte number begins at an even register */
	if (needs <= 2 && a->registers + needs <= a->arch->dwarf_arguments_nr)
		return in_registers(a, bytes, arena);
	if (is_arm)
		a->registers = a->arch->dwarf_arguments_nr;
	/* 16-byte numbers are aligned on the stack, which does not matter here. */
	if (needs == 2 && !is_compound(t))
		a->is_lost = true;
	return a->is_lost ? nowhere(arena) : on_stack(a, bytes, arena);
}

void call_convention_locate(const struct arch *arch, const struct type *const *types, size_t n, struct arena *arena,
			    struct locations *ret)
{
	struct assignment a = { .arch = arch, .is_lost = !call_convention_is_known(arch) };
	for (size_t i = 0; i < n; i++) {
		const struct type *t = types[i] ? type_strip(types[i]) : NULL;
		a.is_lost |= !t;
		ret[i] = a.is_lost ? nowhere(arena) : locate(&a, t, arena);
	}
}

#define NESTING_MAX 8

static bool has_floats(const struct type *t, unsigned depth)
{
	size_t n = 0;
	t = type_strip(t);
	if (!t || depth > NESTING_MAX)
		return true; /* possibly */
	if (t->kind == TYPE_ARRAY)
		return has_floats(type_target(t), depth + 1);
	const struct type_member *members = is_compound(t) ? type_members(t, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		if (has_floats(members[i].type, depth + 1))
			return true;
	return t->kind == TYPE_FLOAT;
}

static bool is_by_reference(const struct type *t, unsigned depth)
{
	size_t n;
	t = type_strip(t);
	if (!t || !is_compound(t) || depth > NESTING_MAX)
		return false;
	const struct type_member *members = type_members(t, &n);
	bool found = t->is_by_reference;
	for (size_t i = 0; i < n && !found; i++)
		found = is_by_reference(members[i].type, depth + 1) || (members[i].name && !strncmp(members[i].name, "_vptr", 5));
	return found;
}

/* i386 returns all structs in memory, and leaves the address of a result in its register, as x86-64 does; arm64 does not. */
struct location call_convention_returned(const struct arch *arch, const struct type *type, uint8_t reg)
{
	const struct type *t = type_strip(type);
	uint64_t bytes = type_bytes(t);
	bool is_struct = t && is_compound(t);
	bool in_memory = is_struct && (is_by_reference(t, 0) || bytes > 2 * WORD_BYTES || arch == &arch_i386);
	if (!bytes || (in_memory && arch != &arch_x86_64 && arch != &arch_i386) || (!in_memory && has_floats(t, 0)))
		return (struct location){ .lack = LOCATION_COMPUTED };
	return (struct location){ .kind = in_memory ? LOCATION_IN_MEMORY : LOCATION_IN_REGISTER, .reg = reg };
}
