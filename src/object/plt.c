#include <elf.h>
#include <stdlib.h>

#include "object/object_priv.h"

/*
 * A PLT stub jumps through a slot of the global offset table; the relocation of that slot has the symbol.
 * Assuming the order of .rela.plt, as older tools do, is wrong for .plt.got and for linkers that sort.
 */
struct got_slot {
	uint64_t vaddr;
	uint32_t symbol;
	uint64_t resolver;
};

struct plt {
	const struct object *o;
	bool with_relative; /* also slots with an address in the object itself */
	VEC(struct got_slot) slots; /* by vaddr */
	void (*fn)(void *ctx, const struct object_plt_entry *e);
	void *ctx;
};

struct plt_relocations { /* relocation types of GOT slots, by machine */
	uint16_t machine;
	uint32_t glob_dat, jump_slot, irelative, relative;
	uint8_t header_bytes, entry_bytes; /* where stubs are counted off */
};

#define R_RISCV_NONE_GLOB_DAT UINT32_MAX /* the psABI has none: R_RISCV_64 serves */

static const struct plt_relocations plt_machines[] = {
	{ EM_X86_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_IRELATIVE, R_X86_64_RELATIVE, 16, 16 },
	{ EM_386, R_386_GLOB_DAT, R_386_JMP_SLOT, R_386_IRELATIVE, R_386_RELATIVE, 16, 16 },
	{ EM_AARCH64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_IRELATIVE, R_AARCH64_RELATIVE, 32, 16 },
	{ EM_ARM, R_ARM_GLOB_DAT, R_ARM_JUMP_SLOT, R_ARM_IRELATIVE, R_ARM_RELATIVE, 20, 12 },
	{ EM_RISCV, R_RISCV_NONE_GLOB_DAT, R_RISCV_JUMP_SLOT, 58 /* R_RISCV_IRELATIVE */, R_RISCV_RELATIVE, 32, 16 },
	{ EM_S390, R_390_GLOB_DAT, R_390_JMP_SLOT, 61 /* R_390_IRELATIVE */, R_390_RELATIVE, 32, 32 },
};

static const struct plt_relocations *relocations_of(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(plt_machines) / sizeof(*plt_machines); i++)
		if (plt_machines[i].machine == machine)
			return &plt_machines[i];
	return NULL;
}

/* REL relocations have their addend in place. */
static uint64_t addend_in_place(const struct object *o, uint64_t vaddr)
{
	size_t n;
	const void *p = object_bytes_at(o, vaddr, &n);
	if (!p)
		return 0;
	struct cursor c = cursor_make(p, n, o->header.swap);
	return o->header.is_64bit ? cursor_u64(&c) : cursor_u32(&c);
}

