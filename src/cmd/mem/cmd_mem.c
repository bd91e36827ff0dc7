/* strobe mem: accesses of memory, sampled with their addresses. */
#include <string.h>

#include "analysis/memory/access_dump.h"
#include "analysis/memory/access_events.h"
#include "base/out.h"
#include "cli/option_split.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "sys/sys.h"

struct mem_options {
	struct access_dump_request dump;
	struct access_choice events;
	const char *sort, *type;
	bool dumps, types, kernel_only, user_only;
	unsigned verbose;
};

/* Other types can be neither recorded nor shown. */
static struct strobe_error *parse_type(void *options, const char *value, bool negated)
{
	struct access_choice *c = &((struct mem_options *)options)->events;
	c->loads = c->stores = false;
	for (const char *at = negated ? "load,store" : value; *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ",");
		bool is_load = n == 4 && !memcmp(at, "load", n), is_store = n == 5 && !memcmp(at, "store", n);
		if (!is_load && !is_store)
			return error_create(ERROR_USAGE, "requires load, store or load,store");
		c->loads |= is_load;
		c->stores |= is_store;
		at += n;
	}
	return c->loads || c->stores ? NULL : error_create(ERROR_USAGE, "requires load, store or load,store");
}

#define AT(field) offsetof(struct mem_options, field)

