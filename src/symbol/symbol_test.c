/* The door: from a mapped file and an address to a name, for every kind of mapping. */
#include "base/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "object/object.h"
#include "object/testing_elf.h"
#include "symbol/debug_package.h"
#include "symbol/source.h"
#include "symbol/symbol.h"
#include "symbol/symbol_priv.h"

static const uint8_t id20[20] = { 0xab, 0xcd, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
static const uint8_t code[512] = { 0xc3 };

struct scratch {
	char dir[40];
	struct symbols *symbols;
	struct mapped_file file;
	struct map map;
	char path[128];
};

static int set_up(void **state)
{
	static struct scratch s;
	memset(&s, 0, sizeof(s));
	strcpy(s.dir, "/tmp/strobe-symbol-XXXXXX");
	assert_non_null(mkdtemp(s.dir));
	setenv("XDG_CACHE_HOME", s.dir, 1);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct scratch *s = *state;
	char command[128];
	symbols_destroy(s->symbols);
	snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
	unsetenv("XDG_CACHE_HOME");
	return system(command);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_ok(file_write_fd(fd, path, bytes, n));
	close(fd);
}

/* A shared object with text at 0x2000 (file offset differs), named by .symtab, .dynsym or both. */
static uint64_t write_object(const char *path, const uint8_t *id, bool symtab, bool dynsym)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	elf_add_build_id(&b, id, 20);
	uint32_t text =
		elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, code, sizeof(code));
	uint32_t comment = elf_add_section(&b, ".comment", SHT_PROGBITS, 0, 0, code, 16);
	elf_load_section(&b, text, PF_R | PF_X);
	if (symtab) {
		elf_add_symbol(&b, &b.symtab, "local", 0x2000, 0x20, STB_LOCAL, STT_FUNC, text);
		elf_add_symbol(&b, &b.symtab, "a_file.c", 0x2000, 0x200, STB_LOCAL, STT_FILE, SHN_ABS);
		elf_add_symbol(&b, &b.symtab, "not_loaded", 0x2000, 0x200, STB_GLOBAL, STT_OBJECT, comment);
		elf_add_symbol(&b, &b.symtab, "undefined", 0x2000, 0x200, STB_GLOBAL, STT_FUNC, SHN_UNDEF);
		elf_add_symbol(&b, &b.symtab, "_ZN1a1bEi", 0x2020, 0x20, STB_GLOBAL, STT_FUNC, text);
	}
	if (dynsym) {
		elf_add_symbol(&b, &b.dynsym, "exported", 0x2040, 0x20, STB_GLOBAL, STT_FUNC, text);
		elf_add_symbol(&b, &b.dynsym, "weak", 0x2040, 0x20, STB_WEAK, STT_FUNC, text);
		elf_add_symbol(&b, &b.dynsym, "chooser", 0x2060, 0x20, STB_GLOBAL, STT_GNU_IFUNC, text);
	}
	uint64_t offset = b.sections[text].offset;
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	write_file(path, bytes, n);
	free(bytes);
	return offset;
}

/* The map of text at 0x7f0000000000 + its offset in the file, as mmap of the first page would have it. */
static struct dso *map_file(struct scratch *s, enum mapped_kind kind, const char *path, const uint8_t *id)
{
	s->file.kind = kind;
	s->file.path = path;
	s->file.name = path;
	s->file.build_id_len = id ? 20 : 0;
	if (id)
		memcpy(s->file.build_id, id, 20);
	s->map = (struct map){ .start = 0x7f0000000000, .end = 0x7f0000010000, .file = &s->file };
	return symbols_dso(s->symbols, &s->file);
}

static const char *name_at(struct scratch *s, struct dso *d, uint64_t ip)
{
	const struct symbol *sym = dso_symbol(d, dso_address(d, &s->map, ip));
	return sym ? dso_symbol_name(d, sym) : NULL;
}

