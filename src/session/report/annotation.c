#include "session/report/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/dso_code.h"
#include "annotate/hits.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/text.h"
#include "datatypes/labels.h"
#include "datatypes/usage.h"
#include "report/query.h"
#include "session/input.h"
#include "session/report/code.h"
#include "session/report/report_session.h"

/* Events side by side. */
struct part {
	uint32_t *events;
	size_t n;
	const char *title;
	uint64_t limit_base;
};

/* Functions of a mapping whose code is missing: reported together. */
struct missing {
	size_t functions;
	const char *first;
};

struct annotation {
	struct session *session;
	const struct report_request *request;
	struct annotation_options options;
	struct list_strings dsos;
	struct hits hits;
	bool clones; /* no function has exactly the name of the symbol: show clones made by the compiler */
	struct part *parts;
	size_t parts_nr;
	struct missing *missing; /* by mapping */
	struct dso_code *codes;  /* by mapping; without a DSO if not needed */
	struct datatypes *types; /* once needed */
	size_t shown;
	bool is_incomplete;
};

struct strobe_error *annotation_create(struct session *s, const struct annotation_options *options, struct annotation **ret)
{
	struct list_strings dsos;
	TRY(list_strings_parse(&s->arena, options->request->filter.dsos, &dsos));
	struct annotation *a = *ret = xcalloc(1, sizeof(*a));
	*a = (struct annotation){ .session = s, .request = options->request, .options = *options, .dsos = dsos };
	return NULL;
}

void annotation_destroy(struct annotation *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->codes && i < a->session->profile->mappings.len; i++)
		if (a->codes[i].dso)
			dso_code_deinit(&a->codes[i]);
	datatypes_destroy(a->types);
	hits_deinit(&a->hits);
	free(a);
}

/* ---- which samples and functions ---- */

struct strobe_error *annotation_resolve(struct annotation *a)
{
	const struct report_request *o = a->request;
	const struct session_request request = {
		.choice = { .cpus = o->selection.cpus, .times = o->selection.times,
			    .pids = o->filter.pids, .tids = o->filter.tids, .comms = o->filter.comms },
		.symbols = o->selection.symbol_files,
		.resolve.by_address = true,
	};
	TRY(sample_choice_check(&request.choice, a->session->env));
	return session_resolve(a->session, &request);
}

static bool is_of_dsos(const struct annotation *a, const struct profile_mapping *m)
{
	if (!a->dsos.nr)
		return true;
	for (uint32_t i = 0; i < a->dsos.nr; i++)
		if (!strcmp(a->dsos.data[i], profile_str(a->session->profile, m->name)) ||
		    !strcmp(a->dsos.data[i], profile_str(a->session->profile, m->path)))
			return true;
	return false;
}

/* "f.constprop.0", "f(int) [clone .isra.0]": clones made by the compiler. */
static bool is_clone(const char *name, const char *of)
{
	size_t n = strlen(of);
	return !strncmp(name, of, n) && (name[n] == '.' || text_has_prefix(name + n, " [clone "));
}

static bool is_listed(void *ctx, const struct profile_function *f)
{
	const struct annotation *a = ctx;
	const struct profile *p = a->session->profile;
	const char *symbol = a->options.symbol, *names[] = { profile_str(p, f->name), profile_str(p, f->system_name) };
	if (f->mapping == PROFILE_NONE || !is_of_dsos(a, &p->mappings.data[f->mapping]))
		return false;
	bool is = !symbol;
	for (size_t i = 0; i < 2 && !is; i++)
		is = a->clones ? is_clone(names[i], symbol) : !strcmp(symbol, names[i]);
	return is;
}

/* ---- which events are shown side by side ---- */

static struct strobe_error *choose_events(struct annotation *a, bool *chosen)
{
	struct list_strings names;
	const struct env *env = a->session->env;
	const char *event = a->request->code.event;
	TRY(list_strings_parse(&a->session->arena, event, &names));
	for (size_t i = 0; i < env->events.len; i++)
		chosen[i] = !event || !strcmp(env->events.data[i].name, event);
	for (uint32_t n = 0; n < names.nr; n++) {
		bool any = false;
		for (size_t i = 0; i < env->events.len; i++) {
			bool same = !strcmp(env->events.data[i].name, names.data[n]);
			chosen[i] |= same;
			any |= chosen[i];
		}
		if (!any)
			return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; see 'evlist' for its events",
					    names.data[n]);
	}
	return NULL;
}

static struct strobe_error *make_parts(struct annotation *a)
{
	struct arena *arena = &a->session->arena;
	const struct env *env = a->session->env;
	uint32_t n = (uint32_t)env->events.len;
	const struct report_event *events = report_events(arena, env, false);
	const struct report_grouping *g = &a->request->grouping;
	bool *chosen = arena_new_array(arena, bool, n + 1), is_one = report_joins_all(g, events, n);
	a->parts = arena_new_array(arena, struct part, n + 1);
	TRY(choose_events(a, chosen));
	for (uint32_t first = 0; first < n; first++) {
		if (!chosen[first])
			continue;
		struct part *p = &a->parts[a->parts_nr++];
		p->events = arena_new_array(arena, uint32_t, n);
		for (uint32_t i = first; i < n; i++)
			if (chosen[i] && (i == first || is_one || (g->group && events[i].leader == events[first].leader))) {
				p->events[p->n++] = i;
				chosen[i] = false;
			}
		p->title = report_part_name(arena, events, p->events, (uint32_t)p->n);
	}
	return NULL;
}

