/* Code of a recording's functions, as listings for the page. */
#include <string.h>

#include "annotate/annotate.h"
#include "annotate/dso_code.h"
#include "page/page.h"
#include "view/html/listing.h"

#define FUNCTIONS_MAX 60             /* hottest functions to put into a file */
#define FUNCTION_BYTES_MAX (1u << 18) /* of larger functions only the addresses are shown */

struct code {
	const struct env *env;
	struct resolver *resolver;
};

static const struct mapped_file *file_of(const struct code *c, const struct profile *p, mapping_id id)
{
	const struct machine *machine = resolver_machine(c->resolver);
	const struct profile_mapping *m = &p->mappings.data[id];
	if (m->order >= machine_files_count(machine))
		return NULL;
	const struct mapped_file *file = machine_file_at(machine, m->order);
	/* objects of a base may be from another machine */
	return strcmp(file->path, profile_str(p, m->path)) ? NULL : file;
}

static struct strobe_error *list(struct dso_code *code, const struct profile *p, const struct profile_function *f, struct out *out)
{
	struct code_source source = dso_code_source(code);
	struct annotate_function function = dso_code_function(code, p, f->mapping, f->start, f->start + f->size);
	function.name = profile_str(p, f->name);
	function.raw_name = profile_str(p, f->system_name);
	struct listing *listing;
	TRY(annotate_function(&source, &function, &(struct annotate_options){}, &listing));
	listing_finish(listing);
	view_html_listing(listing, out);
	listing_destroy(listing);
	return NULL;
}

/* A function that cannot be listed is not an error: the page has the costs of its addresses anyway. */
static struct strobe_error *list_function(void *ctx, const struct profile *p, function_id id, struct out *out)
{
	const struct code *c = ctx;
	const struct profile_function *f = &p->functions.data[id];
	const struct mapped_file *file = f->mapping == PROFILE_NONE ? NULL : file_of(c, p, f->mapping);
	size_t bytes;
	if (!file || !f->size || f->size > FUNCTION_BYTES_MAX || f->is_data)
		return NULL;
	struct dso_code code;
	dso_code_init(&code, symbols_dso(resolver_symbols(c->resolver), file), file, arch_or_native(c->env->arch));
	if (dso_code(code.dso, f->start, &bytes) && bytes)
		error_destroy(list(&code, p, f, out));
	dso_code_deinit(&code);
	return NULL;
}

struct html_code page_code(struct arena *arena, const struct env *env, struct resolver *resolver)
{
	struct code *c = arena_new_array(arena, struct code, 1);
	*c = (struct code){ env, resolver };
	return (struct html_code){ .list = list_function, .ctx = c, .functions_max = FUNCTIONS_MAX };
}
