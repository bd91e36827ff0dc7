/* Objects, symbols, unwind tables, names: what is read of this program, its libraries and the kernel against known values. */
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/out.h"
#include "decode/tracepoint.h"
#include "demangle/demangle.h"
#include "disasm/disasm.h"
#include "event/pmu.h"
#include "event/tracepoint.h"
#include "object/dwarf/dwarf.h"
#include "object/object.h"
#include "selftest/priv.h"
#include "symbol/kallsyms.h"
#include "sys/tracefs.h"
#include "unwind/table.h"

static void object_closep(struct object **o)
{
	object_close(*o);
}
#define _cleanup_object_ __attribute__((cleanup(object_closep)))

static struct strobe_error *open_own(struct object **ret)
{
	_cleanup_free_ char *path = own_path();
	return path ? object_open(path, ret) : error_create(ERROR_NOT_FOUND, "the path of this program is not known");
}

/* Finds a loaded library whose path contains this text; owned. */
struct library_search {
	const char *text;
	char *path;
};

static int search_library(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct library_search *s = ctx;
	(void)bytes;
	if (s->path || !info->dlpi_name || !strstr(info->dlpi_name, s->text))
		return 0;
	s->path = xstrdup(info->dlpi_name);
	return 1;
}

static struct strobe_error *open_library(const char *text, struct object **ret)
{
	struct library_search s = { .text = text };
	dl_iterate_phdr(search_library, &s);
	_cleanup_free_ char *path = s.path;
	return path ? object_open(path, ret) : error_create(ERROR_NOT_FOUND, "no library '%s' is loaded", text);
}

/* The symbol at one of our functions has its name. */
static struct selftest_outcome own_symbol(const struct selftest *t)
{
	_cleanup_object_ struct object *o = NULL;
	struct object_symbol s;
	uint64_t vaddr;
	(void)t;
	struct strobe_error *err = open_own(&o);
	if (err)
		return selftest_of_error(err);
	if (!object_find_function(o, "own_hit", &s))
		return selftest_skip("this program has no symbols (stripped)");
	EXPECT(object_vaddr_of_offset(o, own_file_offset(own_hit), &vaddr), "the function's place in the file is not known");
	EXPECT(s.value == vaddr, "own_hit is at %#" PRIx64 ", its symbol at %#" PRIx64, vaddr, s.value);
	return selftest_ok();
}

static int note_of_program(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	uint8_t *id = ctx; /* preceded by its length */
	(void)bytes;
	for (size_t i = 0; i < info->dlpi_phnum && !*id; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_NOTE)
			*id = (uint8_t)object_build_id_in_notes((const void *)(info->dlpi_addr + p->p_vaddr), p->p_filesz, false,
								id + 1);
	}
	return 1;
}

static struct selftest_outcome own_build_id(const struct selftest *t)
{
	uint8_t loaded[1 + OBJECT_BUILD_ID_MAX] = { 0 }, filed[OBJECT_BUILD_ID_MAX];
	_cleanup_object_ struct object *o = NULL;
	(void)t;
	struct strobe_error *err = open_own(&o);
	if (err)
		return selftest_of_error(err);
	dl_iterate_phdr(note_of_program, loaded);
	size_t n = object_build_id(o, filed);
	if (!n && !*loaded)
		return selftest_skip("this program was linked without a build ID");
	EXPECT(n == *loaded && !memcmp(filed, loaded + 1, n), "the build IDs of the file and of memory differ");
	return selftest_ok();
}

/* Rows are in ascending order within each page, and there are more rows than functions. */
static struct selftest_outcome unwind_rows(const struct selftest *t)
{
	_cleanup_object_ struct object *o = NULL;
	struct strobe_error *err = t->text ? open_library(t->text, &o) : open_own(&o);
	if (err)
		return selftest_of_error(err);
	struct unwind_table *table = unwind_table_of(o, NULL);
	if (!table)
		return selftest_skip("it has no unwind information");
	uint32_t rows = table->rows_nr, functions = table->functions, backwards = 0;
	for (uint32_t page = 0; page + 1 < table->pages_nr; page++)
		for (uint32_t i = table->pages[page] + 1; i < table->pages[page + 1]; i++)
			backwards += table->rows[i] >> UNWIND_RULE_BITS <= table->rows[i - 1] >> UNWIND_RULE_BITS;
	unwind_table_destroy(table);
	EXPECT(functions && rows > functions, "%" PRIu32 " rows for %" PRIu32 " functions", rows, functions);
	EXPECT(!backwards, "%" PRIu32 " of %" PRIu32 " rows are out of order", backwards, rows);
	return selftest_ok();
}

