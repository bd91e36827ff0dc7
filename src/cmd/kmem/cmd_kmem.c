/* strobe kmem: allocations and releases of the kernel's allocators. */
#include <string.h>

#include "analysis/kmem/kmem.h"
#include "analysis/kmem/kmem_live.h"
#include "analysis/kmem/kmem_text.h"
#include "base/out.h"
#include "base/text.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "sys/sys.h"

/* The order matters: -s and -l apply to the lists chosen before them, or to all. */
struct kmem_options {
	struct cmd_common common;
	struct kmem_request kmem;
	struct kmem_view view;
	int last_allocator, last_list; /* chosen; -1: none yet */
	const char *sort[KMEM_LISTS][KMEM_ALLOCATORS], *sort_of_any[KMEM_LISTS];
	bool with_stacks;
	const char *format_name;
	enum table_format format;
};

#define AT(field) offsetof(struct kmem_options, field)

static struct strobe_error *choose(struct kmem_options *o, int allocator, int list)
{
	if (allocator >= 0) {
		o->view.is_chosen[allocator] = true;
		o->last_allocator = allocator;
	}
	if (list >= 0) {
		o->view.has_list[list] = true;
		o->last_list = list;
	}
	return NULL;
}

#define CHOOSER(name, allocator, list)                                                                                        \
	static struct strobe_error *name(void *options, const char *value, bool negated)                                         \
	{                                                                                                                        \
		(void)value;                                                                                                     \
		return negated ? error_create(ERROR_USAGE, "leave it out") : choose(options, allocator, list);                   \
	}
CHOOSER(choose_slab, KMEM_SLAB, -1)
CHOOSER(choose_page, KMEM_PAGES, -1)
CHOOSER(choose_caller, -1, KMEM_BY_CALLER)
CHOOSER(choose_alloc, -1, KMEM_BY_ADDRESS)

static struct strobe_error *set_sort(void *options, const char *value, bool negated)
{
	struct kmem_options *o = options;
	for (int l = 0; l < KMEM_LISTS; l++)
		if (o->last_list < 0 || o->last_list == l)
			*(o->last_allocator < 0 ? &o->sort_of_any[l] : &o->sort[l][o->last_allocator]) = negated ? NULL : value;
	return NULL;
}

static struct strobe_error *set_lines(void *options, const char *value, bool negated)
{
	struct kmem_options *o = options;
	uint64_t n = UINT64_MAX;
	if (!negated && !text_to_u64(value, &n))
		return error_create(ERROR_USAGE, "'%s' is not a number", value);
	for (int l = 0; l < KMEM_LISTS; l++)
		if (o->last_list < 0 || o->last_list == l)
			o->view.lines_max[l] = n;
	return NULL;
}

