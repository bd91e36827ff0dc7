/* strobe probe: functions, lines and markers of programs and of the kernel as events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/out.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/probe/options.h"
#include "probe/cache.h"
#include "probe/lines.h"
#include "probe/markers.h"
#include "probe/tables.h"
#include "sys/sys.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

#define FUNCTIONS_FILTER "!_* & !*@plt"
#define VARIABLES_FILTER "!__k???tab_* & !__crc_*"
#define MODULE_SUFFIX	 ".ko"

/* What all of them need. */
struct probe_run {
	struct cmd_context *ctx;
	const struct probe_options *o;
	struct probe_files files;
	struct arena arena;
	/* The target that was used last: definitions mostly share one. */
	struct probe_target target;
	struct probe_request of;
	bool has_target;
};

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct strobe_error *open_target(struct probe_run *r, const struct probe_request *of)
{
	if (r->has_target && same(r->of.exec, of->exec) && same(r->of.module, of->module))
		return NULL;
	if (r->has_target)
		probe_target_close(&r->target);
	r->has_target = false;
	TRY(of->exec ? probe_target_program(of->exec, &r->files, &r->target) :
		       probe_target_kernel(sys_live(), of->module, &r->files, &r->target));
	r->has_target = true;
	r->of = *of;
	return NULL;
}

static int put_table(const struct probe_run *r, struct table *t)
{
	const char *format = r->o->format;
	struct out out;
	cmd_open_output(r->ctx, &out);
	if (format && !strcmp(format, "json")) {
		table_json(&out, t);
	} else if (format && !strcmp(format, "csv")) {
		table_csv(&out, t, ",");
	} else {
		table_text(&out, t, NULL);
	}
	table_deinit(t);
	return cmd_close_output(r->ctx, &out);
}

/* Tabs stay: they are how the source is indented. */
static void put_source_text(struct out *out, const char *text, size_t bytes)
{
	for (const char *end = text + bytes; text < end;) {
		const char *tab = memchr(text, '\t', (size_t)(end - text));
		out_text(out, text, (size_t)((tab ? tab : end) - text));
		if (tab)
			out_ch(out, '\t');
		text = tab ? tab + 1 : end;
	}
	out_ch(out, '\n');
}

/* Text as it was made, below a title or without one; or the table in another format. */
static int put_lines(const struct probe_run *r, const char *title, const char *text, struct table *t)
{
	struct out out;
	if (r->o->format && strcmp(r->o->format, "text"))
		return put_table(r, t);
	cmd_open_output(r->ctx, &out);
	if (title)
		put_source_text(&out, title, strlen(title));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		put_source_text(&out, line, strcspn(line, "\n"));
	table_deinit(t);
	return cmd_close_output(r->ctx, &out);
}

/* ---- definitions ---- */

/* As perf prints it, for -v. */
static void say_parsed(size_t index, const char *text, const struct probe_definition *d)
{
	const struct probe_point *p = &d->point;
	cmd_say_plain("probe-definition(%zu): %s", index, text);
	cmd_say_plain("symbol:%s file:%s line:%" PRIu32 " offset:%" PRIu64 " return:%d lazy:%s", p->function ? p->function : "(null)",
		      p->file ? p->file : "(null)", p->line, p->offset, p->is_return, p->pattern ? p->pattern : "(null)");
	for (size_t i = 0; i < d->arguments.len; i++) {
		_cleanup_strbuf_ struct strbuf argument = {};
		probe_argument_text(&d->arguments.data[i], &argument);
		cmd_say_plain("parsing arg: %s", strbuf_str(&argument));
	}
	cmd_say_plain("%zu arguments", d->arguments.len);
}

static struct probe_search search_of(const struct probe_run *r)
{
	return (struct probe_search){ .no_inlines = r->o->no_inlines, .max_places = (uint32_t)r->o->max_probes,
				      .source_dir = r->o->source };
}

static struct strobe_error *add_of_target(struct probe_run *r, const struct probe_request *of, const struct probe_definition *d,
					  struct probe_events *events)
{
	const struct probe_search search = search_of(r);
	TRY(open_target(r, of));
	TRY(probe_events_add(events, &r->target, d, &search));
	return r->o->cache && r->o->added.len && !r->o->dry_run ? probe_cache_add(r->files.buildid_dir, &r->target, events) : NULL;
}

