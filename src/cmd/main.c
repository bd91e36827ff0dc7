/* The entry: reads the program's own options, finds the command by its name and hands over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/recorded_events.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/filemap.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cmd/frame.h"
#include "config.h"
#include "object/debuginfod.h"
#include "sys/signals.h"

struct frame {
	unsigned version; /* -v, -vv */
	bool paginate, no_pager, exec_path, list_cmds;
	const char *buildid_dir;
	const char *fill_manual;
	unsigned debug_level;
};

static struct strobe_error *parse_debug(void *options, const char *value, bool negated)
{
	return message_debug_level(negated ? NULL : value, &((struct frame *)options)->debug_level);
}

#define AT(field) offsetof(struct frame, field)

const struct option frame_options[] = {
	{ OPTION_COUNT, 'v', "version", AT(version), .help = "show the version; -vv also shows build features" },
	{ OPTION_BOOL, 'p', "paginate", AT(paginate), .help = "send output to a pager, regardless of the configuration" },
	{ OPTION_BOOL, 0, "no-pager", AT(no_pager), .help = "do not use a pager" },
	{ OPTION_STRING, 0, "buildid-dir", AT(buildid_dir), .arg = "directory",
	  .help = "directory of the build ID cache (default: ~/.debug)" },
	{ OPTION_BOOL, 0, "exec-path", AT(exec_path), .help = "print the path of helper programs" },
	{ OPTION_BOOL, 0, "list-cmds", AT(list_cmds), .help = "list all commands" },
	{ OPTION_CALL, 0, "debug", .arg = "subject[=level]", .parse = parse_debug,
	  .help = "enable debug output for a subject: verbose, perf-event-open" },
	{ OPTION_STRING, 0, "fill-manual", AT(fill_manual), .arg = "template", .hidden = true,
	  .help = "fill a manual page's template from the option tables" },
	OPTIONS_END,
};

const char *const frame_usage[] = { "[--version] [--help] [OPTIONS] COMMAND [ARGS]", NULL };

#define COMMAND(id) extern const struct cmd cmd_##id;
#include "cmd/commands.def"
#undef COMMAND

const struct cmd *const cmd_all[] = {
#define COMMAND(id) &cmd_##id,
#include "cmd/commands.def"
#undef COMMAND
	NULL,
};

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *const *c = cmd_all; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* Installed as perf (the Meson option perf_link), strobe calls itself perf in messages. */
static const char *program_name(const char *argv0)
{
	return argv0 && !strcmp(text_base_name(argv0), "perf") ? "perf" : "strobe";
}

/* Installed under one of these names (trace_link, pprof_links), strobe runs that command. */
static const struct cmd *cmd_by_program(const char *argv0)
{
	static const char *const names[] = { "trace", "pprof", "go-torch" };
	for (size_t i = 0; argv0 && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text_base_name(argv0), names[i]))
			return cmd_find(names[i]);
	return NULL;
}

struct strobe_error *cmd_unknown(const char *program, const char *name)
{
	const char *names[sizeof(cmd_all) / sizeof(*cmd_all)];
	size_t n = 0;
	for (; cmd_all[n]; n++)
		names[n] = cmd_all[n]->name;
	const char *near = text_nearest(name, names, n);
	if (near)
		return error_create(ERROR_NOT_FOUND, "'%s' is not a %s command; did you mean '%s'?", name, program, near);
	return error_create(ERROR_NOT_FOUND, "'%s' is not a %s command. See '%s --help'.", name, program, program);
}

static int list_opts(struct cmd_context *ctx, const struct option *table)
{
	struct out out;
	cmd_open_output(ctx, &out);
	help_list_opts(&out, table);
	return cmd_close_output(ctx, &out);
}

int cmd_show_help(struct cmd_context *ctx)
{
	const struct options_result *r = &ctx->rest;
	if (r->manual && !r->argc)
		return cmd_show_manual(ctx, ctx->cmd);
	struct out out;
	cmd_open_output(ctx, &out);
	help_print_command(&out, ctx->program, ctx->cmd, (const char *const *)r->argv, r->argc);
	return cmd_close_output(ctx, &out);
}

static int run_parsed(struct cmd_context *ctx, void *options, struct strobe_error *err)
{
	if (err)
		return cmd_fail_usage(ctx, err);
	if (ctx->rest.help)
		return cmd_show_help(ctx);
	if (ctx->rest.list_opts)
		return list_opts(ctx, ctx->cmd->options);
	filemap_install_guard();
	signals_survive_file_limit();
	return ctx->cmd->run(ctx, options);
}

int cmd_run(struct cmd_context *ctx, const struct cmd *cmd, int argc, char **argv)
{
	_cleanup_free_ void *options = xcalloc(1, cmd->options_bytes ? cmd->options_bytes : 1);
	ctx->cmd = cmd;
	if (cmd->defaults)
		cmd->defaults(options);
	if (cmd->single_dash)
		options_double_dashes(cmd->options, &ctx->words, argc, argv);
	int status = run_parsed(ctx, options, options_parse(cmd->options, options, argc, argv, cmd->permute, &ctx->rest));
	if (ctx->damaged && status == CMD_OK)
		status = CMD_FAILED;
	if (ctx->left_behind) {
		fflush(NULL);
		_exit(status);
	}
	if (cmd->release)
		cmd->release(options);
	return status;
}