static struct selftest_outcome vdso(const struct selftest *t)
{
	size_t bytes;
	const void *image = object_own_vdso(&bytes);
	_cleanup_object_ struct object *o = NULL;
	struct object_symtab table;
	(void)t;
	if (!image)
		return selftest_skip("the kernel maps no vdso");
	struct strobe_error *err = object_open_memory(image, bytes, "[vdso]", &o);
	if (err)
		return selftest_of_error(err);
	uint64_t found = 0;
	for (size_t i = 0; object_symtab(o, SHT_DYNSYM, &table) && i < table.count; i++) {
		struct object_symbol s = object_symbol(&table, i);
		found += strstr(object_symbol_name(&table, &s), "clock_gettime") != NULL;
	}
	EXPECT(found, "it has no clock_gettime");
	return selftest_ok();
}

/* Kernel functions are found by their first address and by one in the middle, but not by the start of the next one. */
static struct selftest_outcome kernel_symbols(const struct selftest *t)
{
	struct kallsyms k;
	uint64_t wrong = 0, start, end;
	char type;
	(void)t;
	kallsyms_load(&k, NULL);
	struct selftest_outcome outcome = k.list.count ? selftest_ok() : selftest_skip("%s", k.problem ? k.problem : "there are none");
	for (uint32_t i = 0; i < k.list.count; i++) {
		if (!k.list.types[i])
			continue;
		kallsyms_symbol(&k.list, i, &start, &end, &type);
		wrong += end <= start || kallsyms_find(&k.list, start) != i || kallsyms_find(&k.list, start + (end - start) / 2) != i;
	}
	size_t count = k.list.count;
	kallsyms_deinit(&k);
	if (outcome.state == SELFTEST_OK && wrong)
		return selftest_fail("%" PRIu64 " of %zu are not found where they are", wrong, count);
	return outcome;
}

static struct selftest_outcome demangled(const struct selftest *t)
{
	static const char *const names[][2] = {
		{ "_ZN3foo3barEi", "foo::bar" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_D3foo__T3barTiZQhFiZv", "foo.bar!(int).bar" },
		{ "camlStdlib__Map__add_200", "Stdlib.Map.add" },
		{ "base_GHCziBase_map_info", "GHC.Base.map" },
	};
	(void)t;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		_cleanup_free_ char *name = demangle_name(names[i][0]);
		EXPECT(name && !strcmp(name, names[i][1]), "%s became %s", names[i][0], name ? name : "nothing");
	}
	return selftest_ok();
}

/* The code of one of our functions decodes to instructions, the last of which returns. */
static struct selftest_outcome disassembled(const struct selftest *t)
{
	struct disasm *d;
	(void)t;
	struct strobe_error *err = disasm_create(arch_native(), DISASM_USUAL, DISASM_ATT, &d);
	if (err)
		return selftest_of_error(err);
	const uint8_t *code = (const uint8_t *)(uintptr_t)own_hit;
	struct insn i = { 0 };
	size_t at = 0, n = 0;
	while (i.flow != INSN_RETURN && i.flow != INSN_JUMP && at < 400 && disasm_decode(d, code + at, 32, (uintptr_t)code + at, &i)) {
		at += i.bytes;
		n++;
	}
	disasm_destroy(d);
	EXPECT(i.flow == INSN_RETURN || i.flow == INSN_JUMP, "no return within %zu instructions, %zu bytes", n, at);
	return selftest_ok();
}

static struct selftest_outcome lines(const struct selftest *t)
{
	_cleanup_object_ struct object *o = NULL;
	struct dwarf_frame frame = {};
	uint64_t vaddr;
	(void)t;
	struct strobe_error *err = open_own(&o);
	if (err)
		return selftest_of_error(err);
	if (!object_find_section(o, ".debug_line") || !object_vaddr_of_offset(o, own_file_offset(own_hit), &vaddr))
		return selftest_skip("this program was built without debug information");
	struct dwarf *d = dwarf_create(o, (struct dwarf_files){});
	bool found = d && dwarf_line(d, vaddr, &frame);
	bool is_ours = found && frame.file && strstr(frame.file, "loads.c");
	dwarf_destroy(d);
	EXPECT(is_ours, "own_hit() is not found in loads.c");
	return selftest_ok();
}

