#include "cmd/flamegraph/draw.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/mem.h"
#include "exchange/exchange.h"
#include "page/page.h"
#include "profile/arithmetic.h"
#include "session/flame_input.h"
#include "session/input.h"
#include "view/data/folded.h"
#include "view/svg/flamegraph.h"

struct run {
	struct cmd_context *ctx;
	struct flamegraph_command *o;
	struct flame_input in, base;
	struct profile *merged; /* with a base: both of them */
	struct profile *profile; /* what is shown: of in, or merged */
	char *subtitle;
	struct name_attributes attributes;
	struct name_colours colours;
};

/* ---- the event ---- */

static const char *event_name(const struct run *r, size_t i)
{
	return profile_str(r->profile, r->profile->events.data[i].name);
}

static struct strobe_error *no_such_event(const struct run *r)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < r->profile->events.len; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", event_name(r, i));
	return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; its events: %s", r->o->event, strbuf_str(&names));
}

/* "cycles" also finds "cycles:u". */
static bool is_called(const char *event, const char *name, bool without_modifiers)
{
	size_t n = strlen(name);
	return !strncmp(event, name, n) && (!event[n] || (without_modifiers && event[n] == ':'));
}

static bool find_event(const struct run *r, bool with_samples, bool without_modifiers, uint32_t *ret)
{
	for (uint32_t i = 0; i < r->profile->events.len; i++) {
		if (with_samples && !r->profile->events.data[i].samples)
			continue;
		if (!r->o->event || is_called(event_name(r, i), r->o->event, without_modifiers)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static struct strobe_error *choose_event(const struct run *r, uint32_t *ret)
{
	const struct profile_origin *origin = &r->profile->origin;
	if (origin->events_are_values && !r->o->event && !r->merged && r->profile->events.len) {
		/* the values of one sample: the one that the file means to be shown, or the last */
		*ret = (uint32_t)r->profile->events.len - 1;
		for (uint32_t i = 0; i < r->profile->events.len; i++)
			if (origin->default_event && r->profile->events.data[i].name == origin->default_event)
				*ret = i;
		if (r->profile->events.data[*ret].samples || r->profile->events.data[*ret].value)
			return NULL;
	}
	if (find_event(r, true, false, ret) || find_event(r, true, true, ret))
		return NULL;
	if (r->o->event && !find_event(r, false, true, ret))
		return no_such_event(r);
	uint64_t filtered = r->in.session.resolver ? resolver_stats(r->in.session.resolver)->filtered_samples : 0;
	if (filtered)
		return error_create(ERROR_NOT_FOUND, "none of %" PRIu64 " samples match -C, --comms, --pid, --tid and --time", filtered);
	return error_create(ERROR_NOT_FOUND, "the recording has no samples%s%s", r->o->event ? " of " : "",
			    r->o->event ? r->o->event : "");
}

/* A picture shows one event: names the others. */
static void say_other_events(const struct run *r, uint32_t shown)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (uint32_t i = 0; i < r->profile->events.len && !r->o->event && !r->o->svg.has_base; i++)
		if (i != shown && r->profile->events.data[i].samples)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", event_name(r, i));
	if (names.len)
		cmd_say(r->ctx, "showing samples of event '%s'; select another with -e: %s", event_name(r, shown), strbuf_str(&names));
}

/* ---- output ---- */

static bool counts_samples(const struct run *r, uint32_t event)
{
	/* perf uses a period only where each sample has one; otherwise a sample counts as 1. */
	const struct env *env = r->in.session.env;
	return env && event < env->events.len && !(env->events.data[event].attr.sample_type & PERF_SAMPLE_PERIOD);
}

static void add_subtitle(struct run *r, uint32_t event)
{
	struct flamegraph_options *svg = &r->o->svg;
	const struct profile_event *e = &r->profile->events.data[event];
	const char *unit = profile_str(r->profile, e->unit);
	if (r->in.is_folded)
		r->subtitle = NULL;
	else if (r->profile->origin.events_are_values)
		r->subtitle = xstrdup(event_name(r, event));
	else
		r->subtitle = xasprintf("%s, %" PRIu64 " sample%s", event_name(r, event), e->samples, e->samples == 1 ? "" : "s");
	if (!svg->subtitle)
		svg->subtitle = r->subtitle;
	else if (!*svg->subtitle)
		svg->subtitle = NULL;
	if (r->profile->origin.events_are_values && !svg->count_name && *unit && strcmp(unit, "count"))
		svg->count_name = unit;
}

static struct strobe_error *write_view(void *ctx, struct out *out)
{
	struct run *r = ctx;
	struct flamegraph_command *o = r->o;
	if (o->folded) {
		struct folded_options folded = {
			.names = o->svg.names,
			.event = o->svg.event,
			.count_samples = o->svg.count_samples,
		};
		if (r->in.is_folded) /* the marks that came in */
			folded.names.mark_kernel = folded.names.mark_jit = folded.names.mark_inlined = true;
		return view_folded(r->profile, &folded, out);
	}
	add_subtitle(r, o->svg.event);
	return view_flamegraph_svg(r->profile, &o->svg, out);
}

static struct strobe_error *write_colours(void *ctx, struct out *out)
{
	const struct run *r = ctx;
	name_colours_write(&r->colours, out);
	return NULL;
}

static struct strobe_error *write_stdout(struct run *r, int *ret_status)
{
	struct out out;
	cmd_open_output(r->ctx, &out);
	struct strobe_error *err = write_view(r, &out);
	*ret_status = cmd_close_output(r->ctx, &out);
	return err;
}

static struct strobe_error *write_output(struct run *r, int *ret_status)
{
	const char *path = r->o->output;
	if (!path && !r->o->folded && isatty(STDOUT_FILENO))
		path = FLAMEGRAPH_DEFAULT_OUTPUT;
	bool is_stdout = !path || !strcmp(path, "-");
	TRY(is_stdout ? write_stdout(r, ret_status) : cmd_write_file(path, write_view, r));
	if (r->o->colours_file)
		TRY(cmd_write_file(r->o->colours_file, write_colours, r));
	if (!is_stdout && !r->o->output)
		cmd_say(r->ctx, "wrote %s; open it in a browser", path);
	return NULL;
}

/* ---- comparison ---- */

static uint32_t event_called(const struct profile *p, const char *name)
{
	uint32_t i = 0;
	while (i < p->events.len && strcmp(profile_str(p, p->events.data[i].name), name))
		i++;
	return i;
}

/* Both profiles as one, and which of its events is the base's. */
static struct strobe_error *join_base(struct run *r)
{
	struct flamegraph_command *o = r->o;
	uint32_t shown, base;
	TRY(choose_event(r, &shown));
	r->profile = r->base.profile;
	struct strobe_error *err = choose_event(r, &base);
	r->profile = r->in.profile;
	if (err)
		return error_prefix(err, "%s", r->base.path);
	uint32_t *events = arena_new_array(&r->in.arena, uint32_t, r->base.profile->events.len);
	r->profile = r->merged = profile_join(r->in.profile, r->base.profile, HTML_BASE_PREFIX, events);
	o->svg.base_event = events[base];
	o->event = profile_str(r->in.profile, r->in.profile->events.data[shown].name);
	return NULL;
}

/* As the input is read, but of a file, and of one value. */
static struct strobe_error *read_base(struct run *r)
{
	struct flame_input_options options = r->o->in;
	options.single = true;
	options.server.source = NULL;
	return flame_input_read(cmd_host(r->ctx), r->o->base, &options, &r->base);
}

/* ---- pages ---- */

struct page {
	struct html_options options;
	const struct profile *profile;
};

static struct strobe_error *write_html(void *ctx, struct out *out)
{
	const struct page *page = ctx;
	return view_html(page->profile, &page->options, out);
}

static struct strobe_error *write_page(struct run *r)
{
	struct flamegraph_command *o = r->o;
	struct page page = {
		.options = page_options(&r->in.arena, r->in.session.env, r->in.path),
		.profile = r->in.profile,
	};
	if (r->in.session.resolver)
		page.options.code = page_code(&r->in.arena, r->in.session.env, r->in.session.resolver);
	if (o->base) {
		TRY(read_base(r));
		page.profile = r->merged = profile_join(r->in.profile, r->base.profile, HTML_BASE_PREFIX, NULL);
	}
	uint32_t event;
	TRY(choose_event(r, &event));
	page.options.event = o->event || r->merged ? event_name(r, event) : NULL; /* else the page chooses */
	if (o->svg.title)
		page.options.title = o->svg.title;
	return cmd_write_file(o->output, write_html, &page);
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

/* A file that is not there is as one that is empty: it is written in the end. */
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

static struct strobe_error *read_name_files(struct run *r)
{
	struct flamegraph_command *o = r->o;
	if (o->name_attributes)
		TRY(read_attributes(o->name_attributes, &r->attributes));
	if (o->colours_file)
		TRY(read_colours(o->colours_file, &r->colours));
	o->svg.attributes = o->name_attributes ? &r->attributes : NULL;
	o->svg.kept_colours = o->colours_file ? &r->colours : NULL;
	return NULL;
}

/* ---- the run ---- */

/* Status of what was shown; the error of the reading comes after it, for what was whole is shown all the same. */
static int show(struct run *r)
{
	struct flamegraph_command *o = r->o;
	int status = CMD_OK;
	if (flamegraph_is_page(o))
		return cmd_fail(r->ctx, write_page(r));
	struct strobe_error *err = o->base ? read_base(r) : NULL;
	if (!err && o->base)
		err = join_base(r);
	if (!err)
		err = choose_event(r, &o->svg.event);
	if (!err && r->in.two_values)
		o->svg.base_event = event_called(r->profile, FOLDED_BASE_EVENT);
	o->svg.has_base = o->base || r->in.two_values;
	if (!err) {
		o->svg.count_samples = counts_samples(r, o->svg.event);
		say_other_events(r, o->svg.event);
		err = write_output(r, &status);
	}
	int failed = cmd_fail(r->ctx, err);
	return status ? status : failed;
}

static int run_all(struct run *r)
{
	struct flamegraph_command *o = r->o;
	o->in.for_page = flamegraph_is_page(o);
	o->in.single = o->base || o->folded;
	o->in.inlines = o->svg.names.mark_inlined;
	struct strobe_error *err = flame_input_read(cmd_host(r->ctx), o->input, &o->in, &r->in);
	int status = CMD_OK;
	r->profile = r->in.profile;
	if (r->profile && (!err || r->profile->rows.len))
		status = show(r);
	if (r->profile && r->profile->log_dropped)
		cmd_say(r->ctx, "%" PRIu64 " samples after the first ones are not in the chart", r->profile->log_dropped);
	int failed = cmd_fail(r->ctx, err);
	if (r->in.session.resolver && status != CMD_BROKEN_PIPE)
		session_remarks(&r->in.session, false);
	return status ? status : failed;
}

int flamegraph_draw(struct cmd_context *ctx, struct flamegraph_command *o)
{
	struct run r = { .ctx = ctx, .o = o };
	struct strobe_error *err = read_name_files(&r);
	int status = err ? cmd_fail(ctx, err) : run_all(&r);
	profile_destroy(r.merged);
	flame_input_close(&r.base);
	flame_input_close(&r.in);
	name_attributes_deinit(&r.attributes);
	name_colours_deinit(&r.colours);
	free(r.subtitle);
	return status;
}