static const struct option table[] = {
	COMMON_OPTIONS(AT(common)),
	{ OPTION_CALL, 0, "slab", .parse = choose_slab, .help = "analyse the slab allocator (default)" },
	{ OPTION_CALL, 0, "page", .parse = choose_page, .help = "analyse the page allocator" },
	{ OPTION_CALL, 0, "caller", .parse = choose_caller, .help = "show statistics per call site" },
	{ OPTION_CALL, 0, "alloc", .parse = choose_alloc, .help = "show statistics per object or page" },
	{ OPTION_CALL, 's', "sort", .arg = "key,...", .parse = set_sort,
	  .help = "sort by these keys: frag, hit, bytes, ptr, callsite, pingpong (default: frag,hit,bytes); "
		"pages: bytes, hit, callsite, page, order, migtype, gfp (default: bytes,hit)" },
	{ OPTION_CALL, 'l', "line", .arg = "n", .parse = set_lines, .help = "maximum number of lines of each list" },
	{ OPTION_BOOL, 0, "raw-ip", AT(view.raw_ip), .help = "show addresses instead of functions" },
	{ OPTION_BOOL, 0, "live", AT(kmem.live),
	  .help = "sum up in the kernel while the command runs; without one: show pages that were not freed (--page)" },
	{ OPTION_BOOL, 'g', "stacks", AT(with_stacks), .help = "show whole stacks in place of call sites (--live with a command)" },
	{ OPTION_STRING, 0, "time", AT(kmem.times), .arg = "start,stop", .help = "only this time range, in seconds" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	struct kmem_options *o = options;
	o->last_allocator = o->last_list = -1;
	o->view.lines_max[KMEM_BY_CALLER] = o->view.lines_max[KMEM_BY_ADDRESS] = UINT64_MAX;
}

/* ---- stat ---- */

static struct strobe_error *parse_keys(struct kmem_options *o)
{
	TRY(kmem_keys_choose(o->sort[KMEM_BY_CALLER], o->sort_of_any[KMEM_BY_CALLER], o->view.is_chosen, o->kmem.by_caller));
	return kmem_keys_choose(o->sort[KMEM_BY_ADDRESS], o->sort_of_any[KMEM_BY_ADDRESS], o->view.is_chosen, o->kmem.by_address);
}

/* The default is perf's setting kmem.default. */
static struct strobe_error *settle_allocators(struct cmd_context *ctx, struct kmem_options *o)
{
	const struct config *config;
	if (o->last_allocator >= 0)
		return NULL;
	TRY(cmd_settings(ctx, &config));
	const char *name = config_get(config, "kmem.default");
	if (name && strcmp(name, "slab") != 0 && strcmp(name, "page") != 0)
		return error_create(ERROR_USAGE, "the setting kmem.default is '%s': expected slab or page", name);
	return choose(o, name && !strcmp(name, "page") ? KMEM_PAGES : KMEM_SLAB, -1);
}

static void put(struct out *out, const struct kmem_options *o, const struct kmem_sums *sums)
{
	struct table tables[KMEM_TEXTS_MAX];
	size_t n = 1;
	if (o->format == TABLE_AS_TEXT)
		n = kmem_texts(sums, &o->view, tables);
	else
		kmem_table(&tables[0], sums, &o->view);
	for (size_t i = 0; i < n; i++) {
		cmd_write_table(out, &tables[i], o->format, NULL);
		table_deinit(&tables[i]);
	}
}

static int stat(struct cmd_context *ctx, struct kmem_options *o)
{
	struct kmem *k;
	struct out out;
	o->kmem.host = cmd_host(ctx);
	o->kmem.input = o->common.input;
	o->kmem.force = o->common.force;
	o->view.live = o->kmem.live;
	memcpy(o->kmem.is_chosen, o->view.is_chosen, sizeof(o->kmem.is_chosen));
	struct strobe_error *err = kmem_run(&o->kmem, &k);
	cmd_open_output(ctx, &out);
	if (!err || kmem_sums(k)->slab.allocs || kmem_sums(k)->pages.allocs.requests)
		put(&out, o, kmem_sums(k));
	int status = cmd_finish(ctx, &out, err);
	kmem_remarks(k);
	kmem_destroy(k);
	return status;
}

/* Shows the events while a command runs. */
static int live(struct cmd_context *ctx, struct kmem_options *o)
{
	struct kmem_live_request request = {
		.host = cmd_host(ctx), .sys = sys_live(), .command = cmd_command(ctx), .with_stacks = o->with_stacks,
		.sort = o->sort_of_any[KMEM_BY_CALLER],
	};
	struct kmem_live *l;
	struct table t;
	memcpy(request.is_chosen, o->view.is_chosen, sizeof(request.is_chosen));
	struct strobe_error *err = kmem_live_run(&request, &l);
	if (!err)
		kmem_live_table(&t, l, o->view.lines_max[KMEM_BY_CALLER], o->view.raw_ip);
	kmem_live_destroy(l);
	return err ? cmd_fail_either(ctx, err) : cmd_print_table(ctx, &t, o->format);
}

static int run_stat(struct cmd_context *ctx, struct kmem_options *o)
{
	struct strobe_error *err = options_parse(table, o, ctx->rest.argc, ctx->rest.argv, true, &ctx->rest);
	if (!err && ctx->rest.help)
		return cmd_show_help(ctx);
	bool is_live = o->kmem.live && ctx->rest.argc;
	if (!err && !is_live)
		err = subcommand_no_words(ctx);
	err = err ? err : settle_allocators(ctx, o);
	err = err ? err : parse_keys(o);
	err = err ? err : table_format_parse(o->format_name, &o->format);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	if (is_live)
		return live(ctx, o);
	return o->common.dump ? subcommand_dump(ctx, &o->common) : stat(ctx, o);
}

/* ---- record ---- */

/* In perf these precede the word record; here they may follow it. */
static void take_allocators(struct kmem_options *o, struct options_result *rest)
{
	for (; rest->argc > 1; rest->argc--, rest->argv++) {
		if (!strcmp(rest->argv[1], "--slab"))
			choose(o, KMEM_SLAB, -1);
		else if (!strcmp(rest->argv[1], "--page"))
			choose(o, KMEM_PAGES, -1);
		else
			return;
	}
}

static int record(struct cmd_context *ctx, struct kmem_options *o)
{
	struct recorded_events events = { .arena = &ctx->words };
	take_allocators(o, &ctx->rest);
	struct strobe_error *err = settle_allocators(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	kmem_recorded_events(sys_live(), o->view.is_chosen, &events);
	const char *const first[] = { "record", "-a", "-R", "-m", "1024", "-c", "1",
				      o->view.is_chosen[KMEM_PAGES] ? "--call-graph" : NULL, "fp", NULL };
	return cmd_run_record(ctx, first, &events, ctx->rest.argc, ctx->rest.argv);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct kmem_options *o = options;
	const char *word = ctx->rest.argc ? ctx->rest.argv[0] : "";
	if (subcommand_is(word, "record"))
		return record(ctx, o);
	if (subcommand_is(word, "stat"))
		return run_stat(ctx, o);
	return subcommand_unknown(ctx, word, "record or stat");
}

const struct cmd cmd_kmem = {
	.name = "kmem",
	.summary = "Show kernel memory allocations by call site",
	.usage = (const char *const[]){ "kmem [--slab] [--page] record [<options of record>] [<command>]", "kmem stat [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct kmem_options),
	.defaults = set_defaults,
	.run = run,
};
