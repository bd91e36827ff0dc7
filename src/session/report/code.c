#include "session/report/code.h"

#include <string.h>

#include "annotate/annotate.h"
#include "annotate/dso_code.h"
#include "annotate/hits.h"

struct place {
	const struct profile *p;
	const char *path;
	uint64_t start;
};

static bool is_at(void *ctx, const struct profile_function *f)
{
	const struct place *at = ctx;
	return f->mapping != PROFILE_NONE && f->start == at->start &&
	       !strcmp(profile_str(at->p, at->p->mappings.data[f->mapping].path), at->path);
}

static void add_costs(const struct profile *counted, const char *path, uint64_t start, const struct report_part *part,
		      struct listing *l)
{
	struct place at = { counted, path, start };
	struct hits hits;
	hits_create(counted, is_at, &at, &hits);
	/* All names of an address count (inlined functions are part of it). */
	for (size_t i = 0; i < hits.functions.len; i++)
		hits_apply(&hits, &hits.functions.data[i], part->hist->options.events, part->hist->options.events_nr, l);
	hits_deinit(&hits);
}

struct listing_event *report_listing_events(struct arena *arena, const struct env *env, const struct profile *counted,
					    const uint32_t *events, size_t n)
{
	struct listing_event *ret = arena_new_array(arena, struct listing_event, n);
	for (size_t i = 0; i < n; i++) {
		const struct env_event *e = &env->events.data[events[i]];
		const struct profile_event *total = &counted->events.data[events[i]];
		ret[i] = (struct listing_event){
			.name = e->name,
			.unit = e->unit,
			.frequency_hz = e->attr.freq ? e->attr.sample_freq : 0,
			.total_samples = total->samples,
			.total_value = total->value,
		};
	}
	return ret;
}

bool report_is_file_of(const struct mapped_file *f, const struct profile *p, const struct profile_mapping *m)
{
	/* The kernel's path becomes that of its image, once found. */
	return !strcmp(f->name, profile_str(p, m->name)) && (f->kind == MAPPED_KERNEL || !strcmp(f->path, profile_str(p, m->path)));
}

/* A live session drops files and renumbers others; names stay valid. */
static const struct mapped_file *find_file(struct report_session *r, const struct profile_mapping *m)
{
	struct machine *machine = resolver_machine(r->session.resolver);
	size_t n = machine_files_count(machine);
	const struct mapped_file *by_order = m->order < n ? machine_file_at(machine, m->order) : NULL;
	if (!r->query.is_live || (by_order && report_is_file_of(by_order, r->profile, m)))
		return by_order;
	for (size_t i = n; i-- > 0;)
		if (report_is_file_of(machine_file_at(machine, i), r->profile, m))
			return machine_file_at(machine, i);
	return NULL;
}

static struct strobe_error *list_symbol(struct report_session *r, const struct profile *counted, const struct report_part *part,
					mapping_id mapping, const struct symbol *symbol, struct dso_code *code, struct listing **ret)
{
	const struct hist_options *o = &part->hist->options;
	struct code_source source = dso_code_source(code);
	struct annotate_function function = dso_code_function(code, r->profile, mapping, symbol->start, symbol->end);
	function.name = dso_symbol_name(code->dso, symbol);
	function.raw_name = symbol->raw_name;
	function.events = report_listing_events(&r->query.scratch, r->session.env, counted, o->events, o->events_nr);
	function.events_nr = o->events_nr;
	struct annotate_options options = r->request.code.listing;
	options.source_root = r->request.selection.symbol_files.symfs;
	TRY(annotate_function(&source, &function, &options, ret));
	if (dso_is_cut(code->dso)) {
		listing_destroy(*ret);
		*ret = NULL;
		return error_create(ERROR_TRUNCATED, "%s was truncated while it was open: its code is no longer available",
				    function.object_path);
	}
	add_costs(counted, function.object_path, symbol->start, part, *ret);
	listing_finish(*ret);
	return NULL;
}

struct strobe_error *report_listing(struct report_session *r, const struct profile *counted, const struct report_part *part,
				    mapping_id mapping, uint64_t addr, struct listing **ret)
{
	const struct profile_mapping *m = &r->profile->mappings.data[mapping];
	const struct mapped_file *file = find_file(r, m);
	if (!file)
		return error_create(ERROR_NOT_FOUND, "%s is not a file with code", profile_str(r->profile, m->name));
	struct dso *dso = symbols_dso(resolver_symbols(r->session.resolver), file);
	const struct symbol *symbol = dso_symbol(dso, addr);
	if (!symbol)
		return error_create(ERROR_NOT_FOUND, "no symbol at %#llx of %s", (unsigned long long)addr,
				    profile_str(r->profile, m->name));
	struct dso_code code;
	size_t n;
	dso_code_init(&code, dso, file, arch_or_native(r->session.env->arch));
	struct strobe_error *err = dso_code(dso, symbol->start, &n) && n ?
		list_symbol(r, counted, part, mapping, symbol, &code, ret) : dso_code_missing(&code, dso_symbol_name(dso, symbol));
	dso_code_deinit(&code);
	return err;
}