static const char *in_scratch(struct scratch *s, const char *name)
{
	snprintf(s->path, sizeof(s->path), "%s/%s", s->dir, name);
	return s->path;
}

static void files_by_both_tables(void **state)
{
	struct scratch *s = *state;
	uint64_t text = write_object(in_scratch(s, "lib.so"), id20, true, true);
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_FILE, s->path, id20);
	uint64_t at = s->map.start + text;
	assert_int_equal(dso_address(d, &s->map, at), 0x2000);
	assert_string_equal(name_at(s, d, at + 0x1f), "local");
	assert_string_equal(name_at(s, d, at + 0x20), "a::b");
	assert_string_equal(name_at(s, d, at + 0x40), "exported");
	assert_string_equal(name_at(s, d, at + 0x60), "chooser");
	assert_null(name_at(s, d, at + 0x80));
	const struct symbol *sym = dso_symbol(d, 0x2025);
	assert_int_equal(sym->start, 0x2020);
	assert_int_equal(sym->end, 0x2040);
	assert_string_equal(sym->raw_name, "_ZN1a1bEi");
	assert_int_equal(sym->binding, STB_GLOBAL);
	assert_int_equal(sym->type, 'T');
	assert_int_equal(dso_symbol(d, 0x2060)->type, 'i');
	assert_ptr_equal(dso_symbol(d, 0x2021), sym);
	assert_ptr_equal(symbols_dso(s->symbols, &s->file), d);
	struct dso_facts f = dso_facts(d);
	assert_string_equal(f.source, "elf");
	assert_null(f.problem);
	assert_true(f.loaded && f.is_64bit && f.has_symtab);
	assert_int_equal(f.build_id_len, 20);
}

static void names_as_linked_on_request(void **state)
{
	struct scratch *s = *state;
	write_object(in_scratch(s, "lib.so"), id20, true, false);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .no_demangle = true });
	struct dso *d = map_file(s, MAPPED_FILE, s->path, NULL);
	assert_string_equal(dso_symbol_name(d, dso_symbol(d, 0x2020)), "_ZN1a1bEi");
	/* The build-id is the file's where none was recorded. */
	assert_int_equal(dso_facts(d).build_id_len, 20);
	assert_memory_equal(dso_facts(d).build_id, id20, 20);
}

static void a_replaced_file_is_named_and_not_used(void **state)
{
	struct scratch *s = *state;
	uint8_t other[20] = { 0x11 };
	uint64_t text = write_object(in_scratch(s, "lib.so"), other, true, true);
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_FILE, s->path, id20);
	assert_null(name_at(s, d, s->map.start + text));
	struct dso_facts f = dso_facts(d);
	assert_null(f.source);
	assert_non_null(strstr(f.problem, "replaced"));
	assert_non_null(strstr(f.problem, "abcd0304"));
	assert_non_null(strstr(f.problem, "1100"));
	/* Without the file's segments an address is an offset. */
	assert_int_equal(dso_address(d, &s->map, s->map.start + 0x123), 0x123);
}

static void the_build_id_cache_serves_for_what_is_gone(void **state)
{
	struct scratch *s = *state;
	char dir[200], path[300];
	snprintf(dir, sizeof(dir), "%s/.build-id/ab/cd030405060708090a0b0c0d0e0f1011121314", s->dir);
	assert_ok(file_make_dirs(dir));
	snprintf(path, sizeof(path), "%s/elf", dir);
	uint64_t text = write_object(path, id20, true, false);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .buildid_dir = s->dir });
	struct dso *d = map_file(s, MAPPED_FILE, "/nonexistent/lib.so", id20);
	assert_string_equal(name_at(s, d, s->map.start + text), "local");
	assert_string_equal(dso_facts(d).long_name, path);
	assert_null(dso_facts(d).problem);
}