/* Events of each PMU, by their terms in sysfs. */
static struct selftest_outcome pmu_events(const struct selftest *t)
{
	struct pmu_set pmus;
	struct selftest_outcome outcome = selftest_skip("no PMU of this machine has named events");
	(void)t;
	pmu_set_init(&pmus, sys_live());
	pmu_set_read(&pmus);
	for (size_t i = 0; i < pmus.pmus.len && outcome.state != SELFTEST_FAILED; i++) {
		struct pmu *pmu = pmus.pmus.data[i];
		pmu_aliases(&pmus, pmu);
		for (size_t j = 0; j < pmu->aliases.len && outcome.state != SELFTEST_FAILED; j++) {
			_cleanup_free_ char *text = xasprintf("%s/%s/", pmu->name, pmu->aliases.data[j].name);
			struct event_list list;
			event_list_init(&list);
			struct strobe_error *err = event_parse(&list, sys_live(), text);
			event_list_deinit(&list);
			outcome = err ? selftest_fail("%s: %s", text, err->message) : selftest_ok();
			error_destroy(err);
		}
	}
	pmu_set_deinit(&pmus);
	return outcome;
}

struct formats {
	const char *tracefs;
	struct tracepoints *all;
	uint64_t read, wrong;
	char first[160];
};

static void read_format(struct formats *f, const char *system, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/events/%s/%s/format", f->tracefs, system, name);
	_cleanup_strbuf_ struct strbuf text = {};
	struct strobe_error *err = sys_read(sys_live(), path, &text, 1 << 20);
	if (!err)
		err = tracepoints_add(f->all, system, strbuf_str(&text), text.len);
	f->read++;
	if (err && !f->wrong++)
		snprintf(f->first, sizeof(f->first), "%s:%s: %s", system, name, err->message);
	error_destroy(err);
}

static void read_formats_of(struct formats *f, const char *system)
{
	sys_names names = {};
	struct strobe_error *err = tracepoint_events(sys_live(), f->tracefs, system, &names);
	error_destroy(err);
	for (size_t i = 0; i < names.len; i++)
		read_format(f, system, names.data[i]);
	sys_names_deinit(&names);
}

static struct selftest_outcome formats(const struct selftest *t)
{
	_cleanup_free_ char *tracefs = NULL;
	sys_names systems = {};
	(void)t;
	struct strobe_error *err = sys_tracefs(sys_live(), &tracefs);
	if (!err)
		err = tracepoint_systems(sys_live(), tracefs, &systems);
	if (err)
		return selftest_of_error(err);
	struct formats f = { .tracefs = tracefs, .all = tracepoints_create(false, sizeof(long)) };
	for (size_t i = 0; i < systems.len; i++)
		read_formats_of(&f, systems.data[i]);
	sys_names_deinit(&systems);
	tracepoints_destroy(f.all);
	if (!f.read)
		return selftest_skip("no tracepoint can be read");
	EXPECT(!f.wrong, "%" PRIu64 " of %" PRIu64 " formats are not understood: %s", f.wrong, f.read, f.first);
	return selftest_ok();
}

#define S .subject = "names"

const struct selftest selftests_names[] = {
	{ "our functions are where their symbols are", S, own_symbol },
	{ "the build ID of the file is that of memory", S, own_build_id },
	{ "source lines of our code are found", S, lines },
	{ "unwind tables of this program are in order", S, unwind_rows },
	{ "unwind tables of the C library are in order", S, unwind_rows, "libc.so" },
	{ "unwind tables of the dynamic linker are in order", S, unwind_rows, "/ld-" },
	{ "the vdso has symbols", S, vdso },
	{ "functions of the kernel are found by address", S, kernel_symbols },
	{ "names of C++, Rust, D, OCaml and Haskell are readable", S, demangled },
	{ "our code is disassembled", S, disassembled },
	{ "events of PMUs are understood", S, pmu_events },
	{ "formats of tracepoints are understood", S, formats },
	{},
};
