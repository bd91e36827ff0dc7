#include "resolve/profile_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "demangle/demangle.h"
#include "profile/expand.h"
#include "symbol/source.h"

struct profile_objects {
	const struct profile *p;
	struct env env; /* of no recording */
	struct symbols *symbols;
	struct mapped_file *files; /* by mapping */
	struct map *maps;
};

/* Names that are not files: "[vdso]", "[kernel.kallsyms]", "//anon", "linux-vdso.so.1". */
static bool is_file(const char *path, const char *name)
{
	return *path && *path != '[' && *name != '[' && strncmp(path, "//", 2) && strncmp(name, "linux-vdso", 10) &&
	       !strstr(path, "://");
}

/* Go's own IDs are not hexadecimal: they are ignored. */
static void parse_build_id(const char *hex, struct mapped_file *f)
{
	size_t n = strlen(hex);
	if (n % 2 == 0 && n / 2 <= sizeof(f->build_id) && text_hex_to_bytes(hex, n / 2, f->build_id))
		f->build_id_len = (uint8_t)(n / 2);
}

struct profile_objects *profile_objects_create(const struct profile *p, const struct symbols_options *options)
{
	struct profile_objects *o = xcalloc(1, sizeof(*o));
	o->p = p;
	o->symbols = symbols_create(&o->env, *options);
	o->files = xcalloc(p->mappings.len + 1, sizeof(*o->files));
	o->maps = xcalloc(p->mappings.len + 1, sizeof(*o->maps));
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		struct mapped_file *f = &o->files[i];
		*f = (struct mapped_file){
			.id = (uint32_t)i,
			.kind = MAPPED_FILE,
			.path = profile_str(p, m->path),
			.name = profile_str(p, m->name),
		};
		parse_build_id(profile_str(p, m->build_id), f);
		o->maps[i] = (struct map){ .start = m->start, .end = m->end, .pgoff = m->offset, .file = f };
	}
	return o;
}

void profile_objects_destroy(struct profile_objects *o)
{
	if (!o)
		return;
	symbols_destroy(o->symbols);
	free(o->files);
	free(o->maps);
	free(o);
}

struct dso *profile_object(struct profile_objects *o, mapping_id mapping)
{
	if (mapping == PROFILE_NONE || o->p->mappings.data[mapping].kind != MAPPED_FILE)
		return NULL;
	const struct mapped_file *f = &o->files[mapping];
	return is_file(f->path, f->name) ? symbols_dso(o->symbols, f) : NULL;
}

const struct mapped_file *profile_object_file(struct profile_objects *o, mapping_id mapping)
{
	return &o->files[mapping];
}

bool profile_object_address(struct profile_objects *o, const struct profile_frame *f, struct dso **ret_dso, uint64_t *ret_addr)
{
	*ret_dso = profile_object(o, f->mapping);
	if (!*ret_dso)
		return false;
	const struct map *map = &o->maps[f->mapping];
	/* recordings of strobe have addresses of the object; others those of the process */
	bool is_translated = !o->p->origin.events_are_values || map->end <= map->start || f->addr < map->start ||
			     f->addr >= map->end;
	*ret_addr = is_translated ? f->addr : dso_address(*ret_dso, map, f->addr);
	return true;
}

/* ---- names ---- */

/* Removes text in brackets, except "(anonymous namespace)" and operators with brackets in their names. */
static void take_out(char *s, char open, char close)
{
	char *to = s;
	unsigned depth = 0;
	for (const char *at = s; *at; at++) {
		bool is_operator = !depth && to - s >= 8 && !memcmp(to - 8, "operator", 8);
		if (is_operator && (*at == open || *at == close)) {
			/* operator() operator< operator<< operator<= operator<=> operator-> */
			do
				*to++ = *at++;
			while (*at && strchr("()<>=", *at) && to[-1] != ')');
			at--;
		} else if (*at == open && open == '(' && !strncmp(at, "(anonymous namespace)", 21) && !depth) {
			memmove(to, at, 21);
			to += 21;
			at += 20;
		} else if (*at == open) {
			depth++;
		} else if (*at == close && depth) {
			depth--;
		} else if (!depth) {
			*to++ = *at;
		}
	}
	if (!depth)
		*to = 0;
}

/* "f(int) const" is "f". */
static void take_off_const(char *s)
{
	size_t n = strlen(s);
	if (n > 6 && !strcmp(s + n - 6, " const"))
		s[n - 6] = 0;
}

