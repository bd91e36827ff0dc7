/* strobe kallsyms: symbols of the kernel by their names. */
#include "cmd/table_output.h"
#include "session/kernel_names.h"

struct kallsyms_options {
	const char *kallsyms, *format;
	unsigned verbose;
};

#define AT(field) offsetof(struct kallsyms_options, field)

static const struct option table[] = {
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "show all symbols of a name, not only the first" },
	{ OPTION_STRING, 0, "kallsyms", AT(kallsyms), .arg = "file", .help = "read symbols from this file" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static int print(struct cmd_context *ctx, const struct kernel_names *n, bool all, enum table_format format)
{
	struct out out;
	struct table t;
	if (format != TABLE_AS_TEXT) {
		kernel_names_table(n, &t);
		return cmd_print_table(ctx, &t, format);
	}
	cmd_open_output(ctx, &out);
	kernel_names_text(n, all, &out);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct kallsyms_options *o = options;
	enum table_format format;
	struct kernel_names names;
	if (!ctx->rest.argc)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "no symbol name given"));
	struct strobe_error *err = table_format_parse(o->format, &format);
	if (err)
		return cmd_fail_usage(ctx, err);
	err = kernel_names_find(sys_live(), o->kallsyms, (const char *const *)ctx->rest.argv, (size_t)ctx->rest.argc, &names);
	int status = err ? cmd_fail(ctx, err) : print(ctx, &names, o->verbose, format);
	kernel_names_deinit(&names);
	return status;
}

const struct cmd cmd_kallsyms = {
	.name = "kallsyms",
	.summary = "Find symbols of the running kernel",
	.usage = (const char *const[]){ "kallsyms [<options>] symbol_name...", NULL },
	.options = table,
	.options_bytes = sizeof(struct kallsyms_options),
	.run = run,
	.permute = true,
};