/* A marker is looked for in all files that the build-id cache knows, unless one was named. */
static struct strobe_error *add_markers(struct probe_run *r, const struct probe_definition *d, struct probe_events *events)
{
	probe_paths paths = {};
	struct strobe_error *err = NULL;
	if (r->files.buildid_dir)
		probe_markers_files(sys_live(), r->files.buildid_dir, d->point.marker, &paths);
	for (size_t i = 0; i < paths.len && !err; i++) {
		const struct probe_request of = { .exec = arena_strdup(&r->arena, paths.data[i]) };
		err = add_of_target(r, &of, d, events);
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

static struct strobe_error *add_definition(struct probe_run *r, const struct probe_request *of, struct probe_events *events)
{
	struct probe_definition d;
	struct strobe_error *err = probe_definition_parse(of->text, &r->arena, &d);
	if (!err && r->o->verbose)
		say_parsed(events->definitions, of->text, &d);
	if (!err && d.point.marker && !of->exec && !of->module)
		err = add_markers(r, &d, events);
	else if (!err)
		err = add_of_target(r, of, &d, events);
	probe_definition_deinit(&d);
	return err;
}

/* What is not as the user may think. */
static void say_remarks(const struct probe_run *r, const struct probe_events *events)
{
	for (size_t i = 0; i < events->list.len && !r->o->quiet; i++) {
		const struct probe_event *e = &events->list.data[i];
		if (e->resolver)
			cmd_say(r->ctx,
				"%s only chooses, once, which function is called by this name (GNU indirect function): probe "
				"that one to see its calls", e->resolver);
		if (e->is_after_prologue)
			cmd_say(r->ctx, "%s is compiled without optimization: the probe is after its prologue, which stores the variables",
				e->place);
	}
}

/* ---- adding ---- */

static void say_added(const struct probe_run *r, const struct probe_events *events)
{
	if (r->o->quiet || !events->list.len)
		return;
	const struct probe_event *last = &vec_last(&events->list);
	cmd_say_plain("Added new event%s", events->list.len > 1 ? "s:" : ":");
	for (size_t i = 0; i < events->list.len; i++) {
		_cleanup_strbuf_ struct strbuf text = {};
		probe_event_text(&events->list.data[i], &text);
		cmd_say_plain("  %s", strbuf_str(&text));
	}
	cmd_say_plain("\nYou can now use it in all %s tools, such as:\n", r->ctx->program);
	cmd_say_plain("\t%s record -e %s:%s -aR sleep 1\n", r->ctx->program, last->group, last->event);
}

static struct strobe_error *add(struct probe_run *r, struct probe_events *events)
{
	for (size_t i = 0; i < r->o->added.len; i++)
		TRY(add_definition(r, &r->o->added.data[i], events));
	for (size_t i = 0; i < events->list.len && r->o->verbose; i++)
		cmd_say_plain("Writing event: %s", events->list.data[i].line);
	return r->o->dry_run ? NULL : probe_events_install(sys_live(), events);
}

static int run_add(struct probe_run *r)
{
	struct probe_events events;
	struct strobe_error *err = probe_events_init(sys_live(), false, r->o->force, &events);
	if (err)
		return cmd_fail(r->ctx, err);
	err = add(r, &events);
	if (!err) {
		say_remarks(r, &events);
		say_added(r, &events);
	}
	probe_events_deinit(&events);
	return cmd_fail(r->ctx, err);
}

static int run_show(struct probe_run *r)
{
	struct probe_events events;
	struct table t;
	struct strobe_error *err = probe_events_init(sys_live(), true, true, &events);
	for (size_t i = 0; i < r->o->shown.len && !err; i++)
		err = add_definition(r, &r->o->shown.data[i], &events);
	int status = CMD_OK;
	if (!err)
		say_remarks(r, &events);
	if (!err && !(err = probe_events_table(&events, r->o->bootconfig, &t)))
		status = put_table(r, &t);
	probe_events_deinit(&events);
	return err ? cmd_fail(r->ctx, err) : status;
}

/* ---- listing and removing ---- */

static struct strobe_error *filter_of(struct probe_run *r, const char *const *words, size_t n, const struct probe_filter **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct probe_filter *one;
		TRY(probe_filter_parse(words[i], &r->arena, &one));
		*ret = probe_filter_or(*ret, one, &r->arena);
	}
	return NULL;
}

static struct strobe_error *read_installed(struct probe_list *ret)
{
	TRY(probe_list_read(sys_live(), ret));
	if (ret->exists[PROBE_KERNEL] || ret->exists[PROBE_PROGRAM])
		return NULL;
	probe_list_deinit(ret);
	return probe_missing(PROBE_PROGRAM);
}

static int run_list(struct probe_run *r)
{
	const struct probe_filter *filter;
	struct probe_list list;
	struct table t;
	struct strobe_error *err = filter_of(r, r->o->listed.data, r->o->listed.len, &filter);
	if (err)
		return cmd_fail_usage(r->ctx, err);
	err = read_installed(&list);
	if (err)
		return cmd_fail(r->ctx, err);
	probe_installed_table(sys_live(), &list, filter, &r->files, &t);
	probe_list_deinit(&list);
	return put_table(r, &t);
}

/* Each name once: probes of one event go together. */
static struct strobe_error *remove_all(const struct probe_run *r, const struct probe_list *list, const struct probe_filter *filter)
{
	struct strobe_error *err = NULL;
	const struct probe_installed *before = NULL;
	size_t hits = 0;
	for (size_t i = 0; i < list->events.len; i++) {
		const struct probe_installed *e = &list->events.data[i];
		bool is_again = before && !strcmp(before->group, e->group) && !strcmp(before->event, e->event);
		if (is_again || !probe_filter_matches_event(filter, e->group, e->event))
			continue;
		before = e;
		hits++;
		struct strobe_error *failed = r->o->dry_run ? NULL : probe_remove(sys_live(), e->kind, e->group, e->event);
		if (!failed && !r->o->quiet)
			cmd_say_plain("Removed event: %s:%s", e->group, e->event);
		err = error_first(err, failed);
	}
	if (!hits)
		return error_create(ERROR_NOT_FOUND, "no probe matches '%s': -l lists them", r->o->removed.data[0]);
	return err;
}

static int run_remove(struct probe_run *r)
{
	const struct probe_filter *filter;
	struct probe_list list;
	struct strobe_error *err = filter_of(r, r->o->removed.data, r->o->removed.len, &filter);
	if (err)
		return cmd_fail_usage(r->ctx, err);
	err = read_installed(&list);
	if (err)
		return cmd_fail(r->ctx, err);
	err = remove_all(r, &list, filter);
	probe_list_deinit(&list);
	return cmd_fail(r->ctx, err);
}

/* ---- the cache ---- */

struct cached {
	struct table *table;
	const char *last_hex;
	struct strbuf *text;
};

static void add_cached(void *ctx, const char *path, const char *hex, const char *definition)
{
	struct cached *c = ctx;
	if (!c->text->len || strcmp(c->last_hex, hex))
		strbuf_addf(c->text, "%s (%s):\n", path, hex);
	c->last_hex = hex;
	strbuf_addf(c->text, "%s\n", definition);
	table_row(c->table);
	table_set_text(c->table, 0, path);
	table_set_text(c->table, 1, hex);
	table_set_text(c->table, 2, definition);
}

static int run_cache_list(struct probe_run *r)
{
	const struct probe_filter *filter;
	struct table t;
	_cleanup_strbuf_ struct strbuf text = {};
	struct cached c = { .table = &t, .text = &text, .last_hex = "" };
	struct strobe_error *err = filter_of(r, r->o->listed.data, r->o->listed.len, &filter);
	if (err)
		return cmd_fail_usage(r->ctx, err);
	table_init(&t, "strobe-probe-cache", 1);
	table_column(&t, (struct table_column){ .key = "path", .type = TABLE_TEXT });
	table_column(&t, (struct table_column){ .key = "build_id", .type = TABLE_TEXT });
	table_column(&t, (struct table_column){ .key = "definition", .type = TABLE_TEXT });
	probe_cache_each(r->files.buildid_dir, filter, add_cached, &c);
	return put_lines(r, NULL, strbuf_str(&text), &t);
}

static void say_uncached(void *ctx, const char *definition)
{
	const struct probe_run *r = ctx;
	if (!r->o->quiet)
		cmd_say_plain("Removed cached event: %s", definition);
}

static int run_cache_remove(struct probe_run *r)
{
	const struct probe_filter *filter;
	size_t nr = 0;
	struct strobe_error *err = filter_of(r, r->o->removed.data, r->o->removed.len, &filter);
	if (err)
		return cmd_fail_usage(r->ctx, err);
	err = probe_cache_remove(r->files.buildid_dir, filter, say_uncached, r, &nr);
	if (!err && !nr)
		err = error_create(ERROR_NOT_FOUND, "no probe in the build ID cache matches '%s': --cache -l lists them",
				   r->o->removed.data[0]);
	return cmd_fail(r->ctx, err);
}

/* ---- functions and lines ---- */

static int run_functions(struct probe_run *r)
{
	const char *const filter_text = r->o->filter ? r->o->filter : FUNCTIONS_FILTER;
	const struct probe_request of = { .exec = r->o->exec, .module = r->o->module };
	const struct probe_filter *filter;
	struct table t;
	struct strobe_error *err = filter_of(r, &filter_text, 1, &filter);
	if (err)
		return cmd_fail_usage(r->ctx, err);
	err = open_target(r, &of);
	if (!err && !r->target.functions.list.len)
		err = error_create(ERROR_NOT_FOUND, "%s has no symbols: install its debug symbols", r->target.name);
	if (err)
		return cmd_fail(r->ctx, err);
	bool demangle = of.exec ? !r->o->no_demangle : r->o->demangle_kernel;
	probe_functions_table(&r->target, filter, demangle, &t);
	return put_table(r, &t);
}

static void put_listing(struct out *out, const struct probe_listing *l, const struct lines *source)
{
	size_t at = 0;
	out_ch(out, '<');
	if (l->function) {
		out_text_str(out, l->function);
		out_ch(out, '@');
	}
	out_text_str(out, l->path);
	out_f(out, ":%" PRIu32 ">\n", l->first - l->base);
	for (uint32_t line = l->first; line <= l->last && line <= lines_count(source); line++) {
		size_t bytes;
		const char *text = lines_get(source, line, &bytes);
		while (at < l->lines.len && l->lines.data[at] < line)
			at++;
		if (at < l->lines.len && l->lines.data[at] == line)
			out_f(out, "%7" PRIu32 "  ", line - l->base);
		else
			out_str(out, "         ");
		put_source_text(out, text ? text : "", text ? bytes : 0);
	}
}

static int run_lines(struct probe_run *r)
{
	const struct probe_request of = { .exec = r->o->exec, .module = r->o->module };
	struct probe_listing listing;
	struct lines source;
	struct out out;
	struct strobe_error *err = open_target(r, &of);
	if (!err)
		err = probe_listing_find(&r->target, r->o->lines, &r->arena, &listing);
	if (err)
		return cmd_fail(r->ctx, err);
	err = probe_source_read(listing.path, r->o->source, &source);
	if (!err) {
		cmd_open_output(r->ctx, &out);
		put_listing(&out, &listing, &source);
		lines_deinit(&source);
	}
	probe_listing_deinit(&listing);
	return err ? cmd_fail(r->ctx, err) : cmd_close_output(r->ctx, &out);
}

/* ---- variables ---- */

static int run_variables(struct probe_run *r, const struct probe_request *of)
{
	const char *const filter_text = r->o->filter ? r->o->filter : VARIABLES_FILTER;
	const struct probe_variable_options options = { .externs = r->o->externs, .ranges = r->o->range };
	const struct probe_search search = search_of(r);
	const struct probe_filter *filter;
	struct probe_definition d;
	struct table t;
	_cleanup_strbuf_ struct strbuf text = {}, title = {};
	struct strobe_error *err = filter_of(r, &filter_text, 1, &filter);
	err = err ? err : probe_definition_parse(of->text, &r->arena, &d);
	if (err)
		return cmd_fail_usage(r->ctx, err);
	err = open_target(r, of);
	if (!err)
		err = probe_variables_table(&r->target, &d, &search, filter, options, &t, &text);
	strbuf_addstr(&title, "Available variables at ");
	probe_point_text(&d.point, &title);
	int status = err ? cmd_fail(r->ctx, err) : put_lines(r, strbuf_str(&title), strbuf_str(&text), &t);
	probe_definition_deinit(&d);
	return status;
}

/* ---- the command line ---- */

/*
 * Words after the options are one definition, whose parts a shell may have taken apart; the first may be the file that it is of.
 */
static struct strobe_error *take_words(struct cmd_context *ctx, struct probe_options *o)
{
	int at = 0, n = ctx->rest.argc;
	char **words = ctx->rest.argv;
	if (n && *words[0] == '/' && !o->exec && !o->module) {
		*(text_has_suffix(words[0], MODULE_SUFFIX) ? &o->module : &o->exec) = words[0];
		at++;
	}
	_cleanup_strbuf_ struct strbuf text = {};
	for (; at < n; at++)
		strbuf_addf(&text, "%s%s", text.len ? " " : "", words[at]);
	if (!text.len)
		return NULL;
	if (o->has_list || o->has_functions || o->lines || o->removed.len)
		return error_create(ERROR_USAGE, "unexpected argument '%s'", strbuf_str(&text));
	struct probe_request r = { arena_strdup(&ctx->words, strbuf_str(&text)), o->exec, o->module };
	vec_push(&o->added, r);
	return NULL;
}

static void give_to(const struct probe_options *o, struct probe_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!requests[i].exec && !requests[i].module) {
			requests[i].exec = o->exec;
			requests[i].module = o->module;
		}
}

