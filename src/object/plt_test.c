/* PLT stubs: of hand-made files in the layouts that linkers use, and of this machine's libc against objdump. */
#include "base/testing.h"

#include <elf.h>
#include <link.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"
#include "object/object.h"
#include "object/testing_elf.h"

struct found {
	struct object_plt_entry e[16];
	size_t nr;
};

static void note(void *ctx, const struct object_plt_entry *e)
{
	struct found *f = ctx;
	assert_true(f->nr < 16);
	f->e[f->nr++] = *e;
}

static void add_rela(const struct elf_builder *b, struct strbuf *to, uint64_t where, uint32_t type, uint32_t symbol,
		     uint64_t addend)
{
	elf_put_word(b, to, where);
	elf_put_word(b, to, b->is_64bit ? (uint64_t)symbol << 32 | type : symbol << 8 | type);
	elf_put_word(b, to, addend);
}

static void add_relocations(struct elf_builder *b, const char *name, struct strbuf *relocations)
{
	uint32_t s = elf_add_section(b, name, SHT_RELA, SHF_ALLOC, 0x400, relocations->data, relocations->len);
	b->sections[s].entry_bytes = b->is_64bit ? 24 : 12;
	strbuf_deinit(relocations);
}

static struct found scan(struct elf_builder *b)
{
	struct found f = {};
	struct object *o;
	size_t n;
	elf_add_symbol(b, &b->dynsym, "a", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF);
	elf_add_symbol(b, &b->dynsym, "b", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF);
	uint8_t *bytes = elf_finish(b, &n);
	assert_ok(object_open_memory(bytes, n, "plt", &o));
	object_each_plt(o, note, &f);
	object_close(o);
	free(bytes);
	return f;
}

/* jmp *slot(%rip) at address `at`, six bytes. */
static void put_jump(uint8_t *p, uint64_t at, uint64_t slot)
{
	uint32_t distance = htole32((uint32_t)(slot - (at + 6)));
	p[0] = 0xff;
	p[1] = 0x25;
	memcpy(p + 2, &distance, 4);
}

static void lazy_stubs_of_x86_64(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct strbuf relocations = {};
	uint8_t plt[48] = { 0xff, 0x35 };
	put_jump(plt + 6, 0x1006, 0x4010);
	/* In the other order than the relocations. */
	put_jump(plt + 16, 0x1010, 0x4020);
	put_jump(plt + 32, 0x1020, 0x4018);
	add_rela(&b, &relocations, 0x4018, R_X86_64_JUMP_SLOT, 1, 0);
	add_rela(&b, &relocations, 0x4020, R_X86_64_IRELATIVE, 0, 0x7770);
	add_relocations(&b, ".rela.plt", &relocations);
	elf_add_section(&b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, plt, sizeof(plt));
	struct found f = scan(&b);
	assert_int_equal(f.nr, 2);
	assert_int_equal(f.e[0].vaddr, 0x1010);
	assert_int_equal(f.e[0].symbol, 0);
	assert_int_equal(f.e[0].resolver, 0x7770);
	assert_int_equal(f.e[1].vaddr, 0x1020);
	assert_int_equal(f.e[1].bytes, 16);
	assert_int_equal(f.e[1].symbol, 1);
}

static void stubs_with_branch_protection(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct strbuf relocations = {}, others = {};
	uint8_t sec[32] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2 }, got[16] = { 0xf3, 0x0f, 0x1e, 0xfa };
	put_jump(sec + 5, 0x2005, 0x4018);
	memcpy(sec + 16, sec, 5);
	put_jump(sec + 21, 0x2015, 0x4020);
	put_jump(got + 4, 0x3004, 0x5000);
	add_rela(&b, &relocations, 0x4018, R_X86_64_JUMP_SLOT, 1, 0);
	add_rela(&b, &relocations, 0x4020, R_X86_64_JUMP_SLOT, 2, 0);
	add_relocations(&b, ".rela.plt", &relocations);
	add_rela(&b, &others, 0x5000, R_X86_64_GLOB_DAT, 2, 0);
	add_rela(&b, &others, 0x5008, R_X86_64_RELATIVE, 0, 0x9999);
	add_relocations(&b, ".rela.dyn", &others);
	elf_add_section(&b, ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, sec, sizeof(sec));
	elf_add_section(&b, ".plt.got", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x3000, got, sizeof(got));
	struct found f = scan(&b);
	assert_int_equal(f.nr, 3);
	assert_int_equal(f.e[1].vaddr, 0x2010);
	assert_int_equal(f.e[1].symbol, 2);
	assert_int_equal(f.e[2].vaddr, 0x3000);
	assert_int_equal(f.e[2].symbol, 2);
}