static void a_debug_file_names_what_was_stripped(void **state)
{
	struct scratch *s = *state;
	char dir[200], path[300];
	snprintf(dir, sizeof(dir), "%s/usr/lib/debug/.build-id/ab", s->dir);
	assert_ok(file_make_dirs(dir));
	snprintf(path, sizeof(path), "%s/cd030405060708090a0b0c0d0e0f1011121314.debug", dir);
	write_object(path, id20, true, false);
	uint64_t text = write_object(in_scratch(s, "lib.so"), id20, false, true);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .symfs = s->dir });
	struct dso *d = map_file(s, MAPPED_FILE, "/lib.so", id20);
	assert_string_equal(name_at(s, d, s->map.start + text), "local");
	assert_string_equal(name_at(s, d, s->map.start + text + 0x40), "exported");
}

static void lines_are_read_without_functions(void **state)
{
	struct scratch *s = *state;
	write_object(in_scratch(s, "lib.so"), id20, true, true);
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_FILE, s->path, id20);
	dso_source_load(d);
	assert_true(dso_facts(d).loaded);
	assert_null(d->functions); /* an analysis of all code */
	dso_symbol(d, 0);
	assert_non_null(d->functions);
}

static void what_has_no_symbols_says_so(void **state)
{
	struct scratch *s = *state;
	write_object(in_scratch(s, "lib.so"), id20, false, false);
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_FILE, s->path, id20);
	assert_null(dso_symbol(d, 0x2010)); /* zeros are no code */
	assert_non_null(strstr(dso_facts(d).problem, "stripped"));
	char text[128];
	snprintf(text, sizeof(text), "%s/text", s->dir);
	write_file(text, "hello\n", 6);
	s->file = (struct mapped_file){ .id = 1 };
	d = map_file(s, MAPPED_FILE, text, NULL);
	assert_null(dso_symbol(d, 0));
	assert_non_null(strstr(dso_facts(d).problem, "not an ELF file"));
	s->file = (struct mapped_file){ .id = 2 };
	d = map_file(s, MAPPED_FILE, "/nonexistent", NULL);
	assert_null(dso_symbol(d, 0));
	assert_non_null(strstr(dso_facts(d).problem, "No such file"));
}

/* Opens what a process sees below a root of its own. */
static int open_below(void *ctx, uint32_t pid, const char *path)
{
	char below[256];
	snprintf(below, sizeof(below), "%s/%u%s", (const char *)ctx, pid, path);
	int fd = open(below, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int none_mapped(void *ctx, uint32_t pid, const char *path)
{
	(void)ctx, (void)pid, (void)path;
	return -ENOENT;
}

static uint32_t same_pid(void *ctx, uint32_t pid)
{
	return pid == 99 ? 1 : pid; /* that is what it is in its container */
}

static bool runs_as(void *ctx, uint32_t pid, uint32_t uid)
{
	return pid == 99 && uid == 4711;
}

static const struct symbols_processes processes_below = {
	.open = open_below, .open_mapped = none_mapped, .inner_pid = same_pid, .runs_as = runs_as,
};

static void jit_code_by_the_map_of_its_process(void **state)
{
	struct scratch *s = *state;
	static const char text[] =
		"1000 20 first()\n0x1010 0x8 later in it\r\nnonsense\n2000 0 empty\n3000 10\n3000 zz no\n";
	char dir[100], path[200];
	snprintf(dir, sizeof(dir), "%s/42/tmp", s->dir);
	assert_ok(file_make_dirs(dir));
	snprintf(path, sizeof(path), "%s/perf-42.map", dir);
	write_file(path, text, sizeof(text) - 1);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .processes = &processes_below, .processes_ctx = s->dir });
	s->file.pid = 42;
	struct dso *d = map_file(s, MAPPED_ANON, "//anon", NULL);
	s->map.start = 0x1000;
	assert_string_equal(name_at(s, d, 0x1000), "first()");
	assert_string_equal(name_at(s, d, 0x1012), "later in it");
	assert_string_equal(name_at(s, d, 0x1018), "first()");
	assert_null(name_at(s, d, 0x1020));
	assert_null(name_at(s, d, 0x2000));
	assert_null(name_at(s, d, 0x3000));
	assert_string_equal(dso_facts(d).source, "perf map");
	/* A process without one is nothing to complain about. */
	s->file = (struct mapped_file){ .id = 1, .pid = 43 };
	d = map_file(s, MAPPED_ANON, "//anon", NULL);
	assert_null(name_at(s, d, 0x1000));
	assert_null(dso_facts(d).problem);
}