str_id resolve_readable_name(struct profile *dst, const char *shown, enum resolve_names names)
{
	if (names == RESOLVE_FULL || names == RESOLVE_RAW)
		return strtab_add(&dst->strings, shown);
	char *name = xstrdup(shown);
	take_out(name, '(', ')');
	take_off_const(name);
	if (names == RESOLVE_SHORT)
		take_out(name, '<', '>');
	str_id id = strtab_add(&dst->strings, *name ? name : shown);
	free(name);
	return id;
}

static str_id name_of(struct profile *dst, struct dso *dso, const struct symbol *symbol, enum resolve_names names)
{
	const char *shown = dso_symbol_name(dso, symbol);
	if (names == RESOLVE_FULL && symbol->raw_name && demangle_is_mangled(symbol->raw_name)) {
		_cleanup_free_ char *whole = demangle_whole_name(symbol->raw_name);
		return strtab_add(&dst->strings, whole ? whole : symbol->raw_name);
	}
	/* "memcpy@@GLIBC_2.14": the version is not part of the name */
	if (shown == symbol->raw_name && names != RESOLVE_RAW)
		return strtab_add_n(&dst->strings, shown, strcspn(shown, "@"));
	if (shown != symbol->raw_name && !demangle_has_signature(symbol->raw_name))
		return strtab_add(&dst->strings, shown);
	return resolve_readable_name(dst, shown, names);
}

/* ---- the whole ---- */

struct resolution {
	struct profile_objects *o;
	enum resolve_names names;
	bool names_only;
	bool *is_unnamed; /* by mapping of the old profile */
};

static bool *unnamed_mappings(const struct profile *p)
{
	bool *is_unnamed = xcalloc(p->mappings.len + 1, 1);
	for (size_t i = 0; i < p->mappings.len; i++)
		is_unnamed[i] = is_file(profile_str(p, p->mappings.data[i].path), profile_str(p, p->mappings.data[i].name));
	for (size_t i = 0; i < p->frames.len; i++)
		if (p->frames.data[i].mapping != PROFILE_NONE && p->frames.data[i].function != PROFILE_NONE)
			is_unnamed[p->frames.data[i].mapping] = false;
	return is_unnamed;
}

bool resolve_profile_is_needed(const struct profile *p)
{
	bool *unnamed = unnamed_mappings(p), any = false;
	for (size_t i = 0; i < p->frames.len && !any; i++)
		any = p->frames.data[i].mapping != PROFILE_NONE && unnamed[p->frames.data[i].mapping];
	free(unnamed);
	return any;
}

static frame_id make_frame(struct resolution *r, struct profile *dst, const struct profile_frame *like, struct dso *dso,
			   const struct source_frame *at)
{
	struct profile_frame f = *like;
	f.line = at->line;
	f.flags = (uint8_t)((f.flags & ~FRAME_INLINED) | (at->inlined ? FRAME_INLINED : 0));
	if (at->symbol) {
		struct profile_function fn = {
			.mapping = f.mapping,
			.name = name_of(dst, dso, at->symbol, r->names),
			.system_name = strtab_add(&dst->strings, at->symbol->raw_name),
			.file = at->file ? strtab_add(&dst->strings, at->file) : 0,
		};
		f.function = profile_function(dst, &fn);
	}
	return profile_frame(dst, &f);
}

/* The functions inlined at a frame, innermost first. */
static unsigned expand(void *ctx, struct profile *dst, const struct profile_frame *old, const struct profile_frame *moved,
		       frame_id ret[PROFILE_EXPAND_MAX])
{
	_Static_assert(SOURCE_FRAMES_MAX <= PROFILE_EXPAND_MAX, "all frames have room");
	struct resolution *r = ctx;
	struct dso *dso;
	uint64_t addr;
	if (old->mapping == PROFILE_NONE || old->function != PROFILE_NONE || !r->is_unnamed[old->mapping] ||
	    !profile_object_address(r->o, old, &dso, &addr))
		return 0;
	struct source_frame frames[SOURCE_FRAMES_MAX];
	const struct symbol *symbol = dso_symbol(dso, addr);
	unsigned n = r->names_only ? 0 : dso_source(dso, addr, symbol, frames);
	if (!n && symbol) {
		frames[0] = (struct source_frame){ .symbol = symbol };
		n = 1;
	}
	for (unsigned i = 0; i < n; i++)
		ret[i] = make_frame(r, dst, moved, dso, &frames[i]);
	return n;
}

struct profile *resolve_profile(const struct profile *p, struct profile_objects *o, enum resolve_names names, bool names_only)
{
	struct resolution r = { o, names, names_only, unnamed_mappings(p) };
	struct profile *ret = profile_expand(p, expand, &r);
	free(r.is_unnamed);
	return ret;
}
