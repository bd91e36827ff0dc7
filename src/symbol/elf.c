/* Symbols of ELF files: .symtab and .dynsym merged, and the stubs of the PLT. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "object/buildid_cache.h"
#include "object/debuginfod.h"
#include "object/gopclntab.h"
#include "symbol/symbol_priv.h"

enum { SPACE_SYMTAB, SPACE_DYNSYM, SPACE_OWN, SPACE_GO };

/* Properties of a symbol's section. */
struct section_kind {
	bool loaded;       /* SHF_ALLOC; in relocatable files only code: the kernel places their data elsewhere */
	bool takes_labels; /* symbols without a type are only used in text and data sections */
	char type;         /* of objects, as nm prints it: d b r; functions are t */
	uint64_t base;     /* of relocatable files, whose symbols are relative to the section; else 0 */
};

struct loader {
	struct dso *d;
	const struct elf_load *from;
	struct symtable_builder builder;
	struct section_kind *kinds;
	size_t kinds_nr;
	bool mapping_symbols, thumb;
	struct u64map ifuncs; /* resolver → entry, made for the first PLT stub that needs it */
	struct strbuf own;    /* names not in a table: of PLT stubs */
};

static void read_kinds(struct loader *l)
{
	bool relocatable = object_header(l->from->object)->type == ET_REL;
	l->kinds_nr = object_sections_count(l->from->object);
	l->kinds = xcalloc(l->kinds_nr + 1, sizeof(*l->kinds));
	for (size_t i = 0; i < l->kinds_nr; i++) {
		const struct object_section *s = object_section(l->from->object, i);
		l->kinds[i] = (struct section_kind){
			.loaded = relocatable ? object_section_is_code(s) : s->flags & SHF_ALLOC,
			.base = relocatable ? s->addr : 0,
			.takes_labels = strstr(s->name, ".text") || strstr(s->name, ".data"),
			.type = s->flags & SHF_EXECINSTR ? 't'
				: s->type == SHT_NOBITS  ? 'b'
				: s->flags & SHF_WRITE   ? 'd'
							 : 'r',
		};
	}
}

/* Mapping symbols: $a $d $t $x, alone or before a dot; riscv adds the ISA to $x. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]);
}

static bool is_taken(const struct loader *l, const struct object_symbol *s, const char *name)
{
	unsigned type = ELF64_ST_TYPE(s->info), visibility = ELF64_ST_VISIBILITY(s->other);
	if (!*name || s->section == SHN_UNDEF || s->section == SHN_ABS || s->section == SHN_COMMON)
		return false;
	bool known = s->section < l->kinds_nr && s->section < SHN_LORESERVE;
	if (known && !l->kinds[s->section].loaded)
		return false;
	if (type == STT_NOTYPE)
		return known && l->kinds[s->section].takes_labels && visibility != STV_HIDDEN &&
		       visibility != STV_INTERNAL;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

static char type_letter(const struct loader *l, const struct object_symbol *s)
{
	unsigned type = ELF64_ST_TYPE(s->info), binding = ELF64_ST_BIND(s->info);
	if (type == STT_GNU_IFUNC)
		return 'i';
	if (binding == STB_WEAK)
		return type == STT_OBJECT ? 'V' : 'W';
	if (binding == STB_GNU_UNIQUE)
		return 'u';
	char letter = s->section < l->kinds_nr ? l->kinds[s->section].type : 't';
	return binding == STB_LOCAL ? letter : (char)(letter - 'a' + 'A');
}

static void add_symbols(struct loader *l, const struct object_symtab *t, uint8_t space)
{
	l->builder.names[space] = (struct symtable_names){ .data = t->strings, .bytes = t->strings_bytes };
	vec_reserve(&l->builder.entries, l->builder.entries.len + t->count);
	for (size_t i = 1; i < t->count; i++) {
		struct object_symbol s = object_symbol(t, i);
		const char *name = object_symbol_name(t, &s);
		if (!is_taken(l, &s, name) || (l->mapping_symbols && is_mapping_symbol(name)))
			continue;
		uint64_t start = s.value + (s.section < l->kinds_nr ? l->kinds[s.section].base : 0);
		if (l->thumb && ELF64_ST_TYPE(s.info) == STT_FUNC)
			start &= ~(uint64_t)1;
		struct symtable_entry e = {
			.start = start,
			.end = s.size > UINT64_MAX - start ? UINT64_MAX : start + s.size,
			.name = s.name,
			.space = space,
			.binding = ELF64_ST_BIND(s.info),
			.type = type_letter(l, &s),
		};
		vec_push(&l->builder.entries, e);
	}
}

/* The name of the ifunc whose resolver is at vaddr; "": no symbol begins there. */
static const char *resolver_name(struct loader *l, uint64_t vaddr)
{
	if (!l->ifuncs.slots)
		for (size_t i = 0; i < l->builder.entries.len; i++)
			if (l->builder.entries.data[i].type == 'i')
				*u64map_put(&l->ifuncs, l->builder.entries.data[i].start, NULL) = i;
	const uint64_t *found = u64map_get(&l->ifuncs, vaddr);
	if (!found)
		return "";
	const struct symtable_entry *e = &l->builder.entries.data[*found];
	return l->builder.names[e->space].data + e->name;
}