size_t annotation_parts(const struct annotation *a)
{
	return a->parts_nr;
}

const char *annotation_title(const struct annotation *a, size_t part)
{
	return a->parts[part].title;
}

/* ---- one function ---- */

static struct dso_code *dso_of(struct annotation *a, mapping_id mapping)
{
	struct dso_code *c = &a->codes[mapping];
	const struct mapped_file *file =
		machine_file_at(resolver_machine(a->session->resolver), a->session->profile->mappings.data[mapping].order);
	if (!c->dso)
		dso_code_init(c, symbols_dso(resolver_symbols(a->session->resolver), file), file, arch_or_native(a->session->env->arch));
	return c;
}

static struct strobe_error *need_types(struct annotation *a)
{
	return a->types ? NULL : datatypes_create(arch_or_native(a->session->env->arch), &a->types);
}

static struct strobe_error *make_listing(struct annotation *a, const struct part *p, const struct hits_function *hit,
					 struct dso_code *code, struct listing **ret)
{
	const struct profile *profile = a->session->profile;
	const struct profile_function *f = &profile->functions.data[hit->function];
	struct code_source source = dso_code_source(code);
	struct annotate_function function = dso_code_function(code, profile, f->mapping, f->start, f->start + f->size);
	function.name = profile_str(profile, f->name);
	function.raw_name = profile_str(profile, f->system_name);
	function.events = report_listing_events(&a->session->arena, a->session->env, profile, p->events, p->n);
	function.events_nr = p->n;
	struct annotate_options options = a->request->code.listing;
	options.without_source = a->request->code.look.no_source;
	options.source_root = a->request->selection.symbol_files.symfs;
	if (a->options.with_types)
		TRY(need_types(a));
	TRY(annotate_function(&source, &function, &options, ret));
	if (a->options.with_types)
		datatype_listing(a->types, code->dso, *ret);
	hits_apply(&a->hits, hit, p->events, p->n, *ret);
	listing_finish(*ret);
	return NULL;
}

/* The total for --percent-limit: as in perf, all samples in the objects of -d. */
static uint64_t limit_base(const struct annotation *a, uint32_t event)
{
	const struct profile *p = a->session->profile;
	uint64_t sum = 0;
	if (!a->dsos.nr)
		return p->events.data[event].value;
	for (size_t i = 0; i < p->rows.len; i++) {
		frame_id f = profile_self_frame(p, p->rows.data[i].stack);
		mapping_id m = f == PROFILE_NONE ? PROFILE_NONE : p->frames.data[f].mapping;
		if (p->rows.data[i].event == event && m != PROFILE_NONE && is_of_dsos(a, &p->mappings.data[m]))
			sum += p->rows.data[i].value;
	}
	return sum;
}

static bool is_below_limit(const struct annotation *a, const struct part *p, const struct hits_function *f)
{
	if (a->request->grouping.percent_limit <= 0 || a->options.symbol)
		return false;
	double value = (double)hits_of(&a->hits, f, p->events[0]).value;
	return 100.0 * value < a->request->grouping.percent_limit * (double)p->limit_base;
}

static void note_missing(struct annotation *a, const struct profile_function *f)
{
	struct missing *m = &a->missing[f->mapping];
	if (!m->functions++)
		m->first = profile_str(a->session->profile, f->name);
}

static struct strobe_error *annotate_one(struct annotation *a, const struct part *p, const struct hits_function *hit,
					 bool (*show)(void *ctx, const struct listing *l), void *ctx, bool *ret_more)
{
	const struct profile_function *f = &a->session->profile->functions.data[hit->function];
	struct listing *l;
	if (is_below_limit(a, p, hit))
		return NULL;
	struct strobe_error *err = make_listing(a, p, hit, dso_of(a, f->mapping), &l);
	if (error_is(err, ERROR_UNSUPPORTED))
		return err;
	if (error_is(err, ERROR_NOT_FOUND)) {
		note_missing(a, f);
		error_destroy(err);
		return NULL;
	}
	if (err) {
		session_say(a->session->host, "%s", err->message);
		error_destroy(err);
		a->is_incomplete = true;
		return NULL;
	}
	*ret_more = show(ctx, l);
	a->shown++;
	listing_destroy(l);
	return NULL;
}