static void jit_files_of_others_are_not_believed(void **state)
{
	struct scratch *s = *state;
	static const char text[] = "1000 20 first\n";
	static const struct {
		uint32_t pid;
		uid_t owner;
		bool believed;
	} cases[] = { { 51, 0, true }, { 52, 4711, false }, { 99, 4711, true }, { 53, 4712, false } };
	if (geteuid())
		skip(); /* only root can give files away */
	s->symbols = symbols_create(NULL, (struct symbols_options){ .processes = &processes_below, .processes_ctx = s->dir });
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char dir[100], path[200];
		uint32_t pid = cases[i].pid;
		snprintf(dir, sizeof(dir), "%s/%u/tmp", s->dir, pid);
		assert_ok(file_make_dirs(dir));
		snprintf(path, sizeof(path), "%s/perf-%u.map", dir, same_pid(NULL, pid));
		write_file(path, text, sizeof(text) - 1);
		assert_int_equal(chown(path, cases[i].owner, 0), 0);
		s->file = (struct mapped_file){ .id = i, .pid = pid };
		s->map.start = 0x1000;
		struct dso *d = map_file(s, MAPPED_ANON, "//anon", NULL);
		if (cases[i].believed) {
			assert_string_equal(name_at(s, d, 0x1000), "first");
		} else {
			assert_null(name_at(s, d, 0x1000));
			assert_non_null(strstr(dso_facts(d).problem, "ignored"));
		}
	}
}

static void files_of_containers_through_the_callback(void **state)
{
	struct scratch *s = *state;
	char dir[100], path[200];
	snprintf(dir, sizeof(dir), "%s/7/opt", s->dir);
	assert_ok(file_make_dirs(dir));
	snprintf(path, sizeof(path), "%s/app", dir);
	uint64_t text = write_object(path, id20, true, false);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .processes = &processes_below, .processes_ctx = s->dir });
	s->file.pid = 7;
	struct dso *d = map_file(s, MAPPED_FILE, "/opt/app", id20);
	assert_string_equal(name_at(s, d, s->map.start + text), "local");
}

static void files_of_those_that_ended_through_the_next(void **state)
{
	struct scratch *s = *state;
	char dir[100], path[200];
	s->symbols = symbols_create(NULL, (struct symbols_options){ .live = true, .processes = &processes_below,
								     .processes_ctx = s->dir });
	s->file.pid = s->file.last_pid = 7;
	struct dso *d = map_file(s, MAPPED_FILE, "/opt/app", id20);
	assert_null(name_at(s, d, s->map.start));
	assert_non_null(dso_facts(d).problem);
	snprintf(dir, sizeof(dir), "%s/8/opt", s->dir);
	assert_ok(file_make_dirs(dir));
	snprintf(path, sizeof(path), "%s/app", dir);
	uint64_t text = write_object(path, id20, true, false);
	assert_null(name_at(s, d, s->map.start + text)); /* no other process has mapped it yet */
	s->file.last_pid = 8;
	assert_string_equal(name_at(s, d, s->map.start + text), "local");
	assert_null(dso_facts(d).problem);
	s->file.last_pid = 9;
	assert_string_equal(name_at(s, d, s->map.start + text), "local");
}

