#include "symbol/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/buildid_cache.h"
#include "symbol/source_priv.h"

static bool has_dwarf(const struct object *o)
{
	const struct object_section *s = o ? object_find_section(o, ".debug_info") : NULL;
	size_t bytes;
	return s && object_section_raw(o, s, &bytes) && bytes;
}

/*
 * The file of a module whose names came from kallsyms. Compressed ones are not read, since they do not have debug information:
 * that is found by build ID, or not at all.
 */
static struct object *find_module(struct dso *d, struct dso_source *s)
{
	const char *path = elf_debug_path(d), *problem = d->problem;
	if (path && !access(path, R_OK))
		elf_open_checked(d, path, 0, &s->module);
	if (!s->module && text_has_suffix(d->file->path ? d->file->path : "", ".ko"))
		s->module = module_open(d, &path);
	d->problem = problem; /* its names are all right */
	return s->module;
}

/* Places in their order: see the header. */
static struct object *find_object(struct dso *d, struct dso_source *s)
{
	struct object *of = d->object;
	if (!of && d->file->kind == MAPPED_MODULE && d->kernel)
		of = find_module(d, s);
	s->shift = d->file->kind == MAPPED_MODULE ? (int64_t)atomic_load(&d->recorded_base) : d->shift;
	if (!of || has_dwarf(of))
		return of;
	if (has_dwarf(d->symbols_object))
		return d->symbols_object;
	return s->debug_object = elf_open_debug(d, of, has_dwarf);
}

/* The file in the build ID cache for a recorded file or its parts; NULL: none. */
static struct object *open_cached(struct dso *d, const uint8_t *id, size_t id_bytes, const char *name)
{
	char hex[BUILDID_HEX_MAX];
	buildid_hex(id, id_bytes, hex);
	char *path = d->session->options.buildid_dir ? buildid_cache_path(d->session->options.buildid_dir, hex, name) : NULL;
	struct object *o = path ? object_open_if_there(path) : NULL;
	free(path);
	return o;
}

static struct object *open_supplement(struct dso *d, struct object *o)
{
	const char *name;
	const uint8_t *id;
	size_t bytes;
	struct object *found = object_open_supplement(o, d->session->options.symfs);
	return found || !object_supplement_link(o, &name, &id, &bytes) ? found : open_cached(d, id, bytes, "elf");
}

/* First by the unit's ID: the file at the path may be a different one by now, or of another machine. */
static struct object *open_split(void *ctx, const char *path, uint64_t id)
{
	struct dso *d = ctx;
	char name[32] = BUILDID_CACHE_PACKAGE;
	if (id)
		snprintf(name, sizeof(name), BUILDID_CACHE_SPLIT, (unsigned long long)id);
	struct object *o = open_cached(d, d->file->build_id, d->file->build_id_len, name);
	if (o)
		return o;
	if (d->session->options.symfs) {
		o = object_open_if_there(dso_below_symfs(d, path));
	}
	return o ? o : object_open_if_there(path);
}

static void read_source(struct dso *d, struct dso_source *s)
{
	struct object *o = find_object(d, s);
	s->has_go = !o && d->object && gopclntab_open(d->object, &s->go);
	if (s->has_go)
		s->origin = arena_strdup(&d->arena, object_name(d->object));
	if (!o)
		return;
	s->supplement = open_supplement(d, o);
	for (size_t i = 0; i < s->expected.len; i++)
		s->expected.data[i] -= (uint64_t)s->shift;
	s->dwarf = dwarf_create(o, (struct dwarf_files){ .supplement = s->supplement, .open_split = open_split,
							    .keep_name = kept_name_of_text, .keep_place = kept_name_of_place, .ctx = d,
							    .expected = s->expected.data, .expected_nr = s->expected.len });
	kept_names_close(s);
	if (s->dwarf)
		s->strings = dwarf_take_strings(s->dwarf);
	if (s->dwarf && !s->origin)
		s->origin = arena_strdup(&d->arena, object_name(o));
}

static void close_source(struct dso_source *s)
{
	if (!s->defers_names)
		kept_names_close(s);
	dwarf_destroy(s->dwarf);
	object_close(s->module);
	object_close(s->debug_object);
	object_close(s->supplement);
	s->dwarf = NULL;
	s->module = s->debug_object = s->supplement = NULL;
	vec_deinit(&s->expected);
}

#define KINDS_WITH_FILES (1u << MAPPED_FILE | 1u << MAPPED_VDSO | 1u << MAPPED_KERNEL | 1u << MAPPED_MODULE)

