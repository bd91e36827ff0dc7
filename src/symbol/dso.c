#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "demangle/demangle.h"
#include "object/buildid_cache.h"
#include "object/sysroot.h"
#include "symbol/kcore.h"
#include "symbol/symbol_priv.h"

/* Tried in this order; the first that applies and finds something is used. */
static const struct symbol_source *const sources[] = {
	&source_vmlinux, &source_kallsyms, &source_module, &source_vdso, &source_perf_map, &source_jitdump, &source_scripts,
	&source_elf,
};

static bool by_record(const struct dso *d)
{
	return d->file->kind == MAPPED_BPF || d->file->kind == MAPPED_OTHER_KERNEL;
}

void dso_problem(struct dso *d, const char *fmt, ...)
{
	if (d->problem)
		return;
	va_list ap;
	va_start(ap, fmt);
	char *text = xvasprintf(fmt, ap);
	va_end(ap);
	d->problem = arena_strdup(&d->arena, text);
	free(text);
}

/* Symbols and lines are searched in the same places, one after the other: equal results are reported once. */
void dso_tried(struct dso *d, const char *path, const char *outcome)
{
	for (size_t i = 0; i < d->tries.len; i++)
		if (!strcmp(d->tries.data[i].path, path) && !strcmp(d->tries.data[i].outcome, outcome))
			return;
	struct dso_try t = { .path = arena_strdup(&d->arena, path), .outcome = arena_strdup(&d->arena, outcome) };
	vec_push(&d->tries, t);
}

size_t dso_tries(struct dso *d, const struct dso_try **ret)
{
	*ret = d->tries.data;
	return d->tries.len;
}

const char *dso_hex(struct dso *d, const uint8_t *id, size_t n)
{
	char hex[BUILDID_HEX_MAX];
	buildid_hex(id, n, hex);
	return arena_strdup(&d->arena, hex);
}

const char *dso_below_symfs(struct dso *d, const char *path)
{
	const char *symfs = d->session->options.symfs;
	_cleanup_free_ char *below = symfs ? sysroot_path(symfs, path) : NULL;
	return below ? arena_strdup(&d->arena, below) : path;
}

static void load_locked(struct dso *d)
{
	if (by_record(d)) {
		d->source = "ksymbol";
		return;
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (!(sources[i]->kinds & 1u << d->file->kind) || !sources[i]->load(d))
			continue;
		d->source = sources[i]->name;
		d->problem = NULL;
		break;
	}
	size_t n = d->kernel ? d->kernel->count : d->table.entries_nr;
	if (n)
		d->made = xcalloc(n, sizeof(*d->made));
}

#define LOADS_MAX 64

/*
 * In a live session a file may have been opened too late, since the process that mapped it, in a container, lived for milliseconds. It
 * is tried again in the view of the next one.
 */
static uint64_t settled_until(const struct dso *d)
{
	bool may_come = d->session->options.live && d->file->kind == MAPPED_FILE && !d->object && d->loads_nr < LOADS_MAX;
	return may_come ? d->file->last_pid : DSO_SETTLED;
}

static bool is_loaded(const struct dso *d)
{
	uint64_t settled = atomic_load_explicit(&d->settled, memory_order_acquire);
	return atomic_load_explicit(&d->loaded, memory_order_acquire) && (settled == DSO_SETTLED || settled == d->file->last_pid);
}

