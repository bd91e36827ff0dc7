/* report and top: the code of a function, beside what it cost. */
#include <string.h>

#include "annotate/annotate.h"
#include "annotate/dso_code.h"
#include "annotate/hits.h"
#include "cmd/foreign_files.h"
#include "cmd/report/report.h"
#include "symbol/source.h"

struct wanted {
	const struct profile *p;
	const char *path;
	uint64_t start;
};

static bool is_wanted(void *ctx, const struct profile_function *f)
{
	const struct wanted *w = ctx;
	return f->mapping != PROFILE_NONE && f->start == w->start &&
	       !strcmp(profile_str(w->p, w->p->mappings.data[f->mapping].path), w->path);
}

static void add_costs(const struct profile *counted, const char *path, uint64_t start, const struct report_part *part,
		      struct listing *l)
{
	struct wanted w = { counted, path, start };
	struct hits hits;
	hits_create(counted, is_wanted, &w, &hits);
	/* Of several names for one place (inlined functions are parts of it), all count. */
	for (size_t i = 0; i < hits.functions.len; i++)
		hits_apply(&hits, &hits.functions.data[i], part->hist->options.events, part->hist->options.events_nr, l);
	hits_deinit(&hits);
}

static void add_events(const struct report_run *r, const struct report_part *part, const struct profile *counted,
		       struct listing_event *events)
{
	for (uint32_t i = 0; i < part->hist->options.events_nr; i++) {
		uint32_t at = part->hist->options.events[i];
		const struct env_event *e = &r->env->events.data[at];
		events[i] = (struct listing_event){
			.name = e->name,
			.unit = e->unit,
			.frequency_hz = e->attr.freq ? e->attr.sample_freq : 0,
			.total_samples = counted->events.data[at].samples,
			.total_value = counted->events.data[at].value,
		};
	}
}

static bool is_file_of(const struct mapped_file *f, const struct profile *p, const struct profile_mapping *m)
{
	/* The kernel's path is that of its image, once one was found. */
	return !strcmp(f->name, profile_str(p, m->name)) && (f->kind == MAPPED_KERNEL || !strcmp(f->path, profile_str(p, m->path)));
}

/* A session that goes on forgets files, and numbers those that stay anew; names hold. */
static const struct mapped_file *find_file(struct report_run *r, const struct profile_mapping *m)
{
	struct machine *machine = resolver_machine(r->resolver);
	size_t n = machine_files_count(machine);
	const struct mapped_file *by_order = m->order < n ? machine_file_at(machine, m->order) : NULL;
	if (!r->live || (by_order && is_file_of(by_order, r->profile, m)))
		return by_order;
	for (size_t i = n; i-- > 0;)
		if (is_file_of(machine_file_at(machine, i), r->profile, m))
			return machine_file_at(machine, i);
	return NULL;
}

struct strobe_error *report_listing(struct report_run *r, const struct profile *counted, const struct report_part *part,
				    mapping_id mapping, uint64_t addr, struct listing **ret)
{
	const struct profile_mapping *m = &r->profile->mappings.data[mapping];
	const struct mapped_file *file = find_file(r, m);
	if (!file)
		return error_create(ERROR_NOT_FOUND, "%s is no file that code could be read from", profile_str(r->profile, m->name));
	struct dso_code code = {
		.dso = symbols_dso(resolver_symbols(r->resolver), file),
		.file = file,
		.arch = r->env->arch ? arch_by_uname(r->env->arch) : arch_native(),
	};
	const struct symbol *symbol = dso_symbol(code.dso, addr);
	if (!symbol)
		return error_create(ERROR_NOT_FOUND, "no symbol at %#llx of %s", (unsigned long long)addr,
				    profile_str(r->profile, m->name));
	size_t n;
	if (!dso_code(code.dso, symbol->start, &n) || !n)
		return dso_code_missing(&code, dso_symbol_name(code.dso, symbol));
	struct listing_event *events = arena_new_array(&r->scratch, struct listing_event, part->hist->options.events_nr);
	add_events(r, part, counted, events);
	struct code_source source = dso_code_source(&code);
	struct annotate_function function = {
		.name = dso_symbol_name(code.dso, symbol),
		.raw_name = symbol->raw_name,
		.object = profile_str(r->profile, m->name),
		.object_path = profile_str(r->profile, m->path),
		.build_id = profile_str(r->profile, m->build_id),
		.section = dso_section_name(code.dso, symbol->start),
		.debug_origin = dso_source_origin(code.dso),
		.start = symbol->start,
		.end = symbol->end,
		.events = events,
		.events_nr = part->hist->options.events_nr,
	};
	struct annotate_options options = r->o->code ? r->o->code->options : (struct annotate_options){};
	options.source_root = r->o->symfs;
	TRY(annotate_function(&source, &function, &options, ret));
	if (dso_is_cut(code.dso)) {
		listing_destroy(*ret);
		*ret = NULL;
		return error_create(ERROR_TRUNCATED, "%s became shorter while it was open: its code is gone from there",
				    function.object_path);
	}
	add_costs(counted, function.object_path, symbol->start, part, *ret);
	listing_finish(*ret);
	return NULL;
}

struct strobe_error *report_read_again(struct report_run *r, const struct report_run *how, struct profile **ret)
{
	/* The first reading's files stay open: what serves them is not to be replaced. */
	struct cmd_context ctx = *r->ctx;
	struct report_options o = *how->o;
	struct report_run own = *how;
	const char *dir;
	*ret = NULL;
	if (!r->source->ops->rewind)
		return error_create(ERROR_UNSUPPORTED, "a stream cannot be read twice, as this wants it: save it to a file");
	TRY(r->source->ops->rewind(r->source));
	TRY(cmd_buildid_dir(r->ctx, &dir));
	ctx.foreign = NULL;
	ctx.buildid_dir = dir;
	ctx.buildid_path = (struct strbuf){};
	/* No stacks, and no labels but those that filters are of. */
	o.chains.mode = CALLTREE_NONE;
	o.flamegraph = o.ignore_callees = NULL;
	o.exclude_other = o.inlined = false;
	own.ctx = &ctx;
	own.o = &o;
	own.children = own.wants_threads = false;
	own.keys_nr = 0;
	own.resolver = NULL;
	struct strobe_error *err = report_make_resolver(&own);
	if (!err)
		err = resolve_aggregate(own.resolver, ret);
	resolver_destroy(own.resolver);
	foreign_files_destroy(ctx.foreign);
	strbuf_deinit(&ctx.buildid_path);
	if (!*ret || error_is(err, ERROR_STOPPED))
		return err;
	error_destroy(err); /* told when the recording was read first */
	return NULL;
}

struct strobe_error *report_count_addresses(struct report_run *r, struct profile **ret)
{
	struct report_run how = *r;
	how.tells_addresses = true;
	return report_read_again(r, &how, ret);
}
