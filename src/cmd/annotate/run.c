/* The work of `strobe annotate`, once its options are known. */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "annotate/dso_code.h"
#include "annotate/hits.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/annotate/options.h"
#include "cmd/colours.h"
#include "dump/raw.h"
#include "session/input.h"
#include "session/peek.h"
#include "session/report/code.h"
#include "session/session.h"
#include "symbol/source.h"
#include "view/data/listing_json.h"

struct annotate_run {
	struct cmd_context *ctx;
	const struct annotate_command *o;
	struct session session;
	const struct env *env;          /* the session's */
	const struct profile *profile;  /* the session's */
	struct hits hits;
	bool clones; /* no function has the name that was asked for: what the compiler made of one */
	struct list_strings dsos;
	struct listing_text_options text;
	struct out *out;
	struct json json;
	size_t shown;
	/* Functions whose code is not at hand, by mapping: told once each. */
	struct missing {
		size_t functions;
		const char *first;
	} *missing;
	struct dso_code *codes; /* by mapping; those without a DSO were not asked for */
	bool is_incomplete; /* what was asked for could not be listed */
};

/* ---- what is read ---- */

static struct strobe_error *resolve(struct annotate_run *r)
{
	const struct annotate_command *o = r->o;
	const struct session_request request = {
		.choice = { .cpus = o->selection.cpus, .times = o->selection.times,
			    .pids = o->filter.pids, .tids = o->filter.tids, .comms = o->filter.comms },
		.symbols = o->selection.symbol_files,
		.resolve.by_address = true,
	};
	TRY(sample_choice_check(&request.choice, r->env));
	return session_resolve(&r->session, &request);
}

static bool dso_wanted(const struct annotate_run *r, const struct profile_mapping *m)
{
	if (!r->dsos.nr)
		return true;
	for (uint32_t i = 0; i < r->dsos.nr; i++)
		if (!strcmp(r->dsos.data[i], profile_str(r->profile, m->name)) ||
		    !strcmp(r->dsos.data[i], profile_str(r->profile, m->path)))
			return true;
	return false;
}

/* "f.constprop.0", "f(int) [clone .isra.0]": what the compiler made of a function. */
static bool is_clone(const char *name, const char *of)
{
	size_t n = strlen(of);
	return !strncmp(name, of, n) && (name[n] == '.' || text_has_prefix(name + n, " [clone "));
}

static bool function_wanted(void *ctx, const struct profile_function *f)
{
	const struct annotate_run *r = ctx;
	const char *symbol = r->o->symbol, *names[] = { profile_str(r->profile, f->name), profile_str(r->profile, f->system_name) };
	if (f->mapping == PROFILE_NONE || !dso_wanted(r, &r->profile->mappings.data[f->mapping]))
		return false;
	bool wanted = !symbol;
	for (size_t i = 0; i < 2 && !wanted; i++)
		wanted = r->clones ? is_clone(names[i], symbol) : !strcmp(symbol, names[i]);
	return wanted;
}

/* ---- which events are shown side by side ---- */

struct part {
	uint32_t *events;
	size_t n;
	const char *title;
	uint64_t limit_base;
};

static struct strobe_error *choose_events(struct annotate_run *r, bool *chosen)
{
	struct list_strings names;
	TRY(list_strings_parse(&r->session.arena, r->o->events, &names));
	for (size_t i = 0; i < r->env->events.len; i++)
		chosen[i] = !r->o->events || !strcmp(r->env->events.data[i].name, r->o->events);
	for (uint32_t n = 0; n < names.nr; n++) {
		bool any = false;
		for (size_t i = 0; i < r->env->events.len; i++) {
			bool same = !strcmp(r->env->events.data[i].name, names.data[n]);
			chosen[i] |= same;
			any |= chosen[i];
		}
		if (!any)
			return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; see 'evlist' for its events",
					    names.data[n]);
	}
	return NULL;
}

/* Whether --group puts together all events, as none were recorded in groups. */
static bool joins_all(const struct annotate_run *r)
{
	bool any = false;
	for (size_t i = 0; i < r->env->events.len; i++)
		any |= r->env->events.data[i].group_members > 1;
	return r->o->grouping.group_set && r->o->grouping.group && !any;
}

