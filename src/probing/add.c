/* Adds definitions: to the kernel, to the build ID cache, or prints them as lines. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "probe/cache.h"
#include "probe/markers.h"
#include "probe/tables.h"
#include "probing/priv.h"

/* In perf's format, for -v. */
static void report_parsed(const struct probing *p, size_t index, const char *text, const struct probe_definition *d)
{
	const struct session_host *host = p->settings->host;
	const struct probe_point *at = &d->point;
	session_progress(host, "probe-definition(%zu): %s", index, text);
	session_progress(host, "symbol:%s file:%s line:%" PRIu32 " offset:%" PRIu64 " return:%d lazy:%s",
			 at->function ? at->function : "(null)", at->file ? at->file : "(null)", at->line, at->offset, at->is_return,
			 at->pattern ? at->pattern : "(null)");
	for (size_t i = 0; i < d->arguments.len; i++) {
		_cleanup_strbuf_ struct strbuf argument = {};
		probe_argument_text(&d->arguments.data[i], &argument);
		session_progress(host, "parsing arg: %s", strbuf_str(&argument));
	}
	session_progress(host, "%zu arguments", d->arguments.len);
}

static struct strobe_error *add_of_target(struct probing *p, const struct probing_request *of, const struct probe_definition *d, bool keep,
					  struct probe_events *events)
{
	TRY(probing_open(p, of));
	TRY(probe_events_add(events, &p->target, d, &p->settings->search));
	return keep ? probe_cache_add(p->settings->files.buildid_dir, &p->target, events) : NULL;
}

/* Searches a marker in all files in the build ID cache, unless a file was named. */
static struct strobe_error *add_markers(struct probing *p, const struct probe_definition *d, bool keep, struct probe_events *events)
{
	const struct probing_settings *s = p->settings;
	probe_paths paths = {};
	struct strobe_error *err = NULL;
	if (s->files.buildid_dir)
		probe_markers_files(s->sys, s->files.buildid_dir, d->point.marker, &paths);
	for (size_t i = 0; i < paths.len && !err; i++) {
		const struct probing_request of = { .exec = arena_strdup(&p->arena, paths.data[i]) };
		err = add_of_target(p, &of, d, keep, events);
	}
	if (!paths.len)
		err = error_create(ERROR_NOT_FOUND,
				   "no marker '%s' in the build ID cache: name the program with -x, or add it (buildid-cache --add)",
				   d->point.marker);
	for (size_t i = 0; i < paths.len; i++)
		free(paths.data[i]);
	vec_deinit(&paths);
	return err;
}

static struct strobe_error *add_definition(struct probing *p, const struct probing_request *of, bool keep, struct probe_events *events)
{
	struct probe_definition d;
	struct strobe_error *err = probe_definition_parse(of->text, &p->arena, &d);
	if (!err && p->settings->verbose)
		report_parsed(p, events->definitions, of->text, &d);
	if (!err && d.point.marker && !of->exec && !of->module)
		err = add_markers(p, &d, keep, events);
	else if (!err)
		err = add_of_target(p, of, &d, keep, events);
	probe_definition_deinit(&d);
	return err;
}

struct strobe_error *probing_add(struct probing *p, const struct probing_request *requests, size_t n, struct probe_events *ret)
{
	const struct probing_settings *s = p->settings;
	*ret = (struct probe_events){};
	TRY(probe_events_init(s->sys, false, s->has_force, ret));
	for (size_t i = 0; i < n; i++)
		TRY(add_definition(p, &requests[i], s->keeps && !s->dry_run, ret));
	for (size_t i = 0; i < ret->list.len && s->verbose; i++)
		session_progress(s->host, "Writing event: %s", ret->list.data[i].line);
	if (!s->dry_run)
		TRY(probe_events_install(s->sys, ret));
	probing_remarks(p, ret);
	return NULL;
}

struct strobe_error *probing_definitions(struct probing *p, const struct probing_request *requests, size_t n, bool for_boot,
					 struct table *ret)
{
	struct probe_events events;
	struct strobe_error *err = probe_events_init(p->settings->sys, true, true, &events);
	for (size_t i = 0; i < n && !err; i++)
		err = add_definition(p, &requests[i], false, &events);
	if (!err)
		probing_remarks(p, &events);
	if (!err)
		err = probe_events_table(&events, for_boot, ret);
	probe_events_deinit(&events);
	return err;
}