/* A target that follows all definitions is theirs, too. */
static void give_target(struct probe_options *o)
{
	give_to(o, o->added.data, o->added.len);
	give_to(o, o->shown.data, o->shown.len);
	give_to(o, o->variables.data, o->variables.len);
}

static struct strobe_error *check(const struct probe_options *o)
{
	size_t actions = (o->added.len > 0) + (o->shown.len > 0) + (o->variables.len > 0) + (o->removed.len > 0) + o->has_list +
			 (o->lines != NULL) + o->has_functions;
	if (!actions)
		return error_create(ERROR_USAGE, "nothing to do: give the definition of a probe, or one of -l, -d, -F, -L, -V, -D");
	if (actions > 1)
		return error_create(ERROR_USAGE, "only one of -a, -d, -l, -L, -V, -F and -D can be used at a time");
	if (o->quiet && o->verbose)
		return error_create(ERROR_USAGE, "-q and -v cannot be combined");
	if (o->max_probes > UINT32_MAX || o->target_ns > INT32_MAX)
		return error_create(ERROR_USAGE, "the number is too large");
	if (o->format && strcmp(o->format, "text") && strcmp(o->format, "json") && strcmp(o->format, "csv"))
		return error_create(ERROR_USAGE, "unknown format '%s': text, json or csv", o->format);
	return NULL;
}

