/* Code of functions of a profile from another program: from the binaries and the source files that it names. */
#include "annotate/annotate.h"
#include "annotate/dso_code.h"
#include "arch/arch.h"
#include "page/page.h"
#include "resolve/profile_objects.h"
#include "view/html/listing.h"

#define FUNCTION_BYTES_MAX (1u << 18) /* of larger functions only the addresses are shown */

struct page_profile_code {
	const struct profile *p;
	struct profile_objects *objects;
	struct source_paths paths;
	enum disasm_syntax syntax;
};

/* The location of a function's code, if it has its own. */
struct site {
	struct dso *dso;
	const struct symbol *symbol;
	mapping_id mapping;
	uint64_t moved; /* difference of the profile's addresses and the object's */
};

static bool find_site(const struct page_profile_code *c, function_id id, struct site *ret)
{
	for (size_t i = 0; i < c->p->frames.len; i++) {
		const struct profile_frame *f = &c->p->frames.data[i];
		uint64_t addr;
		if (f->function != id || f->flags & FRAME_INLINED || !profile_object_address(c->objects, f, &ret->dso, &addr))
			continue;
		ret->symbol = dso_symbol(ret->dso, addr);
		ret->mapping = f->mapping;
		ret->moved = f->addr - addr;
		if (ret->symbol && ret->symbol->end - ret->symbol->start <= FUNCTION_BYTES_MAX)
			return true;
	}
	return false;
}

/* An empty listing without code. code must live as long as the listing. */
static struct listing *list_site(const struct page_profile_code *c, const struct site *site, const char *name, struct dso_code *code)
{
	struct listing *l = NULL;
	struct annotate_function function = { .name = name, .start = site->symbol->start, .end = site->symbol->end };
	dso_code_init(code, site->dso, profile_object_file(c->objects, site->mapping), arch_native());
	struct code_source source = dso_code_source(code);
	error_destroy(annotate_function(&source, &function, &(struct annotate_options){ .without_source = true, .syntax = c->syntax }, &l));
	for (size_t i = 0; l && i < l->insns.len; i++)
		l->insns.data[i].addr += site->moved;
	return l ? l : listing_create();
}

/* Adds lines of the profile, the only information on an inlined function. */
static void add_lines(struct listing *l, const struct profile *p, function_id id)
{
	const char *path = profile_str(p, p->functions.data[id].file);
	for (size_t i = 0; *path && i < p->frames.len; i++) {
		const struct profile_frame *f = &p->frames.data[i];
		if (f->function == id && f->line)
			listing_place(l, &(struct listing_place){ .file = listing_file(l, path), .line = f->line, .caller = LISTING_NONE });
	}
}

static void read_source(struct listing *l, const struct source_paths *paths)
{
	for (size_t i = 0; i < l->files.len; i++) {
		struct listing_file *f = &l->files.data[i];
		_cleanup_error_ struct strobe_error *err = source_file_read(paths, f->path, &f->text);
		f->problem = err ? arena_strdup(&l->arena, err->message) : NULL;
	}
}

static void write_listing(const struct page_profile_code *c, struct listing *l, const struct profile *p, function_id id, struct out *out)
{
	add_lines(l, p, id);
	read_source(l, &c->paths);
	listing_finish(l);
	if (l->insns.len || l->files.len)
		view_html_listing(l, out);
	listing_destroy(l);
}

/* A function that cannot be listed is not an error: the page has the costs of addresses and lines anyway. */
static struct strobe_error *list_function(void *ctx, const struct profile *p, function_id id, struct out *out)
{
	const struct page_profile_code *c = ctx;
	struct dso_code code;
	struct site site;
	if (!find_site(c, id, &site)) {
		write_listing(c, listing_create(), p, id, out);
		return NULL;
	}
	write_listing(c, list_site(c, &site, profile_str(p, p->functions.data[id].name), &code), p, id, out);
	dso_code_deinit(&code);
	return NULL;
}

struct strobe_error *page_profile_code_create(struct arena *arena, const struct session_host *host, const struct profile *p,
					      const struct source_paths *paths, enum disasm_syntax syntax,
					      struct page_profile_code **ret)
{
	struct symbols_options symbols = {};
	*ret = NULL;
	TRY(session_buildid_dir(host, &symbols.buildid_dir));
	struct page_profile_code *c = arena_new_array(arena, struct page_profile_code, 1);
	*c = (struct page_profile_code){ p, profile_objects_create(p, &symbols), *paths, syntax };
	*ret = c;
	return NULL;
}

void page_profile_code_destroy(struct page_profile_code *c)
{
	if (c)
		profile_objects_destroy(c->objects);
}

struct html_code page_profile_code(struct page_profile_code *c)
{
	return (struct html_code){ .list = list_function, .ctx = c };
}

struct strobe_error *page_any_code(struct arena *arena, const struct session *s, const struct profile *p,
				   struct page_profile_code **ret_owner, struct html_code *ret)
{
	*ret_owner = NULL;
	if (s->resolver)
		*ret = page_code(arena, s->env, s->resolver);
	else
		TRY(page_profile_code_create(arena, s->host, p, &(struct source_paths){ .below_only = true }, DISASM_ATT, ret_owner));
	if (*ret_owner)
		*ret = page_profile_code(*ret_owner);
	return NULL;
}
