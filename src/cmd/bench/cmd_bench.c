/* strobe bench: benchmarks of the kernel and of libc. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "bench/options/options.h"
#include "cmd/cmd.h"
#include "cmd/frame.h"
#include "view/data/table_data.h"

#define AT(field) offsetof(struct bench_options, field)

static const struct option table[] = {
	{ OPTION_U64, 'r', "repeat", AT(settings.repeat), .arg = "n",
	  .help = "number of runs of each benchmark; shows the spread (futex wake, wake-parallel, requeue: number of rounds, default: 10)",
	  .set_offset = AT(has_repeat) },
	{ OPTION_STRING, 'f', "format", AT(format), .arg = "default|simple|json|csv",
	  .help = "output format; simple: only values; json, csv: each value with its spread" },
	OPTIONS_END,
};

/* ---- output ---- */

static struct strobe_error *parse_format(const char *format, enum bench_format *ret, bool *ret_csv)
{
	*ret = BENCH_DATA;
	*ret_csv = format && !strcmp(format, "csv");
	if (*ret_csv || (format && !strcmp(format, "json")))
		return NULL;
	*ret = format && !strcmp(format, "simple") ? BENCH_SIMPLE : BENCH_DEFAULT;
	if (!format || *ret == BENCH_SIMPLE || !strcmp(format, "default"))
		return NULL;
	return error_create(ERROR_USAGE, "unknown format '%s': expected default, simple, json and csv", format);
}

static void put_table(struct out *out, const struct bench_report *r, bool csv)
{
	struct table t;
	bench_report_table(r, &t);
	if (csv)
		table_csv(out, &t, ",");
	else
		table_json(out, &t);
	table_deinit(&t);
}

static int run_and_show(struct cmd_context *ctx, const struct bench_options *o, const struct bench_collection *c, const struct bench *b)
{
	enum bench_format format;
	struct bench_report report;
	struct out out;
	bool csv;
	struct strobe_error *err = parse_format(o->format, &format, &csv);
	if (!err && o->has_repeat && !o->settings.repeat)
		err = error_create(ERROR_USAGE, "-r: must be at least 1");
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_open_output(ctx, &out);
	bench_report_init(&report, &out, format);
	err = bench_run_all(c, b, &o->settings, &report);
	if (format == BENCH_DATA && !err)
		put_table(&out, &report, csv);
	bench_report_deinit(&report);
	int status = cmd_close_output(ctx, &out);
	int failed = error_is(err, ERROR_USAGE) ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, err);
	return failed ? failed : status;
}

/* The benchmarks of a collection, or the collections. */
static int list(struct cmd_context *ctx, const struct bench_collection *c)
{
	struct out out;
	cmd_open_output(ctx, &out);
	if (c)
		bench_list(&out, c);
	else
		bench_list_collections(&out, ctx->program);
	return cmd_close_output(ctx, &out);
}

/* ---- arguments ---- */

static int fail_unknown(struct cmd_context *ctx, const char *collection, const char *name)
{
	if (!name)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unknown collection '%s': '%s bench' lists them", collection,
							ctx->program));
	return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unknown benchmark '%s' of collection '%s': '%s bench %s' lists them", name,
						collection, ctx->program, collection));
}

static int run_subcommand(struct cmd_context *ctx, void *options)
{
	struct bench_options *o = options;
	const char *name = strrchr(ctx->cmd->name, ' ') + 1;
	if (ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[0]));
	if (o->has_loops && !o->settings.loops)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "-l: must be at least 1"));
	for (const struct bench_collection *c = bench_collections; c->name; c++)
		if (!strncmp(ctx->cmd->name + strlen("bench "), c->name, strlen(c->name)))
			return run_and_show(ctx, o, c, bench_find(c, name));
	return CMD_FAILED;
}

#define SUBCOMMAND(words, text, table)                                                                                  \
	&(const struct cmd){                                                                                            \
		.name = "bench " words,                                                                                 \
		.summary = text,                                                                                        \
		.usage = (const char *const[]){ "bench [<common options>] " words " [<options>]", NULL },               \
		.options = bench_options_##table,                                                                       \
		.options_bytes = sizeof(struct bench_options),                                                          \
		.run = run_subcommand,                                                                                  \
	},

static const struct cmd *const subcommands[] = { BENCH_OPTIONS(SUBCOMMAND) NULL };

/* Options of `bench` itself precede those of the benchmark. */
static int run_benchmark(struct cmd_context *ctx, const struct bench_options *o, const struct cmd *sub)
{
	struct cmd_words words = {};
	char repeat[32];
	cmd_add_word(ctx, &words, sub->name);
	if (o->has_repeat) {
		snprintf(repeat, sizeof(repeat), "--repeat=%" PRIu64, o->settings.repeat);
		cmd_add_word(ctx, &words, repeat);
	}
	if (o->format) {
		cmd_add_word(ctx, &words, "--format");
		cmd_add_word(ctx, &words, o->format);
	}
	for (int i = 2; i < ctx->rest.argc; i++)
		vec_push(&words.list, ctx->rest.argv[i]);
	vec_push(&words.list, NULL);
	int status = cmd_run(ctx, sub, (int)words.list.len - 1, words.list.data);
	vec_deinit(&words.list);
	return status;
}

static const struct cmd *find_subcommand(const struct bench_collection *c, const char *name)
{
	size_t len = strlen(c->name);
	for (const struct cmd *const *s = subcommands; *s; s++) {
		const char *words = (*s)->name + strlen("bench ");
		if (!strncmp(words, c->name, len) && words[len] == ' ' && !strcmp(words + len + 1, name))
			return *s;
	}
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct bench_options *o = options;
	const char *collection = ctx->rest.argc ? ctx->rest.argv[0] : NULL, *name = ctx->rest.argc > 1 ? ctx->rest.argv[1] : NULL;
	if (!collection)
		return list(ctx, NULL);
	if (!strcmp(collection, "all"))
		return run_and_show(ctx, o, NULL, NULL);
	const struct bench_collection *c = bench_find_collection(collection);
	if (!c)
		return fail_unknown(ctx, collection, NULL);
	if (!name || !strcmp(name, "-h") || !strcmp(name, "--help"))
		return list(ctx, c);
	if (!strcmp(name, "all"))
		return run_and_show(ctx, o, c, NULL);
	const struct cmd *sub = find_subcommand(c, name);
	return sub ? run_benchmark(ctx, o, sub) : fail_unknown(ctx, collection, name);
}

const struct cmd cmd_bench = {
	.name = "bench",
	.summary = "Measure the scheduler, system calls, memory and locks",
	.usage = (const char *const[]){ "bench [<common options>] <collection> <benchmark> [<options>]", "bench [<common options>] all",
					NULL },
	.options = table,
	.options_bytes = sizeof(struct bench_options),
	.subcommands = subcommands,
	.run = run,
};