static const char *part_title(struct annotate_run *r, const uint32_t *events, size_t n)
{
	const struct env_event *leader = &r->env->events.data[events[0]];
	if (n == 1)
		return leader->name;
	const char *names = leader->name;
	for (size_t i = 1; i < n; i++)
		names = arena_printf(&r->session.arena, "%s, %s", names, r->env->events.data[events[i]].name);
	if (leader->group_members < 2)
		return names;
	return arena_printf(&r->session.arena, "%s { %s }", leader->group_name && *leader->group_name ? leader->group_name : "anon group",
			    names);
}

static struct strobe_error *make_parts(struct annotate_run *r, struct part **ret, size_t *ret_n)
{
	uint32_t n = (uint32_t)r->env->events.len;
	struct part *parts = arena_new_array(&r->session.arena, struct part, n + 1);
	bool *chosen = arena_new_array(&r->session.arena, bool, n + 1);
	*ret = parts;
	*ret_n = 0;
	TRY(choose_events(r, chosen));
	bool is_grouped = r->o->grouping.group, is_one = joins_all(r);
	for (uint32_t first = 0; first < n; first++) {
		if (!chosen[first])
			continue;
		struct part *p = &parts[(*ret_n)++];
		p->events = arena_new_array(&r->session.arena, uint32_t, n);
		for (uint32_t i = first; i < n; i++)
			if (chosen[i] && (i == first || is_one ||
					  (is_grouped && r->env->events.data[i].leader == r->env->events.data[first].leader))) {
				p->events[p->n++] = i;
				chosen[i] = false;
			}
		p->title = part_title(r, p->events, p->n);
	}
	return NULL;
}

/* ---- one function ---- */

static struct dso_code *dso_of(struct annotate_run *r, mapping_id mapping)
{
	struct dso_code *c = &r->codes[mapping];
	const struct mapped_file *file =
		machine_file_at(resolver_machine(r->session.resolver), r->profile->mappings.data[mapping].order);
	if (!c->dso)
		dso_code_init(c, symbols_dso(resolver_symbols(r->session.resolver), file), file, arch_or_native(r->env->arch));
	return c;
}

static struct strobe_error *make_listing(struct annotate_run *r, const struct part *p, const struct hits_function *hit,
					 struct dso_code *code, struct listing **ret)
{
	const struct profile_function *f = &r->profile->functions.data[hit->function];
	const struct profile_mapping *m = &r->profile->mappings.data[f->mapping];
	struct code_source source = dso_code_source(code);
	struct annotate_function function = {
		.name = profile_str(r->profile, f->name),
		.raw_name = profile_str(r->profile, f->system_name),
		.object = profile_str(r->profile, m->name),
		.object_path = profile_str(r->profile, m->path),
		.build_id = profile_str(r->profile, m->build_id),
		.section = dso_section_name(code->dso, f->start),
		.debug_origin = dso_source_origin(code->dso),
		.start = f->start,
		.end = f->start + f->size,
		.events = report_listing_events(&r->session.arena, r->env, r->profile, p->events, p->n),
		.events_nr = p->n,
	};
	struct annotate_options options = r->o->code.listing;
	options.without_source = r->o->code.look.no_source;
	options.source_root = r->o->selection.symbol_files.symfs;
	TRY(annotate_function(&source, &function, &options, ret));
	hits_apply(&r->hits, hit, p->events, p->n, *ret);
	listing_finish(*ret);
	return NULL;
}

static void show(struct annotate_run *r, const struct part *p, const struct listing *l)
{
	r->text.title = p->title;
	switch (r->o->format) {
	case ANNOTATE_STDIO: text_listing(r->out, l, &r->text); break;
	case ANNOTATE_STDIO2: text_listing_compact(r->out, l, &r->text); break;
	case ANNOTATE_JSON: data_listing_json(&r->json, l, r->o->code.look.share); break;
	}
}

/* What --percent-limit is a share of: as in perf, all samples in the objects that were asked for. */
static uint64_t limit_base(const struct annotate_run *r, uint32_t event)
{
	const struct profile *p = r->profile;
	uint64_t sum = 0;
	if (!r->dsos.nr)
		return p->events.data[event].value;
	for (size_t i = 0; i < p->rows.len; i++) {
		frame_id f = profile_self_frame(p, p->rows.data[i].stack);
		mapping_id m = f == PROFILE_NONE ? PROFILE_NONE : p->frames.data[f].mapping;
		if (p->rows.data[i].event == event && m != PROFILE_NONE && dso_wanted(r, &p->mappings.data[m]))
			sum += p->rows.data[i].value;
	}
	return sum;
}