static int run_action(struct probe_run *r)
{
	const struct probe_options *o = r->o;
	if (o->has_list)
		return o->cache ? run_cache_list(r) : run_list(r);
	if (o->removed.len)
		return o->cache ? run_cache_remove(r) : run_remove(r);
	if (o->has_functions)
		return run_functions(r);
	if (o->lines)
		return run_lines(r);
	int status = CMD_OK;
	for (size_t i = 0; i < o->variables.len && !status; i++)
		status = run_variables(r, &o->variables.data[i]);
	if (o->variables.len)
		return status;
	return o->shown.len ? run_show(r) : run_add(r);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct probe_options *o = options;
	struct probe_run r = { .ctx = ctx, .o = o };
	struct strobe_error *err = take_words(ctx, o);
	if (!err)
		err = check(o);
	if (err)
		return cmd_fail_usage(ctx, err);
	give_target(o);
	err = cmd_buildid_dir(ctx, &r.files.buildid_dir);
	if (err)
		return cmd_fail(ctx, err);
	r.files.symfs = o->symfs;
	r.files.vmlinux = o->vmlinux;
	r.files.servers = session_servers(cmd_host(ctx));
	r.files.pid = (int32_t)o->target_ns;
	arena_init(&r.arena);
	int status = run_action(&r);
	if (r.has_target)
		probe_target_close(&r.target);
	arena_deinit(&r.arena);
	return status;
}

const struct cmd cmd_probe = {
	.name = "probe",
	.summary = "Define events at functions, source lines and markers",
	.usage = (const char *const[]){ "probe [<options>] 'DEFINITION'", "probe [<options>] --add 'DEFINITION' [--add 'DEFINITION' ...]",
					"probe [<options>] --del '[GROUP:]EVENT' ...", "probe --list ['[GROUP:]EVENT']",
					"probe [<options>] --line 'LINES'", "probe [<options>] --vars 'PLACE'",
					"probe [<options>] --funcs",
					"probe [<options>] --definition 'DEFINITION' ...", NULL },
	.options = probe_option_table,
	.options_bytes = sizeof(struct probe_options),
	.release = probe_options_release,
	.run = run,
	.permute = true,
};