static struct dso_source *dso_source_create(void)
{
	struct dso_source *s = xcalloc_apart(1, sizeof(*s));
	for (unsigned i = 0; i < INLINED_SHARES; i++) {
		brief_lock_init(&s->inlined[i].lock);
		arena_init(&s->inlined[i].texts);
		arena_init(&s->inlined[i].arena);
	}
	return s;
}

struct dso_source *dso_source_need(struct dso *d)
{
	struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_relaxed);
	if (!s) {
		s = dso_source_create();
		atomic_store_explicit(&d->source_lines, s, memory_order_release);
	}
	return s;
}

static struct dso_source *source_of(struct dso *d)
{
	if (!(KINDS_WITH_FILES & 1u << d->file->kind))
		return NULL;
	struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	if (s && atomic_load_explicit(&s->is_read, memory_order_acquire))
		return s->dwarf || s->has_go ? s : NULL;
	dso_load(d);
	pthread_mutex_lock(&d->lock);
	s = dso_source_need(d);
	if (!atomic_load_explicit(&s->is_read, memory_order_relaxed)) {
		read_source(d, s);
		atomic_store_explicit(&s->is_read, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return s->dwarf || s->has_go ? s : NULL;
}

void dso_source_load(struct dso *d)
{
	(void)source_of(d);
}

void dso_source_expect(struct dso *d, const uint64_t *addrs, size_t n)
{
	pthread_mutex_lock(&d->lock);
	struct dso_source *s = dso_source_need(d);
	if (!atomic_load_explicit(&s->is_read, memory_order_relaxed)) {
		vec_clear(&s->expected);
		memcpy(vec_extend(&s->expected, n), addrs, n * sizeof(*addrs));
	}
	pthread_mutex_unlock(&d->lock);
}

void dso_source_forget(struct dso *d)
{
	struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	if (!s)
		return;
	/* After reopening, places belong to another file. */
	for (unsigned i = 0; i < INLINED_SHARES; i++)
		idset_deinit(&s->inlined[i].places_index);
	if (s->dwarf)
		dwarf_rest(s->dwarf); /* the file may be open for its symbols, too */
	close_source(s);
	atomic_store_explicit(&s->is_read, false, memory_order_release);
}

static void forget_inlined(struct inlined_share *share)
{
	arena_deinit(&share->texts);
	arena_deinit(&share->arena);
	vec_deinit(&share->names);
	vec_deinit(&share->all);
	idset_deinit(&share->texts_index);
	idset_deinit(&share->places_index);
	idset_deinit(&share->index);
}

void dso_source_give_names(struct dso *d, struct arena *to)
{
	struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	for (unsigned i = 0; s && i < INLINED_SHARES; i++) {
		arena_take(to, &s->inlined[i].texts);
		forget_inlined(&s->inlined[i]);
	}
}

void dso_source_destroy(struct dso_source *s)
{
	if (!s)
		return;
	s->defers_names = false;
	close_source(s);
	for (unsigned i = 0; i < INLINED_SHARES; i++) {
		pthread_mutex_destroy(&s->inlined[i].lock);
		forget_inlined(&s->inlined[i]);
	}
	free(s);
}

/* ---- answers ---- */

static bool symbol_eq(const void *table, uint32_t id, const void *key)
{
	const struct made_symbol *a = ((const struct inlined_share *)table)->all.data[id], *b = key;
	return a->symbol.start == b->symbol.start && a->symbol.end == b->symbol.end && a->kept == b->kept;
}

static const struct symbol *inlined_symbol(struct dso *d, struct dso_source *s, const struct kept_name *name, const struct symbol *outer)
{
	struct kept_name *kept = name ? (void *)name : (void *)kept_name_of_text(d, UNKNOWN_NAME);
	struct made_symbol candidate = { .kept = kept }, *recent = atomic_load_explicit(&kept->recent, memory_order_acquire);
	candidate.symbol = (struct symbol){ .raw_name = kept->text, .binding = STB_LOCAL, .type = 't' };
	candidate.symbol.start = outer ? outer->start : 0;
	candidate.symbol.end = outer ? outer->end : 0;
	if (recent && recent->symbol.start == candidate.symbol.start && recent->symbol.end == candidate.symbol.end)
		return &recent->symbol;
	uint64_t hash = hash_combine(hash_u64((uintptr_t)candidate.kept), candidate.symbol.start);
	struct inlined_share *share = inlined_share_of(s, hash);
	pthread_mutex_lock(&share->lock);
	uint32_t id = idset_find(&share->index, hash, symbol_eq, share, &candidate);
	if (id == IDSET_NONE) {
		struct made_symbol *m = arena_new(&share->arena, struct made_symbol);
		m->symbol = candidate.symbol;
		m->kept = candidate.kept;
		id = (uint32_t)share->all.len;
		vec_push(&share->all, m);
		idset_insert(&share->index, hash, id);
	}
	recent = share->all.data[id];
	pthread_mutex_unlock(&share->lock);
	atomic_store_explicit(&kept->recent, recent, memory_order_release);
	return &recent->symbol;
}

/* Of code from a jitdump: there is a line at most. */
static bool jit_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line)
{
	const struct jitdump *j = dso_jitdump(d);
	const struct jitdump_function *f = j ? jitdump_function_at(j, addr) : NULL;
	const struct jitdump_line *l = f ? jitdump_line_at(j, f, addr - f->offset) : NULL;
	if (l) {
		*ret_file = jitdump_text(j, l->file);
		*ret_line = l->line;
	}
	return l;
}

/* Of frames of the debug information. */
static unsigned make_frames(struct dso *d, struct dso_source *s, const struct symbol *outer, const struct dwarf_frame *f,
			    unsigned n, struct source_frame ret[SOURCE_FRAMES_MAX])
{
	if (n && !f[n - 1].inlined && !outer)
		outer = inlined_symbol(d, s, f[n - 1].kept, NULL);
	for (unsigned i = 0; i < n; i++) {
		bool inlined = i + 1 < n;
		ret[i] = (struct source_frame){
			.symbol = inlined ? inlined_symbol(d, s, f[i].kept, outer) : outer,
			.file = f[i].file,
			.line = f[i].line,
			.inlined = inlined,
		};
	}
	return n;
}

unsigned dso_source(struct dso *d, uint64_t addr, const struct symbol *outer, struct source_frame ret[SOURCE_FRAMES_MAX])
{
	if (d->file->kind == MAPPED_JIT) {
		ret[0] = (struct source_frame){ .symbol = outer };
		return jit_line(d, addr, &ret[0].file, &ret[0].line);
	}
	if (d->file->kind == MAPPED_SCRIPT) {
		ret[0] = (struct source_frame){ .symbol = outer };
		return dso_script_line(d, addr, &ret[0].file, &ret[0].line);
	}
	struct dso_source *s = source_of(d);
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	if (!s)
		return 0;
	uint64_t vaddr = addr - (uint64_t)s->shift;
	if (s->has_go) {
		ret[0] = (struct source_frame){ .symbol = outer };
		return gopclntab_line(&s->go, vaddr, &ret[0].file, &ret[0].line);
	}
	unsigned n = dwarf_frames(s->dwarf, vaddr, f);
	if (!n && dwarf_line(s->dwarf, vaddr, &f[0]))
		n = 1;
	return make_frames(d, s, outer, f, n, ret);
}

unsigned dso_functions(struct dso *d, uint64_t addr, const struct symbol *outer, struct source_frame ret[SOURCE_FRAMES_MAX])
{
	struct dso_source *s = source_of(d);
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	return s && s->dwarf ? make_frames(d, s, outer, f, dwarf_functions(s->dwarf, addr - (uint64_t)s->shift, f), ret) : 0;
}

bool dso_source_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line)
{
	if (d->file->kind == MAPPED_JIT)
		return jit_line(d, addr, ret_file, ret_line);
	if (d->file->kind == MAPPED_SCRIPT)
		return dso_script_line(d, addr, ret_file, ret_line);
	struct dso_source *s = source_of(d);
	struct dwarf_frame f;
	if (s && s->has_go)
		return gopclntab_line(&s->go, addr - (uint64_t)s->shift, ret_file, ret_line);
	if (!s || !dwarf_line(s->dwarf, addr - (uint64_t)s->shift, &f) || !f.file)
		return false;
	*ret_file = f.file;
	*ret_line = f.line;
	return true;
}

void dso_source_rest(struct dso *d)
{
	const struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	if (s && atomic_load_explicit(&s->is_read, memory_order_acquire) && s->dwarf)
		dwarf_rest(s->dwarf);
}

const char *dso_source_origin(struct dso *d)
{
	const struct dso_source *s = atomic_load_explicit(&d->source_lines, memory_order_acquire);
	return s ? s->origin : NULL;
}