static bool is_below_limit(const struct annotate_run *r, const struct part *p, const struct hits_function *f)
{
	if (r->o->grouping.percent_limit <= 0 || r->o->symbol)
		return false;
	double value = (double)hits_of(&r->hits, f, p->events[0]).value;
	return 100.0 * value < r->o->grouping.percent_limit * (double)p->limit_base;
}

static void note_missing(struct annotate_run *r, const struct profile_function *f)
{
	struct missing *m = &r->missing[f->mapping];
	if (!m->functions++)
		m->first = profile_str(r->profile, f->name);
}

/* An error is one that the next function would meet as well. */
static struct strobe_error *annotate_one(struct annotate_run *r, const struct part *p, const struct hits_function *hit)
{
	const struct profile_function *f = &r->profile->functions.data[hit->function];
	struct dso_code *code = dso_of(r, f->mapping);
	struct listing *l;
	if (is_below_limit(r, p, hit))
		return NULL;
	struct strobe_error *err = make_listing(r, p, hit, code, &l);
	if (error_is(err, ERROR_UNSUPPORTED))
		return err;
	if (error_is(err, ERROR_NOT_FOUND)) {
		note_missing(r, f);
		error_destroy(err);
		return NULL;
	}
	if (err) {
		cmd_say(r->ctx, "%s", err->message);
		error_destroy(err);
		r->is_incomplete = true;
		return NULL;
	}
	show(r, p, l);
	r->shown++;
	listing_destroy(l);
	return NULL;
}

static void say_missing(struct annotate_run *r)
{
	for (mapping_id i = 0; i < r->profile->mappings.len; i++) {
		const struct missing *m = &r->missing[i];
		if (!m->functions)
			continue;
		r->is_incomplete |= r->o->symbol || !r->shown;
		if (r->o->quiet || (r->o->skip_missing && !r->o->symbol))
			continue;
		const char *what = m->functions == 1 ? m->first :
				   arena_printf(&r->session.arena, "%s and %zu other functions", m->first, m->functions - 1);
		struct strobe_error *err = dso_code_missing(dso_of(r, i), what);
		cmd_say(r->ctx, "%s", err->message);
		error_destroy(err);
	}
}

static struct strobe_error *annotate_part(struct annotate_run *r, struct part *p)
{
	size_t n;
	struct strobe_error *err = NULL;
	p->limit_base = r->o->grouping.percent_limit > 0 ? limit_base(r, p->events[0]) : 0;
	uint32_t *order = hits_rank(&r->hits, p->events, p->n, &n);
	for (size_t i = 0; i < n && !err && !out_failed(r->out); i++)
		err = annotate_one(r, p, &r->hits.functions.data[order[i]]);
	free(order);
	return err;
}

/* ---- the whole ---- */

static void set_up_text(struct annotate_run *r)
{
	const struct annotate_command *o = r->o;
	r->text = (struct listing_text_options){
		.share = o->code.look.share,
		.shown = o->show_samples ? LISTING_SHOW_SAMPLES : o->show_period ? LISTING_SHOW_PERIOD : LISTING_SHOW_PERCENT,
		.with_source = !o->code.look.no_source,
		.raw_bytes = o->code.look.raw,
		.lines = o->code.look.line_numbers,
		.full_paths = o->code.look.full_paths,
		.counts = o->verbose > 0,
	};
	colour_listing(r->ctx, o->colour, &r->text);
}

/* Files that samples fell into and that could not be used: replaced, unreadable. */
static void say_problems(const struct annotate_run *r)
{
	struct machine *m = resolver_machine(r->session.resolver);
	for (size_t i = 0; i < r->profile->mappings.len && !r->o->quiet; i++) {
		const struct profile_mapping *at = &r->profile->mappings.data[i];
		if (at->order >= machine_files_count(m) || !dso_wanted(r, at))
			continue;
		struct dso_facts f = dso_facts(symbols_dso(resolver_symbols(r->session.resolver), machine_file_at(m, at->order)));
		if (f.problem)
			cmd_say(r->ctx, "%s", f.problem);
	}
}