struct slots {
	unsigned nr;
	struct object_slot s[4];
	char names[4][16];
};

static void note_slot(void *ctx, const struct object_slot *slot)
{
	struct slots *f = ctx;
	assert_true(f->nr < 4);
	f->s[f->nr] = *slot;
	snprintf(f->names[f->nr++], sizeof(f->names[0]), "%s", slot->symbol ? slot->symbol : "");
}

/* One for a symbol, one for an address, one whose symbol is not there, one that lies outside of the table. */
static void slots_of_the_global_offset_table(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct strbuf relocations = {};
	struct slots f = {};
	add_rela(&b, &relocations, 0x4008, R_X86_64_RELATIVE, 0, 0x1230);
	add_rela(&b, &relocations, 0x4000, R_X86_64_GLOB_DAT, 1, 0);
	add_rela(&b, &relocations, 0x4010, R_X86_64_GLOB_DAT, 9, 0);
	add_rela(&b, &relocations, 0x9000, R_X86_64_RELATIVE, 0, 0x1230);
	add_relocations(&b, ".rela.dyn", &relocations);
	elf_add_section(&b, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x4000, (uint8_t[24]){ 0 }, 24);
	elf_add_symbol(&b, &b.dynsym, "malloc", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF);
	struct object *o;
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	assert_ok(object_open_memory(bytes, n, "slots", &o));
	object_each_slot(o, note_slot, &f);
	object_close(o);
	free(bytes);
	assert_int_equal(f.nr, 2);
	assert_int_equal(f.s[0].vaddr, 0x4008);
	assert_int_equal(f.s[0].address, 0x1230);
	assert_null(f.s[0].symbol);
	assert_int_equal(f.s[1].vaddr, 0x4000);
	assert_string_equal(f.names[1], "malloc");
}

/* As objdump reads them: adrp x16, 11000; ldr x17, [x16, #0x18]; add x16, x16, #0x18; br x17. */
static void stubs_of_arm64(void **state)
{
	static const uint32_t plain[] = { 0x90000090, 0xf9400e11, 0x91006210, 0xd61f0220 };
	static const uint32_t bti[] = { 0xd503245f, 0x90000090, 0xf9401211, 0x91008210, 0xd61f0220, 0xd503201f };
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_AARCH64 };
	struct strbuf relocations = {};
	uint8_t plt[16 + 24];
	for (size_t i = 0; i < 10; i++) {
		uint32_t instruction = htole32(i < 4 ? plain[i] : bti[i - 4]);
		memcpy(plt + 4 * i, &instruction, 4);
	}
	add_rela(&b, &relocations, 0x11018, R_AARCH64_JUMP_SLOT, 2, 0);
	add_rela(&b, &relocations, 0x11020, R_AARCH64_JUMP_SLOT, 1, 0);
	add_relocations(&b, ".rela.plt", &relocations);
	elf_add_section(&b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, plt, sizeof(plt));
	struct found f = scan(&b);
	assert_int_equal(f.nr, 2);
	assert_int_equal(f.e[0].vaddr, 0x1000);
	assert_int_equal(f.e[0].bytes, 16);
	assert_int_equal(f.e[0].symbol, 2);
	assert_int_equal(f.e[1].vaddr, 0x1010);
	assert_int_equal(f.e[1].bytes, 24);
	assert_int_equal(f.e[1].symbol, 1);
}