struct plt_loader {
	struct loader *l;
	struct object_symtab dynsym;
	bool has_dynsym;
};

/* Without symbol versions: "foo@GLIBC_2.4" would become "foo@GLIBC_2.4@plt". */
static void add_plt_entry(void *ctx, const struct object_plt_entry *p)
{
	struct plt_loader *plt = ctx;
	struct loader *l = plt->l;
	const char *name = "";
	if (p->symbol && plt->has_dynsym && p->symbol < plt->dynsym.count) {
		struct object_symbol s = object_symbol(&plt->dynsym, p->symbol);
		name = object_symbol_name(&plt->dynsym, &s);
	} else if (!p->symbol) {
		name = resolver_name(l, p->resolver);
	}
	struct symtable_entry e = {
		.start = p->vaddr,
		.end = p->vaddr > UINT64_MAX - p->bytes ? UINT64_MAX : p->vaddr + p->bytes,
		.name = (uint32_t)l->own.len,
		.space = SPACE_OWN,
		.binding = STB_GLOBAL,
		.type = 'T',
	};
	if (*name)
		strbuf_addf(&l->own, "%s@plt", name);
	else
		strbuf_addf(&l->own, "*ABS*+0x%llx@plt", (unsigned long long)p->resolver);
	strbuf_addch(&l->own, 0);
	vec_push(&l->builder.entries, e);
}

static void add_plt(struct loader *l, struct object *o)
{
	struct plt_loader plt = { .l = l };
	plt.has_dynsym = object_symtab(o, SHT_DYNSYM, &plt.dynsym);
	strbuf_addch(&l->own, 0);
	object_each_plt(o, add_plt_entry, &plt);
	char *names = arena_memdup(&l->d->arena, l->own.data, l->own.len);
	l->builder.names[SPACE_OWN] = (struct symtable_names){ .data = names, .bytes = l->own.len };
}

/* For a stripped program: its runtime still has names of functions. */
static void add_go_functions(struct loader *l, struct object *o)
{
	struct gopclntab t;
	struct gopclntab_function f;
	if (!gopclntab_open(o, &t))
		return;
	l->builder.names[SPACE_GO] = (struct symtable_names){ .data = (const char *)t.data, .bytes = t.bytes };
	for (uint64_t i = 0; i < t.functions_nr; i++) {
		if (!gopclntab_function(&t, i, &f) || !*f.name)
			continue;
		size_t at = (size_t)(f.name - (const char *)t.data);
		if (at > UINT32_MAX)
			break;
		struct symtable_entry e = {
			.start = f.start, .end = f.end, .name = (uint32_t)at, .space = SPACE_GO, .binding = STB_LOCAL, .type = 't',
		};
		vec_push(&l->builder.entries, e);
	}
}

