/* Any bytes as an ELF file: its tables, notes, compressed sections and PLT, and the symbols of a DSO made of it. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "object/gopclntab.h"
#include "object/object.h"
#include "object/symbols_file.h"
#include "symbol/symbol_priv.h"
#include "unwind/functions.h"
#include "unwind/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool seen_path(void *ctx, const char *path)
{
	*(size_t *)ctx += strlen(path);
	return false;
}

static void ask_sections(struct object *o)
{
	size_t sum = 0, n;
	for (size_t i = 0; i < object_sections_count(o); i++) {
		const void *p;
		const struct object_section *s = object_section(o, i);
		struct strobe_error *err = object_section_bytes(o, s, &p, &n);
		if (!err && n)
			sum += ((const uint8_t *)p)[0] + ((const uint8_t *)p)[n - 1] + strlen(s->name);
		error_destroy(err);
	}
	object_find_debug(o, "/usr/bin/x", NULL, seen_path, &sum);
}

static void ask_addresses(struct object *o)
{
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		uint64_t v;
		size_t n;
		object_vaddr_of_offset(o, s->offset + 1, &v);
		object_offset_of_vaddr(o, s->vaddr + 1, &v);
		const uint8_t *p = object_bytes_at(o, s->vaddr, &n);
		if (p && n)
			v += (uint64_t)p[0] + p[n - 1];
	}
}

static void ask_symbols(struct object *o)
{
	struct symbols *session = symbols_create(NULL, (struct symbols_options){});
	struct mapped_file file = { .path = "x", .name = "x" };
	struct dso *d = symbols_dso(session, &file);
	elf_load_table(d, &(struct elf_load){ .object = o, .demangle = true });
	for (size_t i = 0; i < d->table.segments_nr && i < 4096; i++) {
		uint32_t at = symtable_find(&d->table, d->table.starts[i]);
		if (at != SYMTABLE_NONE && strlen(symtable_name(&d->table, &d->table.entries[at])) > 1 << 30)
			abort();
		if (i && d->table.starts[i - 1] >= d->table.starts[i])
			abort();
	}
	symbols_destroy(session);
}

/* The depths of the stack in each function of Go: ranges that follow each other. */
static void read_depths(const struct gopclntab *t, const struct gopclntab_function *f)
{
	struct gopclntab_values v = gopclntab_depths(t, f);
	for (uint64_t before = f->start; gopclntab_next(&v); before = v.to)
		if (v.from != before || v.to <= v.from)
			abort();
}

/* The unwind table, with rows for Go's functions, holds what look-ups rely on. */
static void build_table(struct object *o)
{
	struct unwind_table *t = unwind_table_of(o, NULL);
	for (uint32_t i = 0; t && i < t->rows_nr; i++)
		if ((t->rows[i] & (UNWIND_RULES_MAX - 1)) >= t->rules_nr)
			abort();
	if (t && (t->pages[0] != 1 || t->pages[t->pages_nr] != t->rows_nr))
		abort();
	unwind_table_destroy(t);
}

/* Ranges by unwind information, which must not overlap, and functions and lines of Go. */
static void find_functions(struct object *o)
{
	struct unwind_functions f;
	struct gopclntab t;
	struct gopclntab_function go;
	const char *file;
	uint32_t line;
	unwind_functions_of(o, NULL, &f);
	for (size_t i = 0; i < f.list.len; i++) {
		const struct unwind_function *one = &f.list.data[i];
		if (one->end <= one->start || (i && one[-1].end > one->start) || unwind_function_at(&f, one->start) != one)
			abort();
	}
	vec_deinit(&f.list);
	build_table(o);
	if (!gopclntab_open(o, &t))
		return;
	for (uint64_t i = 0; i < t.functions_nr && i < 4096; i++) {
		if (!gopclntab_function(&t, i, &go))
			continue;
		read_depths(&t, &go);
		if (gopclntab_line(&t, go.start, &file, &line) && (!strlen(file) || !strlen(go.name)))
			line = 0;
	}
}

/* Tables that lie over each other may leave a copy that is none; it has no code in any case. */
static void copy_symbols(struct object *o)
{
	uint64_t n = object_symbols_bytes(o);
	int fd = n && n < 1 << 20 ? memfd_create("symbols", MFD_CLOEXEC) : -1;
	struct object *copy;
	if (fd < 0)
		return;
	struct strobe_error *err = object_write_symbols(o, fd, "symbols");
	if (!err)
		err = object_open_fd(fd, "symbols", &copy);
	if (!err) {
		ask_addresses(copy);
		object_close(copy);
	}
	error_destroy(err);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct strobe_error *err = object_open_memory(data, size, "input", &o);
	if (err) {
		error_destroy(err);
		return 0;
	}
	object_build_id(o, id);
	ask_sections(o);
	ask_addresses(o);
	ask_symbols(o);
	find_functions(o);
	copy_symbols(o);
	object_close(o);
	return 0;
}