static void stubs_that_are_counted_off(void **state)
{
	struct elf_builder b = { .is_64bit = true, .big = true, .type = ET_DYN, .machine = EM_S390 };
	struct strbuf relocations = {};
	uint8_t plt[96] = { 0 };
	add_rela(&b, &relocations, 0x4018, R_390_JMP_SLOT, 2, 0);
	add_rela(&b, &relocations, 0x4020, R_390_JMP_SLOT, 1, 0);
	add_rela(&b, &relocations, 0x4028, R_390_JMP_SLOT, 1, 0); /* for which there is no stub */
	add_relocations(&b, ".rela.plt", &relocations);
	elf_add_section(&b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, plt, sizeof(plt));
	struct found f = scan(&b);
	assert_int_equal(f.nr, 2);
	assert_int_equal(f.e[0].vaddr, 0x1020);
	assert_int_equal(f.e[0].symbol, 2);
	assert_int_equal(f.e[1].vaddr, 0x1040);
	assert_int_equal(f.e[1].symbol, 1);
}

struct stub {
	uint64_t vaddr;
	char name[64];
};

struct live {
	struct object_symtab dynsym;
	VEC(struct stub) stubs;
};

static void note_live(void *ctx, const struct object_plt_entry *e)
{
	struct live *l = ctx;
	struct stub s = { .vaddr = e->vaddr };
	struct object_symbol symbol = object_symbol(&l->dynsym, e->symbol < l->dynsym.count ? e->symbol : 0);
	if (e->symbol)
		snprintf(s.name, sizeof(s.name), "%s", object_symbol_name(&l->dynsym, &symbol));
	else
		snprintf(s.name, sizeof(s.name), "*ABS*+0x%llx", (unsigned long long)e->resolver);
	vec_push(&l->stubs, s);
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	if (strstr(info->dlpi_name, "/libc.so"))
		snprintf(ctx, 256, "%s", info->dlpi_name);
	return 0;
}

static void stubs_of_libc_as_objdump_names_them(void **state)
{
	char path[256] = "", command[512], line[512], name[256];
	skip_emulated(); /* objdump is that of this machine, for its own programs */
	dl_iterate_phdr(find_libc, path);
	if (!*path || system("command -v objdump >/dev/null 2>&1")) {
		print_message("no objdump, or no shared libc\n");
		skip();
	}
	struct object *o;
	struct live l = {};
	assert_ok(object_open(path, &o));
	assert_true(object_symtab(o, SHT_DYNSYM, &l.dynsym));
	object_each_plt(o, note_live, &l);
	snprintf(command, sizeof(command), "LC_ALL=C objdump -d -j .plt -j .plt.sec -j .plt.got '%s' 2>/dev/null",
		 path);
	FILE *f = popen(command, "r");
	size_t compared = 0;
	while (fgets(line, sizeof(line), f)) {
		unsigned long long vaddr;
		const char *suffix;
		/* "@plt-0x10" is what it calls the code before the first stub. */
		if (sscanf(line, "%llx <%255[^>]>:", &vaddr, name) != 2 || !(suffix = strstr(name, "@plt")) ||
		    suffix[4])
			continue;
		name[strcspn(name, "@")] = 0; /* versions, and "@plt" itself */
		const struct stub *found = NULL;
		for (size_t i = 0; i < l.stubs.len && !found; i++)
			if (l.stubs.data[i].vaddr == vaddr)
				found = &l.stubs.data[i];
		assert_non_null(found);
		assert_string_equal(found->name, name);
		compared++;
	}
	pclose(f);
	assert_true(compared > 5);
	vec_deinit(&l.stubs);
	object_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_stubs_of_x86_64),
		cmocka_unit_test(slots_of_the_global_offset_table),
		cmocka_unit_test(stubs_with_branch_protection),
		cmocka_unit_test(stubs_of_arm64),
		cmocka_unit_test(stubs_that_are_counted_off),
		cmocka_unit_test(stubs_of_libc_as_objdump_names_them),
	};
	return cmocka_run_group_tests_name("plt", tests, NULL, NULL);
}