void elf_load_table(struct dso *d, const struct elf_load *from)
{
	struct object *o = from->object;
	const struct object_header *h = object_header(o);
	struct loader l = { .d = d, .from = from, .builder.demangle = from->demangle };
	l.mapping_symbols = h->arch && h->arch->mapping_symbols;
	l.thumb = h->machine == EM_ARM;
	read_kinds(&l);
	struct object_symtab t;
	d->has_symtab = object_symtab(from->symbols_from ? from->symbols_from : o, SHT_SYMTAB, &t);
	if (d->has_symtab)
		add_symbols(&l, &t, SPACE_SYMTAB);
	else if (!d->session->options.no_functions)
		add_go_functions(&l, o);
	if (object_symtab(o, SHT_DYNSYM, &t))
		add_symbols(&l, &t, SPACE_DYNSYM);
	add_plt(&l, o);
	if (l.builder.entries.len) {
		symtable_finish(&l.builder, &d->table);
		d->has_table = true;
	}
	symtable_builder_deinit(&l.builder);
	strbuf_deinit(&l.own);
	u64map_deinit(&l.ifuncs);
	free(l.kinds);
}

static bool same_build_id(const struct mapped_file *f, const uint8_t *id, size_t n)
{
	/* Recorders keep 20 bytes; a shorter one may have been padded with zeros to them. */
	size_t kept = n < RECORD_BUILD_ID_MAX ? n : RECORD_BUILD_ID_MAX;
	if (kept > f->build_id_len || memcmp(f->build_id, id, kept))
		return false;
	for (size_t i = kept; i < f->build_id_len; i++)
		if (f->build_id[i])
			return false;
	return true;
}

bool elf_matches(struct dso *d, const struct object *o, const char *path)
{
	const struct mapped_file *f = d->file;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	if (!f->build_id_len || (f->kind == MAPPED_KERNEL && d->session->options.ignore_vmlinux_buildid))
		return true;
	size_t n = object_build_id(o, id);
	if (n && same_build_id(f, id, n))
		return true;
	const char *its = n ? dso_hex(d, id, n) : "missing";
	dso_problem(d, "%s was replaced since it was recorded: its build-id is %s, recorded was %s", path, its,
		    dso_hex(d, f->build_id, f->build_id_len));
	dso_tried(d, path, arena_printf(&d->arena, "differs: its build-id is %s", its));
	d->found_another = true;
	return false;
}

