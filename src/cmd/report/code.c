/* report and top: the code of a function, beside what it cost. */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "annotate/dso_code.h"
#include "annotate/hits.h"
#include "base/mem.h"
#include "cmd/report/branches.h"
#include "session/foreign_files.h"
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
	if (!r->query.is_live || (by_order && is_file_of(by_order, r->profile, m)))
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
		return error_create(ERROR_NOT_FOUND, "%s is not a file with code", profile_str(r->profile, m->name));
	struct dso_code code = {
		.dso = symbols_dso(resolver_symbols(r->resolver), file),
		.file = file,
		.arch = arch_or_native(r->env->arch),
	};
	const struct symbol *symbol = dso_symbol(code.dso, addr);
	if (!symbol)
		return error_create(ERROR_NOT_FOUND, "no symbol at %#llx of %s", (unsigned long long)addr,
				    profile_str(r->profile, m->name));
	size_t n;
	if (!dso_code(code.dso, symbol->start, &n) || !n)
		return dso_code_missing(&code, dso_symbol_name(code.dso, symbol));
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
		.events = report_listing_events(&r->query.scratch, r->env, counted, part->hist->options.events,
						part->hist->options.events_nr),
		.events_nr = part->hist->options.events_nr,
	};
	struct annotate_options options = r->o->code.listing;
	options.source_root = r->o->selection.symbol_files.symfs;
	TRY(annotate_function(&source, &function, &options, ret));
	if (dso_is_cut(code.dso)) {
		listing_destroy(*ret);
		*ret = NULL;
		return error_create(ERROR_TRUNCATED, "%s was truncated while it was open: its code is no longer available",
				    function.object_path);
	}
	add_costs(counted, function.object_path, symbol->start, part, *ret);
	listing_finish(*ret);
	return NULL;
}

/* What a second reading of r is done with: all of it has to live as long. */
struct again {
	struct report_options o;
	struct report_run run;
};

/* How is *r but for what is to be told apart. */
static struct strobe_error *start_again(struct report_run *r, const struct report_run *how, struct again *a)
{
	*a = (struct again){};
	if (!r->source->ops->rewind)
		return error_create(ERROR_UNSUPPORTED, "this requires reading the recording twice: save the stream to a file first");
	TRY(r->source->ops->rewind(r->source));
	/* No stacks, and no labels but those that filters are of. */
	a->o = *how->o;
	a->o.grouping.chains.mode = CALLTREE_NONE;
	a->o.flamegraph = a->o.grouping.ignore_callees = NULL;
	a->o.filter.exclude_other = a->o.selection.inlined = false;
	a->run = *how;
	a->run.o = &a->o;
	a->run.query.children = a->run.query.needs_threads = false;
	a->run.query.keys_nr = a->run.query.by_nr = 0;
	a->run.resolver = NULL;
	a->run.foreign = NULL; /* the first reading's stays open */
	a->run.query.grouping = &a->o.grouping;
	a->run.query.filter = &a->o.filter;
	arena_init(&a->run.query.arena);
	arena_init(&a->run.query.scratch);
	return report_make_resolver(&a->run);
}

static void end_again(struct again *a)
{
	resolver_destroy(a->run.resolver);
	foreign_files_destroy(a->run.foreign);
	report_query_deinit(&a->run.query);
}

struct strobe_error *report_read_again(struct report_run *r, const struct report_run *how, struct profile **ret)
{
	struct again a;
	*ret = NULL;
	struct strobe_error *err = start_again(r, how, &a);
	if (!err)
		err = resolve_aggregate(a.run.resolver, ret);
	end_again(&a);
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

/* ---- cycles ---- */

struct report_cycles {
	struct again again; /* whose resolver the places of blocks are of */
	struct blocks blocks;
};

static bool has_branches(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (env->events.data[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

struct strobe_error *report_count_cycles(struct report_run *r, struct report_cycles **ret)
{
	*ret = NULL;
	if (!has_branches(r->env))
		return NULL;
	struct report_cycles *c = xcalloc(1, sizeof(*c));
	struct strobe_error *err = start_again(r, r, &c->again);
	if (!err)
		err = branches_read(&c->again.run, &c->blocks);
	if (c->blocks.all.len && !error_is(err, ERROR_STOPPED)) {
		error_destroy(err); /* told when the recording was read first */
		*ret = c;
		return NULL;
	}
	report_cycles_destroy(c);
	return err;
}

void report_cycles_destroy(struct report_cycles *c)
{
	if (!c)
		return;
	blocks_deinit(&c->blocks);
	end_again(&c->again);
	free(c);
}

void report_add_cycles(const struct report_cycles *c, const struct report_run *r, const struct report_part *part, mapping_id mapping,
		       struct listing *l)
{
	const struct profile_mapping *m = &r->profile->mappings.data[mapping];
	for (size_t i = 0; c && i < c->blocks.all.len; i++) {
		const struct block *b = &c->blocks.all.data[i];
		const struct symbol *symbol = b->end.function;
		if (symbol->start == l->start && report_part_counts(part, b->event) && is_file_of(b->end.object, r->profile, m))
			block_add_to_listing(b, l);
	}
}
