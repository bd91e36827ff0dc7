/* strobe doctor: what this machine, kernel, user and container permit, the consequences, and how to permit more. */
#include "cmd/table_output.h"
#include "doctor/doctor.h"

struct doctor_options {
	bool json;
	const char *format;
};

#define AT(field) offsetof(struct doctor_options, field)

static const struct option table[] = {
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	{ OPTION_BOOL, 'j', "json", AT(json), .help = "the same as --format json" },
	OPTIONS_END,
};

static int show(struct cmd_context *ctx, const struct table *t, enum table_format format)
{
	struct out out;
	cmd_open_output(ctx, &out);
	struct table_style style = { .colour = cmd_use_colour(ctx, COLOUR_AUTO) };
	cmd_write_table(&out, t, format, &style);
	return cmd_close_output(ctx, &out);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct doctor_options *o = options;
	enum table_format format;
	struct table t;
	struct doctor_summary summary;
	struct strobe_error *err = table_format_parse(o->json ? "json" : o->format, &format);
	if (!err)
		err = doctor_examine(sys_live(), ctx->rest.argv, (size_t)ctx->rest.argc, &t, &summary);
	if (err)
		return cmd_fail_usage(ctx, err);
	int status = show(ctx, &t, format);
	table_deinit(&t);
	return status ? status : ctx->rest.argc && summary.missing ? CMD_FAILED : CMD_OK;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "Show what this machine and user allow, and how to enable more",
	.usage = (const char *const[]){ "doctor [<options>] [CHECK]...", NULL },
	.options = table,
	.options_bytes = sizeof(struct doctor_options),
	.run = run,
	.permute = true,
};
