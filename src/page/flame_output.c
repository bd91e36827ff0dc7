#include "page/flame_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/mem.h"
#include "page/chart.h"
#include "page/page.h"
#include "profile/arithmetic.h"
#include "view/data/folded.h"

/* ---- the event ---- */

static struct strobe_error *no_such_event(const struct profile *p, const char *event)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < p->events.len; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", profile_event_name(p, i));
	return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; its events: %s", event, strbuf_str(&names));
}

static bool find_event(const struct profile *p, const char *event, bool with_samples, bool without_modifiers, uint32_t *ret)
{
	for (uint32_t i = 0; i < p->events.len; i++) {
		if (with_samples && !p->events.data[i].samples)
			continue;
		if (!event || profile_event_is_called(profile_event_name(p, i), event, without_modifiers)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* p: of the input, or of the base. */
static struct strobe_error *choose_event(const struct flame_output *f, const struct profile *p, uint32_t *ret)
{
	const struct profile_origin *origin = &p->origin;
	const char *event = f->o.event;
	if (origin->events_are_values && !event && !f->merged && p->events.len) {
		/* of the values of a sample, the file's default, or the last */
		*ret = (uint32_t)p->events.len - 1;
		for (uint32_t i = 0; i < p->events.len; i++)
			if (origin->default_event && p->events.data[i].name == origin->default_event)
				*ret = i;
		if (p->events.data[*ret].samples || p->events.data[*ret].value)
			return NULL;
	}
	if (find_event(p, event, true, false, ret) || find_event(p, event, true, true, ret))
		return NULL;
	if (origin->events_are_values && p->events.len > 1 && event && !find_event(p, event, false, true, ret))
		return profile_choose_event(p, event, ret);
	if (event && !find_event(p, event, false, true, ret))
		return no_such_event(p, event);
	uint64_t filtered = f->in.session.resolver ? resolver_stats(f->in.session.resolver)->filtered_samples : 0;
	if (filtered)
		return error_create(ERROR_NOT_FOUND, "none of %" PRIu64 " samples match -C, --comms, --pid, --tid and --time", filtered);
	return error_create(ERROR_NOT_FOUND, "the recording has no samples%s%s", event ? " of " : "", event ? event : "");
}

/* A picture shows one event: the message lists the others. */
static void say_other_events(const struct flame_output *f, uint32_t shown)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (uint32_t i = 0; i < f->profile->events.len && !f->o.event && !f->o.svg.has_base; i++)
		if (i != shown && f->profile->events.data[i].samples)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", profile_event_name(f->profile, i));
	if (names.len)
		session_say(f->host, "showing samples of event '%s'; select another with -e: %s",
			    profile_event_name(f->profile, shown), strbuf_str(&names));
}

/* Without call chains the picture has one level of functions: suggests how to record them, on a terminal. */
static void hint_at_chains(const struct flame_output *f)
{
	const struct env *env = f->in.session.env;
	bool has_chains = false;
	for (size_t i = 0; env && i < env->events.len; i++)
		has_chains |= !!(env->events.data[i].attr.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK));
	if (env && env->events.len && !has_chains && f->host->is_attended)
		session_say(f->host, "the recording has no call chains, so the graph has one level: record with -g");
}

/* ---- comparison ---- */

/* Joins both profiles, and finds the base's event. */
static struct strobe_error *join_base(struct flame_output *f)
{
	struct flame_output_options *o = &f->o;
	uint32_t shown, base;
	TRY(choose_event(f, f->in.profile, &shown));
	TRY(error_prefix(choose_event(f, f->base.profile, &base), "%s", f->base.path));
	uint32_t *events = arena_new_array(&f->in.arena, uint32_t, f->base.profile->events.len);
	f->profile = f->merged = profile_join(f->in.profile, f->base.profile, HTML_BASE_PREFIX, events);
	o->svg.base_event = events[base];
	o->event = profile_event_name(f->in.profile, shown);
	return NULL;
}

/* Reads it in the same way as the input, but from a file, and only one value. */
static struct strobe_error *read_base(struct flame_output *f)
{
	struct flame_input_options options = f->o.in;
	options.single = true;
	options.server.source = NULL;
	return flame_input_read(f->host, f->o.base, &options, &f->base);
}

/* ---- files of names ---- */

static struct strobe_error *read_attributes(const char *path, struct name_attributes *ret)
{
	struct lines lines;
	TRY(lines_read(path, &lines));
	struct strobe_error *err = error_prefix(name_attributes_read(&lines, ret), "%s", path);
	lines_deinit(&lines);
	return err;
}

/* A file that does not exist is treated as empty: it is created at the end. */
static struct strobe_error *read_colours(const char *path, struct name_colours *ret)
{
	struct lines lines;
	struct strobe_error *err = lines_read(path, &lines);
	if (error_is(err, ERROR_NOT_FOUND)) {
		error_destroy(err);
		err = NULL;
	}
	if (!err)
		name_colours_read(&lines, ret);
	lines_deinit(&lines);
	return err;
}

static struct strobe_error *read_name_files(struct flame_output *f)
{
	struct flame_output_options *o = &f->o;
	if (o->name_attributes)
		TRY(read_attributes(o->name_attributes, &f->attributes));
	if (o->colours_file)
		TRY(read_colours(o->colours_file, &f->colours));
	o->svg.attributes = o->name_attributes ? &f->attributes : NULL;
	o->svg.kept_colours = o->colours_file ? &f->colours : NULL;
	return NULL;
}

/* ---- what is written ---- */

static void add_subtitle(struct flame_output *f, uint32_t event)
{
	struct flamegraph_options *svg = &f->o.svg;
	const struct profile_event *e = &f->profile->events.data[event];
	const char *unit = profile_str(f->profile, e->unit);
	if (f->in.is_folded)
		f->subtitle = NULL;
	else if (f->profile->origin.events_are_values)
		f->subtitle = xstrdup(profile_event_name(f->profile, event));
	else
		f->subtitle = xasprintf("%s, %" PRIu64 " sample%s", profile_event_name(f->profile, event), e->samples,
					e->samples == 1 ? "" : "s");
	if (!svg->subtitle)
		svg->subtitle = f->subtitle;
	else if (!*svg->subtitle)
		svg->subtitle = NULL;
	if (f->profile->origin.events_are_values && !svg->count_name && *unit && strcmp(unit, "count"))
		svg->count_name = unit;
}

static struct strobe_error *prepare_page(struct flame_output *f)
{
	struct html_options *page = &f->page;
	uint32_t event;
	*page = page_options(&f->in.arena, f->in.session.env, f->in.path);
	if (f->in.session.resolver)
		page->code = page_code(&f->in.arena, f->in.session.env, f->in.session.resolver);
	if (f->in.session.resolver)
		page->chart = f->chart = page_chart_read(&f->in.session, f->in.path, &f->o.in.symbol_files);
	if (f->o.base)
		f->merged = profile_join(f->in.profile, f->base.profile, HTML_BASE_PREFIX, NULL);
	TRY(choose_event(f, f->in.profile, &event));
	page->event = f->o.event || f->merged ? profile_event_name(f->in.profile, event) : NULL; /* otherwise the page chooses */
	f->profile = f->merged ? f->merged : f->in.profile;
	if (f->o.svg.title)
		page->title = f->o.svg.title;
	return NULL;
}

struct strobe_error *flame_output_prepare(struct flame_output *f)
{
	struct flamegraph_options *svg = &f->o.svg;
	if (f->o.base)
		TRY(read_base(f));
	hint_at_chains(f);
	if (f->o.is_page)
		return prepare_page(f);
	if (f->o.base)
		TRY(join_base(f));
	TRY(choose_event(f, f->profile, &svg->event));
	if (f->in.two_values)
		svg->base_event = f->in.base_event;
	svg->has_base = f->o.base || f->in.two_values;
	svg->count_samples = f->in.session.env && env_counts_samples(f->in.session.env, svg->event);
	say_other_events(f, svg->event);
	return NULL;
}

static struct strobe_error *write_folded(const struct flame_output *f, struct out *out)
{
	struct folded_options folded = {
		.names = f->o.svg.names,
		.event = f->o.svg.event,
		.count_samples = f->o.svg.count_samples,
	};
	if (f->in.is_folded) /* marks in the input */
		folded.names.mark_kernel = folded.names.mark_jit = folded.names.mark_inlined = true;
	return (f->o.is_json ? view_folded_json : view_folded)(f->profile, &folded, out);
}

struct strobe_error *flame_output_write(struct flame_output *f, struct out *out)
{
	if (f->o.is_page)
		return view_html(f->profile, &f->page, out);
	if (f->o.folded)
		return write_folded(f, out);
	add_subtitle(f, f->o.svg.event);
	return view_flamegraph_svg(f->profile, &f->o.svg, out);
}

/* ---- from the input to the end ---- */

struct strobe_error *flame_output_read(struct flame_output *f, const struct session_host *host, const struct flame_output_options *o)
{
	*f = (struct flame_output){ .host = host, .o = *o };
	TRY(read_name_files(f));
	f->o.in.for_page = o->is_page;
	f->o.in.single = o->base || o->folded;
	f->o.in.inlines = o->svg.names.mark_inlined;
	struct strobe_error *err = flame_input_read(host, o->input, &f->o.in, &f->in);
	f->profile = f->in.profile;
	return err;
}

bool flame_output_has_samples(const struct flame_output *f)
{
	return f->profile && f->profile->rows.len;
}

void flame_output_remarks(const struct flame_output *f)
{
	if (f->profile && f->profile->log_dropped)
		session_say(f->host, "%" PRIu64 " samples after the first ones are not in the chart", f->profile->log_dropped);
	if (f->in.session.resolver)
		session_remarks(&f->in.session, false);
}

void flame_output_deinit(struct flame_output *f)
{
	page_chart_destroy(f->chart);
	profile_destroy(f->merged);
	flame_input_close(&f->base);
	flame_input_close(&f->in);
	name_attributes_deinit(&f->attributes);
	name_colours_deinit(&f->colours);
	free(f->subtitle);
}

/* Any option of pictures except for the title. */
static bool differs(const struct flamegraph_options *o)
{
	const struct flamegraph_options d = flamegraph_defaults();
	const struct frame_names_options *n = &o->names;
	return n->mark_kernel || n->mark_inlined || n->mark_jit || n->with_addresses || n->with_pid || n->with_tid || o->subtitle ||
	       o->notes || o->width != d.width || o->frame_height != d.frame_height || o->min_width != d.min_width ||
	       o->min_width_is_percent || o->font_type != d.font_type || o->font_size != d.font_size ||
	       o->font_width != d.font_width || o->name_type != d.name_type || o->count_name || o->factor != d.factor ||
	       strcmp(o->colours, d.colours) || o->background || o->hash_colours || o->random_colours || o->reverse ||
	       o->inverted || o->in_time || o->negate || o->normalize || o->total;
}

bool flame_output_has_picture_options(const struct flame_output_options *o)
{
	return o->folded || o->name_attributes || o->colours_file || differs(&o->svg);
}

struct strobe_error *flame_output_check(const struct flame_output_options *o)
{
	if (o->colours_file && o->base)
		return error_create(ERROR_USAGE, "--cp cannot be combined with --diff-base");
	if (o->folded && (o->colours_file || o->name_attributes))
		return error_create(ERROR_USAGE, "--cp and --nameattr cannot be combined with --folded");
	if ((o->svg.normalize || o->svg.negate) && o->folded)
		return error_create(ERROR_USAGE, "--normalize and --negate cannot be combined with --folded");
	if (o->base && o->folded)
		return error_create(ERROR_USAGE, "--diff-base cannot be combined with --folded");
	if (o->svg.in_time && o->folded)
		return error_create(ERROR_USAGE, "--flamechart cannot be combined with --folded");
	return NULL;
}
