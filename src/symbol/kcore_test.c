/* a core file made by hand, in the place of /proc/kcore */
#include "base/testing.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/kcore.h"

#define TEXT 0xffffffff81000000

static char path[] = "/tmp/strobe-kcore-XXXXXX";

/* Notes, then 70 segments: the last one is text. */
static void write_core(uint16_t type, uint64_t bytes_there)
{
	enum { SEGMENTS = 71, BYTES = 16 };
	Elf64_Ehdr h = { .e_type = type, .e_phoff = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = SEGMENTS };
	static Elf64_Phdr p[SEGMENTS];
	const uint16_t one = 1;
	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	uint64_t end = sizeof(h) + sizeof(p);
	p[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_vaddr = TEXT, .p_filesz = BYTES };
	for (unsigned i = 1; i < SEGMENTS - 1; i++)
		p[i] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0xffff880000000000 + i * 0x1000, .p_filesz = 0x1000 };
	p[SEGMENTS - 1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = TEXT, .p_filesz = BYTES, .p_offset = end };
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fwrite(&h, sizeof(h), 1, f);
	fwrite(p, sizeof(p), 1, f);
	fwrite("0123456789abcdef", 1, bytes_there, f);
	fclose(f);
}

static void code_is_read_where_it_lies(void **state)
{
	char got[16];
	write_core(ET_CORE, 16);
	assert_ok(kcore_read(path, TEXT, got, 16));
	assert_memory_equal(got, "0123456789abcdef", 16);
	assert_ok(kcore_read(path, TEXT + 10, got, 6));
	assert_memory_equal(got, "abcdef", 6);
}

static void what_is_not_there_is_said(void **state)
{
	char got[32];
	write_core(ET_CORE, 8);
	assert_fails(kcore_read(path, TEXT, got, 17), ERROR_NOT_FOUND);
	assert_fails(kcore_read(path, TEXT + 16, got, 1), ERROR_NOT_FOUND);
	assert_fails(kcore_read(path, TEXT - 1, got, 1), ERROR_NOT_FOUND);
	assert_fails(kcore_read(path, UINT64_MAX, got, 2), ERROR_NOT_FOUND);
	assert_fails(kcore_read(path, TEXT, got, 16), ERROR_IO); /* it ends before */
	write_core(ET_EXEC, 16);
	assert_fails(kcore_read(path, TEXT, got, 1), ERROR_FORMAT);
	assert_fails(kcore_read("/nowhere/kcore", TEXT, got, 1), ERROR_NOT_FOUND);
	assert_fails(kcore_read("/dev/null", TEXT, got, 1), ERROR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_read_where_it_lies),
		cmocka_unit_test(what_is_not_there_is_said),
	};
	close(mkstemp(path));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