static void the_vdso_from_memory(void **state)
{
	struct scratch *s = *state;
	const uint8_t *vdso = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	if (!vdso) {
		print_message("this process has no vdso\n");
		skip();
	}
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_VDSO, "[vdso]", NULL);
	dso_symbol(d, 0);
	assert_string_equal(dso_facts(d).source, "vdso");
	bool found = false;
	for (uint64_t at = 0; at < 0x2000 && !found; at += 16) {
		const char *name = name_at(s, d, s->map.start + at);
		found = name && strstr(name, "clock_gettime");
	}
	assert_true(found);
	/* Another machine's: by its build-id. */
	s->file = (struct mapped_file){ .id = 1 };
	d = map_file(s, MAPPED_VDSO, "[vdso]", id20);
	assert_null(dso_symbol(d, 0x800));
	assert_non_null(strstr(dso_facts(d).problem, "build-id"));
}

/* A recorder's vdso, of another class: its own file stands for it. */
static void *give_vdso(void *ctx, size_t *ret_bytes)
{
	size_t n;
	const void *own = object_own_vdso(&n);
	*ret_bytes = n;
	return own ? xmemdup(own, n) : NULL;
}

static void the_vdso_of_32_bit_programs(void **state)
{
	struct scratch *s = *state;
	static const struct symbols_processes processes = { .read_compat_vdso = give_vdso };
	s->symbols = symbols_create(NULL, (struct symbols_options){ .processes = &processes });
	struct dso *d = map_file(s, MAPPED_VDSO, "[vdso32]", NULL);
	dso_symbol(d, 0);
	size_t n;
	if (object_own_vdso(&n))
		assert_string_equal(dso_facts(d).source, "vdso");
	symbols_destroy(s->symbols);
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	d = map_file(s, MAPPED_VDSO, "[vdso32]", NULL); /* ours is not taken for it */
	dso_symbol(d, 0);
	assert_null(dso_facts(d).source);
}

static void kernel_symbols_move_with_the_recorded_kernel(void **state)
{
	struct scratch *s = *state;
	static const char list[] =
		"ffffffff81000000 T _text\nffffffff81000100 T _stext\nffffffff81000200 T schedule\n"
		"ffffffff81000300 t _ZN3foo3barEv\nffffffff81000400 T _etext\nffffffffc0000000 t m\t[mod]\n";
	write_file(in_scratch(s, "kallsyms"), list, sizeof(list) - 1);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .kallsyms = s->path });
	struct dso *d = map_file(s, MAPPED_KERNEL, "[kernel.kallsyms]_text", NULL);
	s->map = (struct map){ .start = 0xffffffff99000000, .end = 0xffffffff9a000000, .pgoff = 0xffffffff99000000,
			       .file = &s->file };
	assert_string_equal(name_at(s, d, 0xffffffff99000250), "schedule");
	assert_int_equal(dso_address(d, &s->map, 0xffffffff99000250), 0xffffffff99000250);
	assert_int_equal(dso_symbol(d, 0xffffffff99000250)->start, 0xffffffff99000200);
	/* Names of the kernel stay as they are. */
	assert_string_equal(name_at(s, d, 0xffffffff99000300), "_ZN3foo3barEv");
	assert_string_equal(dso_facts(d).source, "kallsyms");
	s->file = (struct mapped_file){ .id = 1 };
	d = map_file(s, MAPPED_KERNEL, "[kernel.kallsyms]_stext", NULL);
	s->map.pgoff = 0xffffffff99000100;
	assert_string_equal(name_at(s, d, 0xffffffff99000250), "schedule");
	s->file = (struct mapped_file){ .id = 2 };
	d = map_file(s, MAPPED_MODULE, "[mod]", NULL);
	s->map.start = 0xffffffffc0000000;
	assert_string_equal(name_at(s, d, 0xffffffffc0000004), "m");
}