static int open_path(struct dso *d, const char *path, uint32_t pid)
{
	const struct symbols_options *o = &d->session->options;
	int fd = pid && o->processes ? o->processes->open(o->processes_ctx, pid, path) : SYMBOLS_SAME_FILES;
	if (fd >= 0)
		return fd;
	/* The process's file no longer exists: only a build ID can show whether ours is the same. */
	if (fd != SYMBOLS_SAME_FILES && !d->file->build_id_len) {
		errno = -fd;
		return -1;
	}
	/* O_NONBLOCK: a path of a recording may name a FIFO by now. */
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* fd: of the file at path, or -1 with errno; it stays the caller's. */
static bool open_checked_fd(struct dso *d, const char *path, int fd, struct object **ret)
{
	if (fd < 0) {
		dso_problem(d, "cannot open %s: %s", path, strerror(errno));
		dso_tried(d, path, strerror(errno));
		return false;
	}
	struct object *o;
	bool may_be_packed = d->file->kind == MAPPED_MODULE;
	_cleanup_error_ struct strobe_error *err = may_be_packed ? object_open_packed_fd(fd, path, &o) :
								   object_open_fd(fd, path, &o);
	if (err) {
		dso_problem(d, "%s", err->message);
		dso_tried(d, path, err->message);
		return false;
	}
	if (!elf_matches(d, o, path)) {
		object_close(o);
		return false;
	}
	dso_tried(d, path, "taken");
	*ret = o;
	return true;
}

bool elf_open_checked(struct dso *d, const char *path, uint32_t pid, struct object **ret)
{
	_cleanup_close_ int fd = open_path(d, path, pid);
	return open_checked_fd(d, path, fd, ret);
}

/* A file that a process still has mapped, though it was removed from its path. */
static bool open_mapped_by(struct dso *d, uint32_t pid)
{
	const struct symbols_options *o = &d->session->options;
	if (o->symfs || !o->processes || d->file->kind != MAPPED_FILE || !pid)
		return false;
	_cleanup_close_ int fd = o->processes->open_mapped(o->processes_ctx, pid, d->file->path);
	if (fd < 0 || !open_checked_fd(d, d->file->path, fd, &d->object))
		return false;
	d->problem = NULL; /* the file at the path is irrelevant */
	d->found_another = false;
	return true;
}

const char *elf_debug_path(struct dso *d)
{
	if (d->file->build_id_len < 2)
		return NULL;
	const char *hex = dso_hex(d, d->file->build_id, d->file->build_id_len);
	return dso_below_symfs(d, arena_printf(&d->arena, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2));
}

/* ~/.debug/.build-id/ab/cdef…/NAME, as buildid-cache keeps it: "elf" for files, "vdso", "kallsyms"; "debug" besides. */
const char *dso_cached_path(struct dso *d, const char *name)
{
	const char *dir = d->session->options.buildid_dir;
	if (!dir || d->file->build_id_len < 2)
		return NULL;
	const char *hex = dso_hex(d, d->file->build_id, d->file->build_id_len);
	return arena_printf(&d->arena, "%s/.build-id/%.2s/%s/%s", dir, hex, hex + 2, name);
}

/* The path of a file with this build ID fetched from a debuginfod server, for the caller to free; or NULL. */
static char *fetch_from_servers(struct dso *d, enum debuginfod_kind kind)
{
	const struct mapped_file *f = d->file;
	struct debuginfod *servers = d->session->options.debuginfod;
	uint8_t own[OBJECT_BUILD_ID_MAX];
	size_t n = f->build_id_len || !d->object ? 0 : object_build_id(d->object, own);
	const char *hex = f->build_id_len ? dso_hex(d, f->build_id, f->build_id_len) : n ? dso_hex(d, own, n) : NULL;
	char *path = NULL;
	if (!servers || !hex || d->session->options.live)
		return NULL;
	_cleanup_error_ struct strobe_error *err = debuginfod_find(servers, hex, kind, &path);
	if (err)
		dso_tried(d, "debuginfod", err->message);
	return err ? NULL : path;
}

/* In the view of the first process that mapped it or, if that has ended, the last. */
static bool open_as_seen(struct dso *d, const char *path)
{
	const struct mapped_file *f = d->file;
	if (d->session->options.symfs)
		return elf_open_checked(d, path, 0, &d->object);
	return elf_open_checked(d, path, f->pid, &d->object) ||
	       (f->last_pid != f->pid && elf_open_checked(d, path, f->last_pid, &d->object));
}

static bool open_file(struct dso *d)
{
	const char *path = dso_below_symfs(d, d->file->path);
	const char *cached = dso_cached_path(d, d->file->kind == MAPPED_VDSO ? "vdso" : "elf");
	bool found = d->file->kind != MAPPED_VDSO && open_as_seen(d, path);
	if (!found && cached && access(cached, R_OK)) {
		dso_tried(d, cached, strerror(errno));
	} else if (!found && cached && elf_open_checked(d, cached, 0, &d->object)) {
		found = true;
		path = cached;
	}
	found = found || open_mapped_by(d, d->file->pid) || (d->file->last_pid != d->file->pid && open_mapped_by(d, d->file->last_pid));
	const char *symbols = found || d->file->kind != MAPPED_FILE ? NULL : dso_cached_path(d, BUILDID_CACHE_SYMBOLS);
	if (symbols && !access(symbols, R_OK) && elf_open_checked(d, symbols, 0, &d->object)) {
		found = true;
		path = symbols;
	}
	char *fetched = !found && d->file->kind == MAPPED_FILE ? fetch_from_servers(d, DEBUGINFOD_EXECUTABLE) : NULL;
	if (fetched) {
		path = arena_strdup(&d->arena, fetched);
		found = elf_open_checked(d, path, 0, &d->object);
		free(fetched);
	}
	if (found)
		d->long_name = path;
	return found;
}

struct debug_search {
	struct dso *dso;
	struct object *of;
	bool (*is_usable)(const struct object *o);
	struct object *found;
};

/* A debug file is usable if it belongs to the mapped file, and has the requested data. */
static bool try_debug_file(void *ctx, const char *path)
{
	struct debug_search *s = ctx;
	struct object *o;
	if (access(path, R_OK)) {
		dso_tried(s->dso, path, strerror(errno));
		return false;
	}
	_cleanup_error_ struct strobe_error *err = object_open(path, &o);
	if (err) {
		dso_tried(s->dso, path, err->message);
		return false;
	}
	bool same = object_is_debug_of(o, s->of);
	if (!same || !s->is_usable(o)) {
		uint8_t id[OBJECT_BUILD_ID_MAX];
		dso_tried(s->dso, path,
			  same ? "does not contain the required data" :
			  object_build_id(s->of, id) ? "differs: another build-id" : "differs: another checksum");
		object_close(o);
		return false;
	}
	dso_tried(s->dso, path, "taken");
	s->found = o;
	return true;
}

struct object *elf_open_debug(struct dso *d, struct object *of, bool (*is_usable)(const struct object *o))
{
	struct debug_search s = { d, of, is_usable, NULL };
	const char *cached = dso_cached_path(d, "debug");
	if (!cached || !try_debug_file(&s, cached))
		object_find_debug(of, d->file->path, d->session->options.symfs, try_debug_file, &s);
	_cleanup_free_ char *fetched = s.found ? NULL : fetch_from_servers(d, DEBUGINFOD_DEBUG);
	if (fetched)
		try_debug_file(&s, fetched);
	return s.found;
}

static bool has_symtab(const struct object *o)
{
	struct object_symtab t;
	return object_symtab(o, SHT_SYMTAB, &t);
}

static void open_mini(struct dso *d)
{
	_cleanup_error_ struct strobe_error *err = object_open_mini(d->object, &d->symbols_object);
	if (err || d->symbols_object)
		dso_tried(d, d->long_name, err ? err->message : "its MiniDebugInfo was used");
}

static bool load_elf(struct dso *d)
{
	if (!open_file(d))
		return false;
	if (!has_symtab(d->object))
		d->symbols_object = elf_open_debug(d, d->object, has_symtab);
	if (d->session->options.no_symbols)
		return true;
	if (!d->symbols_object && !has_symtab(d->object))
		open_mini(d);
	elf_load_table(d, &(struct elf_load){
				  .object = d->object,
				  .symbols_from = d->symbols_object,
				  .demangle = !d->session->options.no_demangle,
			  });
	if (!d->has_table)
		dso_problem(d, "%s has no symbols: it was stripped", d->long_name);
	/* A live session may last for hours: only names that are shown are read. */
	if (d->session->options.live)
		object_rest(d->object);
	if (d->session->options.live && d->symbols_object)
		object_rest(d->symbols_object);
	return d->has_table;
}

const struct symbol_source source_elf = {
	.name = "elf", .kinds = 1u << MAPPED_FILE | 1u << MAPPED_VDSO, .load = load_elf};
