/* strobe list: the names that -e, -M and other options accept on this machine. */
#include <inttypes.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/out.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "sys/limits.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

struct list_options {
	struct catalog_settings catalog;
	bool debug, json, raw_dump;
	bool document; /* strobe's own JSON; else perf's */
	const char *output, *format;
};

static void fill(struct catalog *c, const struct options_result *rest)
{
	for (int i = 0; i < rest->argc; i++)
		catalog_add(c, rest->argv[i]);
	if (!rest->argc)
		catalog_add(c, NULL);
}

static void write_catalog(struct out *out, const struct catalog *c, const struct list_options *o)
{
	if (o->raw_dump && !o->json) {
		catalog_names(c, out);
	} else if (o->json) {
		(o->document ? table_json : table_json_rows)(out, &c->table);
		out_ch(out, '\n');
	} else {
		table_text(out, &c->table, NULL);
	}
}

/* The title is only for a terminal. */
static void add_title(struct catalog *c)
{
	table_head(&c->table, "%s", "");
	table_head(&c->table, "List of pre-defined events (to be used in -e or -M):");
	table_head(&c->table, "%s", "");
}

/* Fills the catalog and writes it to the file of -o, or to standard output (fd -1); the exit status. */
static int list(struct cmd_context *ctx, const struct list_options *o, struct catalog *c, int fd)
{
	struct out out;
	if (fd >= 0)
		out_init_fd(&out, fd);
	else
		cmd_open_output(ctx, &out);
	c->settings.columns = terminal_columns();
	if (c->settings.form == CATALOG_TEXT && fd < 0 && terminal_is_tty(STDOUT_FILENO))
		add_title(c);
	fill(c, &ctx->rest);
	write_catalog(&out, c, o);
	return fd >= 0 ? cmd_fail(ctx, out_close(&out)) : cmd_close_output(ctx, &out);
}

/* What is missing from the catalog, and why. */
static void say_limits(struct cmd_context *ctx, const struct list_options *o, const struct catalog *c)
{
	if (c->is_denied)
		cmd_say(ctx,
			"cannot determine which hardware events are supported: kernel.perf_event_paranoid is %d and "
			"CAP_PERFMON is missing; as root: sysctl kernel.perf_event_paranoid=2",
			sys_perf_event_paranoid(c->sys));
	if (c->uncountable && c->settings.form == CATALOG_TEXT)
		cmd_say(ctx, "%" PRIu64 " vendor events of this processor are not listed: this machine has no PMU that "
			"supports them (--all lists them)", c->uncountable);
	if (ctx->rest.argc && !c->rows_nr && !c->error && !c->uncountable && !o->raw_dump)
		cmd_say(ctx, "no matching events; run 'list' without arguments to show all");
}

static int run_catalog(struct cmd_context *ctx, const struct list_options *o, struct catalog *c)
{
	_cleanup_close_ int fd = -1;
	struct strobe_error *err = o->output ? file_open_output(o->output, false, &fd) : NULL;
	if (err)
		return cmd_fail(ctx, err);
	int status = list(ctx, o, c, fd);
	say_limits(ctx, o, c);
	if (c->error && !status && !ctx->rest.argc) {
		/* A list of all events shows those that are readable. */
		cmd_say(ctx, "some events could not be listed: %s", c->error->message);
		return CMD_OK;
	}
	err = c->error;
	c->error = NULL;
	int failed = cmd_fail(ctx, err);
	return status ? status : failed;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct list_options *o = options;
	struct catalog c;
	struct strobe_error *wrong = cmd_format_is_json(o->format, &o->document);
	if (wrong)
		return cmd_fail_usage(ctx, wrong);
	o->json |= o->document;
	o->catalog.form = o->json ? CATALOG_DATA : o->raw_dump ? CATALOG_NAMES : CATALOG_TEXT;
	o->catalog.has_perf_keys = !o->document;
	cmd_set_verbosity(o->debug ? 2 : 0);
	catalog_init(&c, cmd_host(ctx), sys_live(), &o->catalog);
	int status = run_catalog(ctx, o, &c);
	catalog_deinit(&c);
	return status;
}

#define AT(field) offsetof(struct list_options, field)

static const struct option table[] = {
	{ OPTION_BOOL, 'd', "desc", AT(catalog.descriptions), .help = "print descriptions (on)" },
	{ OPTION_BOOL, 'v', "long-desc", AT(catalog.long_descriptions), .help = "print long descriptions" },
	{ OPTION_BOOL, 'j', "json", AT(json), .help = "print a JSON array, as perf does" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json", .help = "output format; json: one document in strobe's schema" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "write to this file instead of standard output" },
	{ OPTION_STRING, 0, "cputype", AT(catalog.core_type), .arg = "type",
	  .help = "on a hybrid machine, list the events of this type of core (core, atom)" },
	{ OPTION_STRING, 0, "unit", AT(catalog.unit), .arg = "PMU", .help = "list only the events of this PMU" },
	{ OPTION_BOOL, 0, "all", AT(catalog.all), .help = "also list vendor events that are not supported on this machine" },
	{ OPTION_BOOL, 0, "deprecated", AT(catalog.deprecated), .help = "also list deprecated events" },
	{ OPTION_BOOL, 0, "details", AT(catalog.details),
	  .help = "show the encoding of events, and the fields of tracepoints" },
	{ OPTION_BOOL, 0, "debug", AT(debug), .help = "print debug messages" },
	{ OPTION_BOOL, 0, "raw-dump", AT(raw_dump), .help = "print names only, on one line, for completion", .hidden = true },
	OPTIONS_END,
};

const struct cmd cmd_list = {
	.name = "list",
	.summary = "List the events that can be counted and recorded on this machine",
	.usage = (const char *const[]){
		"list [<options>] [hw|sw|cache|tracepoint|pmu|pfm|sdt|metric|metricgroup|GLOB]...", NULL },
	.options = table,
	.options_bytes = sizeof(struct list_options),
	.run = run,
	.permute = true,
};