static void a_vmlinux_that_was_named(void **state)
{
	struct scratch *s = *state;
	struct elf_builder b = { .is_64bit = true, .type = ET_EXEC, .machine = EM_X86_64 };
	elf_add_build_id(&b, id20, 20);
	uint32_t text =
		elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0xffffffff81000000, code, 512);
	elf_add_symbol(&b, &b.symtab, "_text", 0xffffffff81000000, 0, STB_GLOBAL, STT_NOTYPE, text);
	elf_add_symbol(&b, &b.symtab, "schedule", 0xffffffff81000100, 0x40, STB_GLOBAL, STT_FUNC, text);
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	write_file(in_scratch(s, "vmlinux"), bytes, n);
	free(bytes);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .vmlinux = s->path });
	struct dso *d = map_file(s, MAPPED_KERNEL, "[kernel.kallsyms]_text", id20);
	s->map.pgoff = 0xffffffff92000000;
	assert_string_equal(name_at(s, d, 0xffffffff92000120), "schedule");
	assert_string_equal(dso_facts(d).source, "vmlinux");
	/* Of another build it is refused, unless the check is turned off. */
	uint8_t other[20] = { 1 };
	s->file = (struct mapped_file){ .id = 1 };
	d = map_file(s, MAPPED_KERNEL, "[kernel.kallsyms]_text", other);
	assert_null(name_at(s, d, 0xffffffff81000120));
	assert_non_null(strstr(dso_facts(d).problem, "replaced"));
	symbols_destroy(s->symbols);
	s->symbols = symbols_create(NULL, (struct symbols_options){ .vmlinux = s->path, .ignore_vmlinux_buildid = true });
	s->file = (struct mapped_file){};
	d = map_file(s, MAPPED_KERNEL, "[kernel.kallsyms]_text", other);
	assert_string_equal(name_at(s, d, 0xffffffff81000120), "schedule");
}

static void modules_from_their_files(void **state)
{
	struct scratch *s = *state;
	struct elf_builder b = { .is_64bit = true, .type = ET_REL, .machine = EM_X86_64 };
	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code, 512);
	uint32_t init = elf_add_section(&b, ".init.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code, 512);
	elf_add_symbol(&b, &b.symtab, "mod_read", 0x40, 0x40, STB_LOCAL, STT_FUNC, text);
	elf_add_symbol(&b, &b.symtab, "mod_init", 0x40, 0x40, STB_LOCAL, STT_FUNC, init);
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	write_file(in_scratch(s, "mod.ko"), bytes, n);
	free(bytes);
	struct env *env = xcalloc(1, sizeof(*env));
	env->os_release = "0.0-not-this-one";
	s->symbols = symbols_create(env, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_MODULE, s->path, NULL);
	s->map.start = 0xffffffffc0400000;
	assert_string_equal(name_at(s, d, 0xffffffffc0400050), "mod_read");
	assert_string_equal(dso_facts(d).source, "module");
	symbols_destroy(s->symbols);
	s->symbols = symbols_create(env, (struct symbols_options){ .no_modules = true });
	d = map_file(s, MAPPED_MODULE, s->path, NULL);
	assert_null(name_at(s, d, 0xffffffffc0400050));
	assert_string_equal(dso_facts(d).problem, "symbols of modules are omitted (--no-modules)");
	/* The kernel itself is another than ours: it has no symbols, and says why. */
	s->file = (struct mapped_file){ .id = 1 };
	d = map_file(s, MAPPED_KERNEL, "[kernel.kallsyms]_text", NULL);
	assert_null(name_at(s, d, 0xffffffff81000000));
	assert_non_null(dso_facts(d).problem);
	symbols_destroy(s->symbols);
	s->symbols = NULL;
	free(env);
}

static void programs_of_bpf_by_their_records(void **state)
{
	struct scratch *s = *state;
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_BPF, "bpf_prog_1234_trace", NULL);
	s->map.start = 0xffffffffc0100000;
	s->map.end = 0xffffffffc0100080;
	assert_string_equal(name_at(s, d, 0xffffffffc0100010), "bpf_prog_1234_trace");
	assert_null(dso_symbol(d, 0xffffffffc0100080));
	const struct symbol *sym = dso_symbol(d, 0xffffffffc0100000);
	assert_ptr_equal(sym, dso_symbol(d, 0xffffffffc0100001));
	assert_int_equal(sym->end - sym->start, 0x80);
	assert_string_equal(dso_facts(d).source, "ksymbol");
}