static void add_slots(struct plt *plt, const struct object_section *s, const struct plt_relocations *r)
{
	const struct object *o = plt->o;
	bool wide = o->header.is_64bit, rela = s->type == SHT_RELA;
	size_t bytes, entry = (wide ? 16 : 8) + (rela ? (wide ? 8 : 4) : 0);
	const void *p = object_section_raw(o, s, &bytes);
	if (!p || s->entry_bytes != entry)
		return;
	struct cursor c = cursor_make(p, bytes - bytes % entry, o->header.swap);
	while (cursor_left(&c)) {
		struct got_slot slot = { .vaddr = wide ? cursor_u64(&c) : cursor_u32(&c) };
		uint64_t info = wide ? cursor_u64(&c) : cursor_u32(&c);
		uint32_t type = wide ? (uint32_t)info : info & 0xff;
		uint64_t addend = rela ? (wide ? cursor_u64(&c) : cursor_u32(&c)) : 0;
		bool by_address = type == r->irelative || (plt->with_relative && type == r->relative);
		if (type != r->glob_dat && type != r->jump_slot && !by_address)
			continue;
		slot.symbol = by_address ? 0 : (uint32_t)(wide ? info >> 32 : info >> 8);
		if (by_address)
			slot.resolver = rela ? addend : addend_in_place(o, slot.vaddr);
		vec_push(&plt->slots, slot);
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct got_slot *x = a, *y = b;
	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

static const struct got_slot *find_slot(const struct plt *plt, uint64_t vaddr)
{
	size_t i = vec_search(&plt->slots, slot, slot->vaddr < vaddr);
	return i < plt->slots.len && plt->slots.data[i].vaddr == vaddr ? &plt->slots.data[i] : NULL;
}

static void emit(const struct plt *plt, const struct got_slot *slot, uint64_t vaddr, uint32_t bytes)
{
	struct object_plt_entry e = {
		.vaddr = vaddr, .bytes = bytes, .symbol = slot->symbol, .resolver = slot->resolver};
	plt->fn(plt->ctx, &e);
}

static int32_t read_i32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

/* jmp *slot, after an endbr and a bnd or notrack prefix where control-flow protection is on. */
static void scan_x86(const struct plt *plt, const struct object_section *s, const uint8_t *p, size_t bytes,
		     uint64_t got)
{
	bool wide = plt->o->header.machine == EM_X86_64;
	uint32_t entry = s->entry_bytes == 8 ? 8 : 16;
	for (size_t at = 0; at + 6 <= bytes; at += entry) {
		const uint8_t *i = p + at, *end = p + bytes;
		if (end - i >= 4 && i[0] == 0xf3 && i[1] == 0x0f && i[2] == 0x1e && (i[3] & 0xfe) == 0xfa)
			i += 4;
		if (end - i >= 1 && (i[0] == 0xf2 || i[0] == 0x3e))
			i++;
		if (end - i < 6 || i[0] != 0xff || (i[1] != 0x25 && (wide || i[1] != 0xa3)))
			continue;
		uint64_t slot = (uint64_t)(int64_t)read_i32(i + 2);
		if (wide)
			slot += s->addr + (uint64_t)(i + 6 - p);
		else
			slot = (uint32_t)(i[1] == 0xa3 ? slot + got : slot);
		const struct got_slot *found = find_slot(plt, slot);
		if (found)
			emit(plt, found, s->addr + at, entry);
	}
}

#define A64_BTI_C     0xd503245fu
#define A64_AUTIA1716 0xd503219fu

/* adrp x16, page; ldr x17, [x16, #low]; instructions are little-endian in either byte order. */
static void scan_arm64(const struct plt *plt, const struct object_section *s, const uint8_t *p, size_t bytes)
{
	for (size_t at = 0; at + 8 <= bytes; at += 4) {
		uint32_t adrp = (uint32_t)read_i32(p + at), ldr = (uint32_t)read_i32(p + at + 4);
		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		int64_t pages = (int64_t)(int32_t)(((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 11) >> 11;
		uint64_t slot = ((s->addr + at) & ~(uint64_t)4095) + (uint64_t)pages * 4096 + (ldr >> 10 & 0xfff) * 8;
		const struct got_slot *found = find_slot(plt, slot);
		if (!found)
			continue;
		bool bti = at >= 4 && (uint32_t)read_i32(p + at - 4) == A64_BTI_C;
		bool pac = at + 16 <= bytes && (uint32_t)read_i32(p + at + 12) == A64_AUTIA1716;
		emit(plt, found, s->addr + at - (bti ? 4 : 0), bti || pac ? 24 : 16);
	}
}

static void scan_stubs(const struct plt *plt, const char *name)
{
	const struct object_section *s = object_find_section(plt->o, name);
	size_t bytes = 0;
	const uint8_t *p = s ? object_section_raw(plt->o, s, &bytes) : NULL;
	if (!p)
		return;
	if (plt->o->header.machine == EM_AARCH64) {
		scan_arm64(plt, s, p, bytes);
		return;
	}
	const struct object_section *got = object_find_section(plt->o, ".got.plt");
	if (!got)
		got = object_find_section(plt->o, ".got");
	scan_x86(plt, s, p, bytes, got ? got->addr : 0);
}

static void count_stubs(const struct plt *plt, const struct plt_relocations *r)
{
	const struct object_section *s = object_find_section(plt->o, ".plt");
	if (!s || s->type == SHT_NOBITS)
		return;
	uint64_t at = s->addr + r->header_bytes, end = s->addr + s->bytes;
	for (size_t i = 0; i < plt->slots.len && at < end && end - at >= r->entry_bytes; i++, at += r->entry_bytes)
		emit(plt, &plt->slots.data[i], at, r->entry_bytes);
}

void object_each_plt(const struct object *o, void (*fn)(void *ctx, const struct object_plt_entry *e), void *ctx)
{
	const struct plt_relocations *r = relocations_of(o->header.machine);
	struct plt plt = { .o = o, .fn = fn, .ctx = ctx };
	if (!r)
		return;
	bool decodes = o->header.machine == EM_X86_64 || o->header.machine == EM_386 || o->header.machine == EM_AARCH64;
	bool has_got_stubs = decodes && object_find_section(o, ".plt.got");
	for (size_t i = 1; i < o->sections_nr; i++) {
		const struct object_section *s = &o->sections[i];
		if (s->type != SHT_RELA && s->type != SHT_REL)
			continue;
		bool is_plt = !strcmp(s->name, ".rela.plt") || !strcmp(s->name, ".rel.plt");
		if (is_plt || (has_got_stubs && s->flags & SHF_ALLOC))
			add_slots(&plt, s, r);
	}
	if (decodes) {
		/* Sorted in place, unstable: duplicate slots, which linkers do not create, may come in any order. */
		if (plt.slots.len)
			qsort(plt.slots.data, plt.slots.len, sizeof(*plt.slots.data), compare_slots);
		scan_stubs(&plt, ".plt");
		scan_stubs(&plt, ".plt.sec");
		scan_stubs(&plt, ".plt.got");
	} else {
		count_stubs(&plt, r);
	}
	vec_deinit(&plt.slots);
}

/* Relocations may be anywhere; slots are in .got, .got.plt and similar sections. */
static bool is_in_got(const struct object *o, uint64_t vaddr)
{
	for (size_t i = 1; i < o->sections_nr; i++) {
		const struct object_section *s = &o->sections[i];
		if (!strncmp(s->name, ".got", 4) && vaddr >= s->addr && vaddr - s->addr < s->bytes)
			return true;
	}
	return false;
}

void object_each_slot(const struct object *o, void (*fn)(void *ctx, const struct object_slot *slot), void *ctx)
{
	const struct plt_relocations *r = relocations_of(o->header.machine);
	struct plt plt = { .o = o, .with_relative = true };
	struct object_symtab dynsym;
	bool has_dynsym = object_symtab(o, SHT_DYNSYM, &dynsym);
	for (size_t i = 1; r && i < o->sections_nr; i++) {
		const struct object_section *s = &o->sections[i];
		if ((s->type == SHT_RELA || s->type == SHT_REL) && s->flags & SHF_ALLOC)
			add_slots(&plt, s, r);
	}
	for (size_t i = 0; i < plt.slots.len; i++) {
		const struct got_slot *at = &plt.slots.data[i];
		struct object_slot slot = { .vaddr = at->vaddr, .address = at->resolver };
		if (at->symbol && has_dynsym && at->symbol < dynsym.count) {
			struct object_symbol s = object_symbol(&dynsym, at->symbol);
			slot.symbol = object_symbol_name(&dynsym, &s);
		}
		if (is_in_got(o, at->vaddr) && (slot.symbol || !at->symbol))
			fn(ctx, &slot);
	}
	vec_deinit(&plt.slots);
}