static struct strobe_error *say_nothing_found(const struct annotate_run *r)
{
	uint64_t samples = 0;
	for (size_t i = 0; i < r->profile->events.len; i++)
		samples += r->profile->events.data[i].samples;
	if (samples && r->o->symbol)
		return error_create(ERROR_NOT_FOUND, "%s has no samples in a function '%s'; see 'report' for functions with samples",
				    input_path(r->o->selection.input), r->o->symbol);
	if (!r->o->quiet && !samples)
		cmd_say(r->ctx, "%s has no samples, or none match the filters", input_path(r->o->selection.input));
	else if (!r->o->quiet)
		cmd_say(r->ctx, "%s has no samples in functions with symbols%s", input_path(r->o->selection.input),
			r->dsos.nr ? ", in these objects" : "");
	return NULL;
}

static struct strobe_error *annotate_all(struct annotate_run *r)
{
	struct part *parts;
	size_t n;
	TRY(make_parts(r, &parts, &n));
	hits_create(r->profile, function_wanted, r, &r->hits);
	if (!r->hits.functions.len && r->o->symbol) {
		r->clones = true;
		hits_deinit(&r->hits);
		hits_create(r->profile, function_wanted, r, &r->hits);
	}
	say_problems(r);
	if (!r->hits.functions.len)
		return say_nothing_found(r);
	r->codes = arena_new_array(&r->session.arena, struct dso_code, r->profile->mappings.len + 1);
	r->missing = arena_new_array(&r->session.arena, struct missing, r->profile->mappings.len + 1);
	for (size_t i = 0; i < n; i++)
		TRY(annotate_part(r, &parts[i]));
	say_missing(r);
	return NULL;
}

static void json_begin(struct annotate_run *r)
{
	json_init(&r->json, r->out, true);
	json_object(&r->json);
	json_format(&r->json, DATA_LISTING_FORMAT, DATA_LISTING_VERSION);
	json_key(&r->json, "functions");
	json_array(&r->json);
}

static void json_finish(struct annotate_run *r)
{
	json_end(&r->json);
	json_end(&r->json);
	out_ch(r->out, '\n');
}

static struct strobe_error *run(struct annotate_run *r)
{
	if (r->session.env->is_pipe)
		peek_source(&r->session.source, NULL);
	r->env = r->session.env = source_env(r->session.source);
	TRY(list_strings_parse(&r->session.arena, r->o->filter.dsos, &r->dsos));
	TRY(resolve(r));
	if (r->o->raw)
		return raw_ordered(r->out, r->session.resolver, r->env, input_path(r->o->selection.input), true);
	struct strobe_error *damaged;
	TRY(session_aggregate(&r->session, &damaged));
	r->profile = r->session.profile;
	set_up_text(r);
	if (r->o->format == ANNOTATE_JSON)
		json_begin(r);
	struct strobe_error *err = annotate_all(r);
	if (r->o->format == ANNOTATE_JSON)
		json_finish(r);
	/* What was complete has been shown; the damage is reported as well. */
	if (!err)
		return damaged;
	error_destroy(damaged);
	return err;
}

int annotate_run(struct cmd_context *ctx, const struct annotate_command *o)
{
	struct annotate_run r = { .ctx = ctx, .o = o };
	struct out out;
	struct strobe_error *err = session_open(&r.session, cmd_host(ctx), o->selection.input, o->selection.force);
	if (err)
		return cmd_fail(ctx, err);
	cmd_open_output(ctx, &out);
	r.out = &out;
	err = run(&r);
	int status = cmd_close_output(ctx, &out);
	int failed = err ? cmd_fail(ctx, err) : r.is_incomplete ? CMD_FAILED : CMD_OK;
	status = status ? status : failed;
	if (status != CMD_BROKEN_PIPE && !o->quiet)
		input_remarks(cmd_host(ctx), r.session.reader, r.session.resolver ? resolver_stats(r.session.resolver) : NULL);
	for (size_t i = 0; r.codes && i < r.profile->mappings.len; i++)
		if (r.codes[i].dso)
			dso_code_deinit(&r.codes[i]);
	hits_deinit(&r.hits);
	session_close(&r.session);
	return status;
}