/* Several threads look up every byte of one DSO, from nothing loaded on; all must get the same symbols. */
struct asker {
	struct scratch *s;
	struct dso *d;
	uint64_t text;
	const struct symbol *got[0x80];
	const char *names[0x80];
};

static void *look_up(void *arg)
{
	struct asker *a = arg;
	for (uint64_t i = 0; i < 0x80; i++) {
		a->got[i] = dso_symbol(a->d, dso_address(a->d, &a->s->map, a->s->map.start + a->text + i));
		a->names[i] = a->got[i] ? dso_symbol_name(a->d, a->got[i]) : NULL;
	}
	return NULL;
}

static void threads_get_the_same_symbols(void **state)
{
	struct scratch *s = *state;
	static struct asker threads_state[4];
	pthread_t threads[4];
	uint64_t text = write_object(in_scratch(s, "lib.so"), id20, true, true);
	s->symbols = symbols_create(NULL, (struct symbols_options){});
	struct dso *d = map_file(s, MAPPED_FILE, s->path, id20);
	for (int i = 0; i < 4; i++) {
		threads_state[i] = (struct asker){ .s = s, .d = d, .text = text };
		assert_int_equal(pthread_create(&threads[i], NULL, look_up, &threads_state[i]), 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 4; i++) {
		assert_memory_equal(threads_state[i].got, threads_state[0].got, sizeof(threads_state[0].got));
		assert_memory_equal(threads_state[i].names, threads_state[0].names, sizeof(threads_state[0].names));
	}
	assert_string_equal(threads_state[0].names[0x21], "a::b");
}

static void write_list(const char *dir, const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void packages_by_the_lists_of_dpkg(void **state)
{
	static const char *const cases[][2] = {
		{ "/usr/bin/bash", "bash-dbgsym" },      { "/usr/bin/python3.11", "python3.11-dbg" },
		{ "/usr/lib/libz.so.1", "zlib1g-dbgsym" }, { "/usr/lib/libc.so.6", "libc6-dbg" },
		{ "/usr/bin/bas", NULL },                { "/bash", NULL },
	};
	(void)state;
	char dir[] = "/tmp/strobe-unit-XXXXXX";
	assert_non_null(mkdtemp(dir));
	write_list(dir, "bash.list", "/.\n/bin\n/bin/bash\n/etc/skel\n");
	write_list(dir, "python3.11-minimal.list", "/usr/bin\n/usr/bin/python3.11\n");
	write_list(dir, "zlib1g:amd64.list", "/usr/lib/libz.so.1\n");
	write_list(dir, "libc6:amd64.list", "/lib/libc.so.6\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *found = debug_package_of(cases[i][0], dir);
		if (cases[i][1])
			assert_string_equal(found, cases[i][1]);
		else
			assert_null(found);
		free(found);
	}
	char command[64];
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_by_both_tables),
		TEST(names_as_linked_on_request),
		TEST(a_replaced_file_is_named_and_not_used),
		TEST(the_build_id_cache_serves_for_what_is_gone),
		TEST(a_debug_file_names_what_was_stripped),
		TEST(lines_are_read_without_functions),
		TEST(what_has_no_symbols_says_so),
		TEST(jit_code_by_the_map_of_its_process),
		TEST(jit_files_of_others_are_not_believed),
		TEST(files_of_containers_through_the_callback),
		TEST(files_of_those_that_ended_through_the_next),
		TEST(the_vdso_from_memory),
		TEST(the_vdso_of_32_bit_programs),
		TEST(kernel_symbols_move_with_the_recorded_kernel),
		TEST(a_vmlinux_that_was_named),
		TEST(modules_from_their_files),
		TEST(programs_of_bpf_by_their_records),
		TEST(packages_by_the_lists_of_dpkg),
		TEST(threads_get_the_same_symbols),
	};
	return cmocka_run_group_tests_name("symbol", tests, NULL, NULL);
}