void annotation_finish(struct annotation *a)
{
	for (mapping_id i = 0; a->missing && i < a->session->profile->mappings.len; i++) {
		const struct missing *m = &a->missing[i];
		if (!m->functions)
			continue;
		a->is_incomplete |= a->options.symbol || !a->shown;
		if (a->request->display.quiet || (a->options.skip_missing && !a->options.symbol))
			continue;
		const char *what = m->functions == 1 ? m->first :
				   arena_printf(&a->session->arena, "%s and %zu other functions", m->first, m->functions - 1);
		struct strobe_error *err = dso_code_missing(dso_of(a, i), what);
		session_say(a->session->host, "%s", err->message);
		error_destroy(err);
	}
}

/* Reports files with samples that could not be used: replaced, unreadable. */
static void say_problems(const struct annotation *a)
{
	struct machine *m = resolver_machine(a->session->resolver);
	for (size_t i = 0; i < a->session->profile->mappings.len && !a->request->display.quiet; i++) {
		const struct profile_mapping *at = &a->session->profile->mappings.data[i];
		if (at->order >= machine_files_count(m) || !is_of_dsos(a, at))
			continue;
		struct dso_facts f = dso_facts(symbols_dso(resolver_symbols(a->session->resolver), machine_file_at(m, at->order)));
		if (f.problem)
			session_say(a->session->host, "%s", f.problem);
	}
}

static struct strobe_error *say_nothing_found(const struct annotation *a)
{
	uint64_t samples = 0;
	for (size_t i = 0; i < a->session->profile->events.len; i++)
		samples += a->session->profile->events.data[i].samples;
	if (samples && a->options.symbol)
		return error_create(ERROR_NOT_FOUND, "%s has no samples in a function '%s'; see 'report' for functions with samples",
				    input_path(a->request->selection.input), a->options.symbol);
	if (!a->request->display.quiet && !samples)
		session_say(a->session->host, "%s has no samples, or none match the filters", input_path(a->request->selection.input));
	else if (!a->request->display.quiet)
		session_say(a->session->host, "%s has no samples in functions with symbols%s", input_path(a->request->selection.input),
			a->dsos.nr ? ", in these objects" : "");
	return NULL;
}

struct strobe_error *annotation_find(struct annotation *a)
{
	const struct profile *p = a->session->profile;
	TRY(make_parts(a));
	hits_create(p, is_listed, a, &a->hits);
	if (!a->hits.functions.len && a->options.symbol) {
		a->clones = true;
		hits_deinit(&a->hits);
		hits_create(p, is_listed, a, &a->hits);
	}
	say_problems(a);
	if (!a->hits.functions.len)
		return say_nothing_found(a);
	a->codes = arena_new_array(&a->session->arena, struct dso_code, p->mappings.len + 1);
	a->missing = arena_new_array(&a->session->arena, struct missing, p->mappings.len + 1);
	return NULL;
}

struct strobe_error *annotation_each(struct annotation *a, size_t part, bool (*show)(void *ctx, const struct listing *l), void *ctx)
{
	struct part *p = &a->parts[part];
	struct strobe_error *err = NULL;
	bool more = true;
	size_t n;
	p->limit_base = a->request->grouping.percent_limit > 0 ? limit_base(a, p->events[0]) : 0;
	uint32_t *order = hits_rank(&a->hits, p->events, p->n, &n);
	for (size_t i = 0; i < n && !err && more; i++)
		err = annotate_one(a, p, &a->hits.functions.data[order[i]], show, ctx, &more);
	free(order);
	return err;
}

/* ---- types of data ---- */

static void add_costs(struct annotation *a, const struct part *p, const struct hits_function *f, struct usage *u)
{
	const struct profile *profile = a->session->profile;
	mapping_id mapping = profile->functions.data[f->function].mapping;
	struct dso *dso = dso_of(a, mapping)->dso;
	const char *path = profile_str(profile, profile->mappings.data[mapping].path);
	for (size_t i = f->first; i < f->first + f->nr; i++) {
		const struct hit *h = &a->hits.all.data[i];
		for (uint32_t e = 0; e < p->n; e++)
			if (p->events[e] == h->event)
				usage_add(u, dso, path, h->addr, e, (struct listing_value){ h->samples, h->value });
	}
}

static void show_types(struct usage *u, const struct annotation_types *shown)
{
	size_t n;
	bool more = true;
	uint32_t *order = usage_rank(u, &n);
	shown->begin(shown->ctx, &u->stats);
	for (size_t i = 0; i < n && more; i++) {
		struct layout *l = usage_layout(u, order[i]);
		more = shown->show(shown->ctx, l);
		layout_destroy(l);
	}
	free(order);
}

struct strobe_error *annotation_types(struct annotation *a, size_t part, const struct annotation_types *shown)
{
	const struct part *p = &a->parts[part];
	struct usage usage;
	TRY(need_types(a));
	usage_init(&usage, a->types, report_listing_events(&a->session->arena, a->session->env, a->session->profile, p->events, p->n),
		   (uint32_t)p->n);
	for (size_t i = 0; i < a->hits.functions.len; i++)
		add_costs(a, p, &a->hits.functions.data[i], &usage);
	show_types(&usage, shown);
	usage_deinit(&usage);
	return NULL;
}

bool annotation_is_incomplete(const struct annotation *a)
{
	return a->is_incomplete;
}
