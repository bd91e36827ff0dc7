/* strobe probe: functions, lines and markers of programs and of the kernel as events. */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/probe/options.h"
#include "cmd/table_output.h"
#include "probe/tables.h"

#define MODULE_SUFFIX ".ko"

struct probe_run {
	struct cmd_context *ctx;
	const struct probe_options *o;
	struct probing probing;
};

/* Prints the table, or in text format the lines. */
static int put_lines(const struct probe_run *r, const char *text, struct table *t)
{
	struct out out;
	if (r->o->format != TABLE_AS_TEXT)
		return cmd_print_table(r->ctx, t, r->o->format);
	cmd_open_output(r->ctx, &out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		probing_put_line(&out, line, strcspn(line, "\n"));
	table_deinit(t);
	return cmd_close_output(r->ctx, &out);
}

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

static int run_add(struct probe_run *r)
{
	struct probe_events events;
	struct strobe_error *err = probing_add(&r->probing, r->o->added.data, r->o->added.len, &events);
	if (!err)
		say_added(r, &events);
	probe_events_deinit(&events);
	return cmd_fail(r->ctx, err);
}

static int run_show(struct probe_run *r)
{
	struct table t;
	struct strobe_error *err = probing_definitions(&r->probing, r->o->shown.data, r->o->shown.len, r->o->bootconfig, &t);
	return err ? cmd_fail(r->ctx, err) : cmd_print_table(r->ctx, &t, r->o->format);
}

static int run_list(struct probe_run *r)
{
	const struct probe_options *o = r->o;
	struct table t;
	_cleanup_strbuf_ struct strbuf text = {};
	struct strobe_error *err = o->cache ? probing_cached(&r->probing, o->listed.data, o->listed.len, &t, &text) :
		probing_installed(&r->probing, o->listed.data, o->listed.len, &t);
	if (err)
		return cmd_fail_either(r->ctx, err);
	return o->cache ? put_lines(r, strbuf_str(&text), &t) : cmd_print_table(r->ctx, &t, o->format);
}

static int run_remove(struct probe_run *r)
{
	const struct probe_options *o = r->o;
	return cmd_fail_either(r->ctx, (o->cache ? probing_remove_cached : probing_remove)(&r->probing, o->removed.data, o->removed.len));
}

static int run_functions(struct probe_run *r)
{
	const struct probe_options *o = r->o;
	const struct probing_request of = { .exec = o->exec, .module = o->module };
	struct table t;
	struct strobe_error *err = probing_functions(&r->probing, &of, o->filter, of.exec ? !o->no_demangle : o->demangle_kernel, &t);
	return err ? cmd_fail_either(r->ctx, err) : cmd_print_table(r->ctx, &t, o->format);
}

static int run_lines(struct probe_run *r)
{
	struct strobe_error *err = NULL;
	struct out out;
	cmd_open_output(r->ctx, &out);
	for (size_t i = 0; i < r->o->lines.len && !err; i++)
		err = probing_lines(&r->probing, &r->o->lines.data[i], &out);
	int status = cmd_close_output(r->ctx, &out), failed = cmd_fail(r->ctx, err);
	return failed ? failed : status;
}

static int run_variables(struct probe_run *r, const struct probing_request *of)
{
	const struct probe_variable_options options = { .externs = r->o->externs, .ranges = r->o->range };
	struct table t;
	_cleanup_strbuf_ struct strbuf text = {};
	struct strobe_error *err = probing_variables(&r->probing, of, r->o->filter, options, &t, &text);
	return err ? cmd_fail_either(r->ctx, err) : put_lines(r, strbuf_str(&text), &t);
}

/* ---- the command line ---- */

/*
 * Words after the options are one definition, which a shell may have split; the first may be its target file.
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
	if (o->has_list || o->has_functions || o->lines.len || o->removed.len)
		return error_create(ERROR_USAGE, "unexpected argument '%s'", strbuf_str(&text));
	struct probing_request r = { arena_strdup(&ctx->words, strbuf_str(&text)), o->exec, o->module };
	vec_push(&o->added, r);
	return NULL;
}

static void give_to(const struct probe_options *o, struct probing_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!requests[i].exec && !requests[i].module) {
			requests[i].exec = o->exec;
			requests[i].module = o->module;
		}
}

/* A target after all definitions applies to them, too. */
static void give_target(struct probe_options *o)
{
	give_to(o, o->added.data, o->added.len);
	give_to(o, o->shown.data, o->shown.len);
	give_to(o, o->variables.data, o->variables.len);
	give_to(o, o->lines.data, o->lines.len);
}

static struct strobe_error *check(struct probe_options *o)
{
	size_t actions = (o->added.len > 0) + (o->shown.len > 0) + (o->variables.len > 0) + (o->removed.len > 0) + o->has_list +
			 (o->lines.len > 0) + o->has_functions;
	if (!actions)
		return error_create(ERROR_USAGE, "nothing to do: specify a definition, or one of -l, -d, -F, -L, -V, -D");
	if (actions > 1)
		return error_create(ERROR_USAGE, "only one of -a, -d, -l, -L, -V, -F and -D can be used at a time");
	if (o->has_list && (o->exec || o->module))
		return error_create(ERROR_USAGE, "-l lists the probes of all programs and of the kernel: omit -x and -m");
	if (o->quiet && o->verbose)
		return error_create(ERROR_USAGE, "-q and -v cannot be combined");
	if (o->max_probes > UINT32_MAX || o->target_ns > INT32_MAX)
		return error_create(ERROR_USAGE, "the number is too large");
	return table_format_parse(o->format_name, &o->format);
}

static int run_action(struct probe_run *r)
{
	const struct probe_options *o = r->o;
	if (o->has_list)
		return run_list(r);
	if (o->removed.len)
		return run_remove(r);
	if (o->has_functions)
		return run_functions(r);
	if (o->lines.len)
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
	struct probing_settings settings = {
		.host = cmd_host(ctx),
		.sys = sys_live(),
		.files = { .symfs = o->symfs, .vmlinux = o->vmlinux, .pid = (int32_t)o->target_ns },
		.search = { .no_inlines = o->no_inlines, .max_places = (uint32_t)o->max_probes, .source_dir = o->source },
		.keeps = o->cache,
		.dry_run = o->dry_run,
		.has_force = o->force,
		.quiet = o->quiet,
		.verbose = o->verbose,
	};
	settings.files.servers = session_servers(settings.host);
	err = cmd_buildid_dir(ctx, &settings.files.buildid_dir);
	if (err)
		return cmd_fail(ctx, err);
	probing_init(&r.probing, &settings);
	int status = run_action(&r);
	probing_deinit(&r.probing);
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