void cmd_add_word(struct cmd_context *ctx, struct cmd_words *words, const char *word)
{
	vec_push(&words->list, arena_strdup(&ctx->words, word));
}

void cmd_add_words(struct cmd_context *ctx, struct cmd_words *words, const char *const *more)
{
	for (; *more; more++)
		cmd_add_word(ctx, words, *more);
}

int cmd_run_line(struct cmd_context *ctx, const char *const *line)
{
	struct cmd_words words = {};
	cmd_add_words(ctx, &words, line);
	return cmd_run_words(ctx, &words, 0, NULL);
}

int cmd_run_words(struct cmd_context *ctx, struct cmd_words *words, int argc, char **argv)
{
	const struct cmd *cmd = cmd_find(words->list.data[0]);
	for (int i = 1; i < argc; i++)
		vec_push(&words->list, argv[i]);
	vec_push(&words->list, NULL);
	int status = cmd_run(ctx, cmd, (int)words->list.len - 1, words->list.data);
	vec_deinit(&words->list);
	return status;
}

int cmd_run_record(struct cmd_context *ctx, const char *const *first, struct recorded_events *events, int argc, char **argv)
{
	struct cmd_words words = {};
	cmd_add_words(ctx, &words, first);
	for (size_t i = 0; i < events->list.len; i++)
		cmd_add_words(ctx, &words, (const char *const[]){ "-e", events->list.data[i], NULL });
	vec_deinit(&events->list);
	return cmd_run_words(ctx, &words, argc, argv);
}

/* Runs an action of the program's own options instead of a command; -1: none. */
static int run_own(struct cmd_context *ctx, const struct frame *f, const struct options_result *r)
{
	struct out out;
	if (r->list_opts) {
		const struct cmd *cmd = r->argc ? cmd_find(r->argv[0]) : NULL;
		if (r->argc && !cmd)
			return cmd_fail(ctx, cmd_unknown(ctx->program, r->argv[0]));
		return list_opts(ctx, cmd ? cmd->options : frame_options);
	}
	if (!f->version && !f->exec_path && !f->list_cmds && !f->fill_manual && (r->help || r->argc))
		return -1;
	out_init_fd(&out, STDOUT_FILENO);
	struct strobe_error *err = NULL;
	if (f->version)
		version_print(&out, ctx->program, f->version > 1);
	else if (f->exec_path)
		out_str(&out, STROBE_PREFIX "/libexec/strobe\n");
	else if (f->fill_manual)
		err = manual_fill(&out, f->fill_manual);
	else if (f->list_cmds)
		for (const struct cmd *const *c = cmd_all; *c; c++)
			out_f(&out, "%s%s", (*c)->name, c[1] ? " " : "\n");
	else
		cmd_print_overview(&out, ctx->program);
	int status = cmd_close_output(ctx, &out);
	if (err)
		return cmd_fail(ctx, err);
	return status || f->version || f->exec_path || f->list_cmds || f->fill_manual ? status : CMD_FAILED;
}

static int run(struct cmd_context *ctx, int argc, char **argv)
{
	struct frame frame = {};
	struct options_result r;
	const struct cmd *own = cmd_by_program(argc ? argv[0] : NULL);
	if (own)
		return cmd_run(ctx, own, argc, argv);
	struct strobe_error *err = options_parse(frame_options, &frame, argc, argv, false, &r);
	if (err)
		return cmd_fail_usage(ctx, err);
	ctx->paginate = frame.paginate;
	ctx->no_pager = frame.no_pager;
	ctx->buildid_dir = frame.buildid_dir;
	cmd_set_verbosity(frame.debug_level);
	int status = run_own(ctx, &frame, &r);
	if (status >= 0)
		return status;
	if (r.help) {
		const struct cmd *cmd = r.argc ? cmd_find(r.argv[0]) : NULL;
		if (cmd)
			return cmd_show_manual(ctx, cmd);
		struct out out;
		cmd_open_output(ctx, &out);
		cmd_print_overview(&out, ctx->program);
		return cmd_close_output(ctx, &out);
	}
	const struct cmd *cmd = cmd_find(r.argv[0]);
	return cmd ? cmd_run(ctx, cmd, r.argc, r.argv) : cmd_fail(ctx, cmd_unknown(ctx->program, r.argv[0]));
}

int main(int argc, char **argv)
{
	file_occupy_standard_descriptors();
	struct cmd_context ctx = { .program = program_name(argv[0]), .pager = { .fd = -1 } };
	arena_init(&ctx.words);
	int status = run(&ctx, argc, argv);
	debuginfod_destroy(ctx.debuginfod);
	config_destroy(ctx.config);
	free(ctx.buildid_dir_set);
	arena_deinit(&ctx.words);
	return status;
}
