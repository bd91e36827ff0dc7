/* strobe test: checks that strobe works on this machine, and programs with a known profile. */
#include <string.h>

#include "cmd/table_output.h"
#include "selftest/outcomes.h"
#include "selftest/workloads.h"
#include "table/table.h"

struct test_options {
	const char *skip, *workload, *format_name;
	enum table_format format;
	bool only_workloads;
	unsigned verbose;
	uint64_t runs;
};

#define AT(field) offsetof(struct test_options, field)

static const struct option table[] = {
	{ OPTION_STRING, 's', "skip", AT(skip), .arg = "tests", .help = "skip these numbers (1,4,7)" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "show how long each test took" },
	{ OPTION_U64, 'r', "runs-per-test", AT(runs), .arg = "n", .help = "run each test n times (default: 1)" },
	{ OPTION_STRING, 'w', "workload", AT(workload), .arg = "name",
	  .help = "run a program with a known profile; its arguments follow" },
	{ OPTION_BOOL, 0, "list-workloads", AT(only_workloads), .help = "list the workloads" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	((struct test_options *)options)->runs = 1;
}

/* Text is printed as checks end, data when all have ended. CMD_FAILED if a check failed. */
static int run_tests(struct cmd_context *ctx, const struct test_options *o, bool only_list, char *const *words, int words_nr)
{
	struct out out;
	struct table data;
	int status = CMD_OK, chosen = 0;
	cmd_open_output(ctx, &out);
	selftest_table_init(&data);
	const struct selftest *t;
	for (size_t i = 0; (t = selftest_at(i)); i++) {
		if (!selftest_is_chosen(i, words, words_nr, o->skip))
			continue;
		chosen++;
		struct selftest_outcome outcome = {};
		if (!only_list)
			outcome = selftest_run_often(t, o->runs);
		status = outcome.state == SELFTEST_FAILED ? CMD_FAILED : status;
		if (o->format == TABLE_AS_TEXT)
			selftest_line(&out, i + 1, t, only_list ? NULL : &outcome, o->verbose);
		else
			selftest_table_add(&data, i + 1, t, only_list ? NULL : &outcome);
	}
	if (o->format != TABLE_AS_TEXT)
		cmd_write_table(&out, &data, o->format, NULL);
	table_deinit(&data);
	int closed = cmd_close_output(ctx, &out);
	if (!chosen)
		return cmd_fail(ctx, error_create(ERROR_NOT_FOUND, "no check has this number or name; '%s test list' shows them",
						  ctx->program));
	return closed ? closed : status;
}

static int run_workload(struct cmd_context *ctx, const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w->run(ctx->rest.argc, ctx->rest.argv);
	return cmd_fail(ctx, error_create(ERROR_NOT_FOUND, "there is no workload '%s'; --list-workloads lists them", name));
}

static int show_workloads(struct cmd_context *ctx)
{
	struct out out;
	cmd_open_output(ctx, &out);
	for (const struct workload *w = workloads; w->name; w++)
		out_f(&out, "%s\n", w->name);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct test_options *o = options;
	struct strobe_error *err = table_format_parse(o->format_name, &o->format);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (o->only_workloads)
		return show_workloads(ctx);
	if (o->workload)
		return run_workload(ctx, o->workload);
	bool only_list = ctx->rest.argc && !strcmp(ctx->rest.argv[0], "list");
	return run_tests(ctx, o, only_list, ctx->rest.argv + only_list, ctx->rest.argc - only_list);
}

const struct cmd cmd_test = {
	.name = "test",
	.summary = "Run self-tests of strobe on this machine",
	.usage = (const char *const[]){ "test [<options>] [list] [NUMBER|NAME]...", "test -w WORKLOAD [ARG]...", NULL },
	.options = table,
	.options_bytes = sizeof(struct test_options),
	.defaults = defaults,
	.run = run,
};