static const struct option table[] = {
	{ OPTION_CALL, 't', "type", .arg = "load,store", .parse = parse_type, .help = "accesses: load, store, or both (default)" },
	{ OPTION_BOOL, 'p', "phys-data", AT(dump.physical), .help = "record or show physical addresses" },
	{ OPTION_BOOL, 0, "data-page-size", AT(dump.page_size), .help = "record or show the size of the page of each address" },
	{ OPTION_STRING, 'C', "cpu", AT(dump.choice.cpus), .arg = "cpu", .help = "only these CPUs: 0-3,7" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	{ OPTION_GROUP, .help = "record" },
	{ OPTION_STRING, 'e', "event", AT(events.only), .arg = "event",
	  .help = "ldlat-loads, ldlat-stores or mem-ldst; list: show those of this machine" },
	{ OPTION_U64, 0, "ldlat", AT(events.latency), .arg = "n", .set_offset = AT(events.latency_set),
	  .help = "only loads of at least this many cycles (default: 30)" },
	{ OPTION_BOOL, 'K', "all-kernel", AT(kernel_only), .help = "record accesses of the kernel only" },
	{ OPTION_BOOL, 0, "all-user", AT(user_only), .help = "record accesses of programs only (-U)" },
	{ OPTION_GROUP, .help = "report" },
	{ OPTION_STRING, 'i', "input", AT(dump.input), .arg = "file", .help = "input file (default: perf.data); - for standard input" },
	{ OPTION_BOOL, 'f', "force", AT(dump.force), .help = "skip the ownership check" },
	{ OPTION_STRING, 's', "sort", AT(sort), .arg = "key,...", .help = "sort by these keys; see strobe-report(1)" },
	{ OPTION_BOOL, 'U', "hide-unresolved", AT(dump.hide_unresolved), .help = "hide samples without a symbol; record: --all-user" },
	{ OPTION_STRING, 'x', "field-separator", AT(dump.separator), .arg = "separator", .help = "separator of columns, without padding" },
	{ OPTION_BOOL, 'D', "dump-raw-samples", AT(dumps), .help = "print each sample" },
	{ OPTION_BOOL, 'T', "type-profile", AT(types), .help = "sort by the type of the data" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	struct mem_options *o = options;
	o->events = (struct access_choice){ .loads = true, .stores = true, .latency = ACCESS_LATENCY_DEFAULT };
}

/* Takes the options of `mem`, which precede those of record or report. */
static struct strobe_error *take_options(struct cmd_context *ctx, struct mem_options *o, int *ret_first)
{
	const struct cmd *inner = cmd_find(subcommand_is(ctx->rest.argv[0], "record") ? "record" : "report");
	*ret_first = options_split(table, inner->options, ctx->rest.argc, ctx->rest.argv);
	struct options_result own;
	TRY(options_parse(table, o, *ret_first, ctx->rest.argv, false, &own));
	ctx->rest.help = own.help;
	ctx->rest.manual = own.manual;
	ctx->rest.help_keyword = own.help_keyword;
	return NULL;
}

static int list_events(struct cmd_context *ctx)
{
	struct table t;
	access_events_table(sys_live(), &t);
	return cmd_print_table(ctx, &t, TABLE_AS_TEXT);
}

static int record(struct cmd_context *ctx, const struct mem_options *o, int argc, char **argv)
{
	struct recorded_events events = { .arena = &ctx->words };
	if (o->events.only && !strcmp(o->events.only, "list"))
		return list_events(ctx);
	struct strobe_error *err = access_recorded_events(sys_live(), &o->events, &events);
	if (err) {
		vec_deinit(&events.list);
		return cmd_fail_either(ctx, err);
	}
	const char *words[16] = { "record", "-W", "-d" };
	unsigned n = 3;
	if (o->dump.physical)
		words[n++] = "--phys-data";
	if (o->dump.page_size)
		words[n++] = "--data-page-size";
	if (o->kernel_only)
		words[n++] = "--all-kernel";
	if (o->user_only || o->dump.hide_unresolved)
		words[n++] = "--all-user";
	if (o->dump.choice.cpus) {
		words[n++] = "-C";
		words[n++] = o->dump.choice.cpus;
	}
	if (o->verbose)
		words[n++] = "-v";
	return cmd_run_record(ctx, words, &events, argc, argv);
}

static int dump(struct cmd_context *ctx, struct mem_options *o)
{
	struct out out;
	o->dump.host = cmd_host(ctx);
	cmd_open_output(ctx, &out);
	return cmd_finish(ctx, &out, access_dump(&out, &o->dump));
}

static void add_value(struct cmd_context *ctx, struct cmd_words *words, const char *option, const char *value)
{
	if (value)
		cmd_add_words(ctx, words, (const char *const[]){ option, value, NULL });
}

static int report(struct cmd_context *ctx, const struct mem_options *o, int argc, char **argv)
{
	struct cmd_words words = {};
	cmd_add_words(ctx, &words, (const char *const[]){ "report", "--mem-mode", "-n", NULL });
	const char *keys = access_sort_keys(&ctx->words, &o->events, o->types, o->dump.physical, o->dump.page_size);
	add_value(ctx, &words, "-s", o->sort ? o->sort : keys);
	add_value(ctx, &words, "-i", o->dump.input);
	add_value(ctx, &words, "-C", o->dump.choice.cpus);
	add_value(ctx, &words, "-t", o->dump.separator);
	if (o->dump.force)
		cmd_add_word(ctx, &words, "-f");
	if (o->dump.hide_unresolved)
		cmd_add_word(ctx, &words, "-U");
	for (unsigned i = 0; i < o->verbose; i++)
		cmd_add_word(ctx, &words, "-v");
	return cmd_run_words(ctx, &words, argc, argv);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct mem_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	bool is_record = subcommand_is(word, "record");
	int first = 0;
	if (!is_record && !subcommand_is(word, "report"))
		return subcommand_unknown(ctx, word, "record or report");
	struct strobe_error *err = take_options(ctx, o, &first);
	if (err)
		return cmd_fail_usage(ctx, err);
	if (ctx->rest.help)
		return cmd_show_help(ctx);
	int argc = ctx->rest.argc - first + 1;
	char **argv = ctx->rest.argv + first - 1;
	if (is_record)
		return record(ctx, o, argc, argv);
	return o->dumps ? dump(ctx, o) : report(ctx, o, argc, argv);
}

const struct cmd cmd_mem = {
	.name = "mem",
	.summary = "Show which memory is accessed, from where, and how long that takes",
	.usage = (const char *const[]){ "mem record [<options>] [<options of record>] [<command>]",
					"mem report [<options>] [<options of report>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct mem_options),
	.defaults = set_defaults,
	.run = run,
};