void dso_load(struct dso *d)
{
	if (is_loaded(d))
		return;
	pthread_mutex_lock(&d->lock);
	if (!is_loaded(d)) {
		d->problem = NULL;
		d->found_another = false;
		d->loads_nr++;
		load_locked(d);
		atomic_store_explicit(&d->settled, settled_until(d), memory_order_release);
		atomic_store_explicit(&d->loaded, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
}

/* The record has the address and name of this code; the map has the same range. */
static void add_range(struct dso *d, const struct map *map)
{
	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; i < d->ranges.len; i++)
		if (d->ranges.data[i].start == map->start && d->ranges.data[i].end == map->end) {
			pthread_mutex_unlock(&d->lock);
			return;
		}
	struct made_symbol *m = arena_new(&d->arena, struct made_symbol);
	m->symbol = (struct symbol){
		.start = map->start,
		.end = map->end,
		.raw_name = arena_strdup(&d->arena, d->file->name ? d->file->name : ""),
		.binding = STB_LOCAL,
		.type = 't',
	};
	vec_push(&d->ranges, ((struct ksymbol_range){ .start = map->start, .end = map->end, .made = m }));
	pthread_mutex_unlock(&d->lock);
}

static const struct symbol *range_symbol(struct dso *d, uint64_t addr)
{
	const struct symbol *found = NULL;
	pthread_mutex_lock(&d->lock);
	for (size_t i = d->ranges.len; i-- && !found;)
		if (addr >= d->ranges.data[i].start && addr < d->ranges.data[i].end)
			found = &d->ranges.data[i].made->symbol;
	pthread_mutex_unlock(&d->lock);
	return found;
}

bool dso_holds(struct dso *d, const struct map *map, uint64_t address, uint64_t *ret)
{
	struct object *debug, *o = dso_object(d, &debug);
	*ret = address - map->start + dso_address(d, map, map->start);
	for (size_t i = 0; o && i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		if (s->type == PT_LOAD && *ret >= s->vaddr && *ret - s->vaddr < s->memory_bytes)
			return true;
	}
	return false;
}

uint64_t dso_address(struct dso *d, const struct map *map, uint64_t ip)
{
	uint64_t none = 0;
	switch (d->file->kind) {
	case MAPPED_KERNEL:
		if (map->pgoff)
			atomic_compare_exchange_strong(&d->recorded_base, &none, map->pgoff);
		return ip;
	case MAPPED_MODULE:
		atomic_compare_exchange_strong(&d->recorded_base, &none, map->start);
		return ip;
	case MAPPED_BPF:
	case MAPPED_OTHER_KERNEL:
		add_range(d, map);
		return ip;
	case MAPPED_FILE:
	case MAPPED_VDSO: {
		uint64_t offset = ip - map->start + map->pgoff, addr;
		dso_load(d);
		return d->object && object_vaddr_of_offset(d->object, offset, &addr) ? addr : offset;
	}
	case MAPPED_SCRIPT:
	case MAPPED_JIT: /* code is identified by its place in the dump */
		return ip - map->start + map->pgoff;
	case MAPPED_VSYSCALL:
	case MAPPED_ANON:
		break;
	}
	return ip;
}

/* The name is copied with a bounded length: mapped files may change meanwhile. */
static void fill_symbol(struct dso *d, uint32_t index, struct symbol *ret)
{
	const char *name;
	size_t most = 0;
	if (d->kernel) {
		name = kallsyms_symbol(d->kernel, index, &ret->start, &ret->end, &ret->type);
		if (*name)
			most = d->kernel->names_bytes - (size_t)(name - d->kernel->names);
		bool weak = (ret->type | 0x20) == 'w', local = ret->type >= 'a';
		ret->binding = weak ? STB_WEAK : local ? STB_LOCAL : STB_GLOBAL;
	} else {
		const struct symtable_entry *e = &d->table.entries[index];
		name = symtable_name(&d->table, e);
		if (*name)
			most = d->table.names[e->space].bytes - e->name;
		ret->start = e->start;
		ret->end = e->end;
		ret->binding = e->binding;
		ret->type = e->type;
	}
	ret->start += (uint64_t)d->shift;
	ret->end += (uint64_t)d->shift;
	ret->raw_name = arena_strndup(&d->arena, name, strnlen(name, most));
}

/* Entries become symbols when they are first met. */
static const struct symbol *make_symbol(struct dso *d, uint32_t index)
{
	pthread_mutex_lock(&d->lock);
	struct made_symbol *m = atomic_load_explicit(&d->made[index], memory_order_relaxed);
	if (!m) {
		m = arena_new(&d->arena, struct made_symbol);
		fill_symbol(d, index, &m->symbol);
		atomic_store_explicit(&d->made[index], m, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return &m->symbol;
}

const struct symbol *dso_symbol(struct dso *d, uint64_t addr)
{
	dso_load(d);
	if (by_record(d))
		return range_symbol(d, addr);
	if (d->scripts)
		return dso_script_symbol(d, addr);
	uint64_t at = addr - (uint64_t)d->shift;
	uint32_t index = !d->made ? SYMTABLE_NONE : d->kernel ? kallsyms_find(d->kernel, at) : symtable_find(&d->table, at);
	if (index == SYMTABLE_NONE)
		return dso_function(d, addr);
	/* Otherwise a symbol without a size would cover functions without symbols. */
	const struct symbol *function = !d->kernel && !d->has_symtab && d->table.entries[index].loose ? dso_function(d, addr) : NULL;
	if (function && function->start > d->table.entries[index].start + (uint64_t)d->shift)
		return function;
	const struct made_symbol *m = atomic_load_explicit(&d->made[index], memory_order_acquire);
	return m ? &m->symbol : make_symbol(d, index);
}

void dso_each_symbol(struct dso *d, void (*fn)(void *ctx, const struct symbol *sym), void *ctx)
{
	dso_load(d);
	if (!d->made)
		return;
	size_t n = d->kernel ? d->kernel->count : d->table.entries_nr;
	for (size_t i = 0; i < n; i++)
		if (!d->kernel || d->kernel->types[i])
			fn(ctx, make_symbol(d, (uint32_t)i));
}

/* perf does not demangle names of the kernel by default: some of them look mangled. */
static bool is_kernel(const struct dso *d)
{
	return d->file->kind == MAPPED_KERNEL || d->file->kind == MAPPED_MODULE || by_record(d);
}

bool dso_demangles(const struct dso *d, const char *raw_name)
{
	const struct symbols_options *options = &d->session->options;
	return !options->no_demangle && (!is_kernel(d) || options->demangle_kernel) && demangle_is_mangled(raw_name);
}

const char *dso_symbol_name(struct dso *d, const struct symbol *sym)
{
	if (!dso_demangles(d, sym->raw_name))
		return sym->raw_name;
	struct made_symbol *m = (struct made_symbol *)sym;
	_Atomic(const char *) *to = m->kept ? &m->kept->shown : &m->shown;
	const char *shown = atomic_load_explicit(to, memory_order_acquire);
	if (shown)
		return shown;
	char *name = demangle_name(sym->raw_name);
	if (m->kept) {
		shown = kept_name_show(m->kept, name);
		free(name);
		return shown;
	}
	pthread_mutex_lock(&d->lock);
	shown = atomic_load_explicit(to, memory_order_relaxed);
	if (!shown) {
		shown = name ? arena_strdup(&d->arena, name) : sym->raw_name;
		atomic_store_explicit(to, shown, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	free(name);
	return shown;
}

const void *dso_code(struct dso *d, uint64_t addr, size_t *ret_bytes)
{
	dso_load(d);
	*ret_bytes = 0;
	if (d->jitdump) {
		const struct jitdump_function *f = jitdump_function_at(d->jitdump, addr);
		*ret_bytes = f ? (size_t)(f->offset + f->bytes - addr) : 0;
		return f ? d->jitdump->data + addr : NULL;
	}
	return d->object ? object_bytes_at(d->object, addr - (uint64_t)d->shift, ret_bytes) : NULL;
}

bool dso_is_thumb(struct dso *d, uint64_t addr)
{
	dso_load(d);
	const struct object *o = d->symbols_object ? d->symbols_object : d->object;
	return o && object_is_thumb(o, addr - (uint64_t)d->shift);
}

bool dso_is_cut(struct dso *d)
{
	dso_load(d);
	return d->object && object_is_cut(d->object);
}

const char *dso_section_name(struct dso *d, uint64_t addr)
{
	dso_load(d);
	uint64_t vaddr = addr - (uint64_t)d->shift;
	for (size_t i = 1; d->object && i < object_sections_count(d->object); i++) {
		const struct object_section *s = object_section(d->object, i);
		if (s->flags & SHF_ALLOC && vaddr >= s->addr && vaddr - s->addr < s->bytes)
			return s->name;
	}
	return NULL;
}

/* The copy was made during the recorded boot: its addresses are those of the recording. */
static struct strobe_error *copied_code(const struct symbols *s, uint64_t addr, void *buf, size_t n)
{
	_cleanup_free_ char *path = xasprintf("%s/kcore", s->kcore_copy);
	return kcore_read(path, addr, buf, n);
}

struct strobe_error *dso_kernel_code(struct dso *d, uint64_t addr, void *buf, size_t n)
{
	dso_load(d);
	const struct symbols *s = d->session;
	if (!d->kernel || s->options.kallsyms || (s->kallsyms_path && !s->kcore_copy))
		return error_create(ERROR_NOT_FOUND, "it is not the kernel that runs here, and " KCORE_PATH " was not copied there "
				    "(record --kcore, buildid-cache -k)");
	if (s->kallsyms_path)
		return copied_code(s, addr, buf, n);
	/* The list of symbols was checked against the recording when it was read; its addresses are those of this boot. */
	struct strobe_error *err = kcore_read(KCORE_PATH, addr - (uint64_t)d->shift, buf, n);
	if (!err || !s->kcore_copy)
		return err;
	struct strobe_error *none = copied_code(s, addr, buf, n);
	error_destroy(none ? none : err);
	return none ? err : NULL;
}

struct object *dso_object(struct dso *d, struct object **ret_debug)
{
	dso_load(d);
	*ret_debug = d->symbols_object;
	return d->object;
}

const struct jitdump *dso_jitdump(struct dso *d)
{
	dso_load(d);
	return d->jitdump;
}

struct dso_facts dso_facts(struct dso *d)
{
	bool loaded = atomic_load_explicit(&d->loaded, memory_order_acquire);
	struct dso_facts f = { .long_name = d->file->path, .loaded = loaded, .is_64bit = true };
	memcpy(f.build_id, d->file->build_id, sizeof(f.build_id));
	f.build_id_len = d->file->build_id_len;
	if (!loaded)
		return f;
	if (d->long_name)
		f.long_name = d->long_name;
	f.source = d->source;
	f.problem = d->problem;
	f.has_symtab = d->has_symtab;
	f.replaced = d->found_another && !d->source;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	if (d->object) {
		f.is_64bit = object_header(d->object)->is_64bit;
		size_t n = f.build_id_len ? 0 : object_build_id(d->object, id);
		if (n > sizeof(f.build_id))
			n = sizeof(f.build_id);
		memcpy(f.build_id, id, n);
		if (n)
			f.build_id_len = (uint8_t)n;
	}
	return f;
}
