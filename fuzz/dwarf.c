/*
 * Any bytes as the sections of an object's debug information: its units, line programs, functions and inlined calls.
 *
 * The input is split into sections of an ELF file (fuzz/sections.h), whose own reader has another target.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vector.h"
#include "object/dwarf/functions.h"
#include "sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_ranges", ".debug_rnglists",
	".debug_addr", ".debug_str_offsets", ".debug_aranges",
};
#define NAMES_NR (sizeof(names) / sizeof(*names))

static void on_line(void *ctx, uint64_t addr, const char *file, uint32_t line)
{
	*(uint64_t *)ctx += addr + line + (file ? strlen(file) : 0);
}

static bool is_any(void *ctx, const char *name)
{
	*(uint64_t *)ctx += strlen(name);
	return true;
}

static void on_code(void *ctx, const struct dwarf_code *code)
{
	*(uint64_t *)ctx += code->entry + code->line + (code->name ? strlen(code->name) : 0) + (code->file ? strlen(code->file) : 0);
}

static void on_statement(void *ctx, const struct dwarf_statement *s)
{
	*(uint64_t *)ctx += s->addr + s->line + strlen(s->file);
}

typedef VEC(struct dwarf_code) code_list;

static void keep_code(void *ctx, const struct dwarf_code *code, const struct dwarf_range *ranges, size_t n)
{
	code_list *list = ctx;
	(void)ranges, (void)n;
	vec_push(list, *code);
}

static void on_unit(void *ctx, struct dwarf_unit *u)
{
	code_list list = {};
	dwarf_each_code_of(u, keep_code, &list);
	dwarf_each_statement(u, list.data, list.len, on_statement, ctx);
	vec_deinit(&list);
}

static void ask_names(struct dwarf *d, uint64_t *sum)
{
	struct dwarf_code codes[DWARF_FRAMES_MAX];
	dwarf_each_code(d, NULL, is_any, on_code, sum);
	dwarf_each_unit_of(d, is_any, on_unit, sum);
	for (uint64_t addr = 0x1000; addr < 0x1400; addr += 63) {
		unsigned n = dwarf_code_at(d, addr, codes);
		if (n > DWARF_FRAMES_MAX || (n && codes[n - 1].is_inlined && n < DWARF_FRAMES_MAX))
			abort();
	}
}

static void query(struct dwarf *d)
{
	uint64_t sum = 0;
	for (uint64_t addr = 0x1000; addr < 0x1400; addr += 7) {
		struct dwarf_frame f[DWARF_FRAMES_MAX];
		unsigned n = dwarf_frames(d, addr, f);
		for (unsigned i = 0; i < n; i++)
			sum += (f[i].name ? strlen(f[i].name) : 0) + (f[i].file ? strlen(f[i].file) : 0) + f[i].line;
		if (n > DWARF_FRAMES_MAX || (n && f[n - 1].inlined && n < DWARF_FRAMES_MAX))
			abort();
		if (dwarf_line(d, addr, &f[0]))
			sum += f[0].line;
	}
	dwarf_each_line(d, 0x1000, on_line, &sum);
	ask_names(d, &sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	add_sections(&b, names, NAMES_NR, 0, data, size);
	size_t bytes;
	uint8_t *file = elf_finish(&b, &bytes);
	struct object *o = NULL;
	struct strobe_error *err = object_open_memory(file, bytes, "input", &o);
	/* Also where some of the addresses are announced. */
	static const uint64_t expected[] = { 0x1000, 0x100e, 0x1070, 0x1072, 0x1150 };
	for (size_t nr = 0; !err && nr <= 5; nr += 5) {
		struct dwarf *d = dwarf_create(o, (struct dwarf_files){ .expected = expected, .expected_nr = nr });
		if (d)
			query(d);
		dwarf_destroy(d);
	}
	object_close(o);
	error_destroy(err);
	free(file);
	return 0;
}
