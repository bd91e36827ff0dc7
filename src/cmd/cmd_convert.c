/* strobe convert: converts profiles between formats. */
#include "base/new_file.h"
#include "cmd/cmd.h"
#include "session/profile_input.h"
#include "view/formats/formats.h"

struct convert_command {
	const char *from, *to;
	bool force;
	unsigned verbose;
};

#define AT(field) offsetof(struct convert_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 0, "from", AT(from), .arg = "format", .help = "format of the input (default: detected)" },
	{ OPTION_STRING, 0, "to", AT(to), .arg = "format",
	  .help = "format of the output (default: by the file name): pprof, pprof-raw, folded, speedscope, firefox, chrome-trace, "
	  	"callgrind, heap, csv or json" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check of the recording" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

struct conversion {
	const struct profile *profile;
	const struct exchange_format *format;
};

static struct strobe_error *write_profile(void *ctx, struct out *out)
{
	const struct conversion *c = ctx;
	return c->format->write(c->profile, out);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct convert_command *o = options;
	const struct exchange_format *reader, *writer;
	struct profile *p = NULL;
	if (ctx->rest.argc != 2)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "two files are required: convert INPUT OUTPUT"));
	struct strobe_error *err = profile_format_to_read(o->from, &reader);
	if (!err)
		err = profile_format_to_write(o->to, ctx->rest.argv[1], &writer);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	struct profile_input input = { .path = ctx->rest.argv[0], .format = reader, .force = o->force };
	err = profile_input_read(cmd_host(ctx), &input, &p);
	if (!err)
		err = new_file_write_by(ctx->rest.argv[1], write_profile, &(struct conversion){ p, writer });
	profile_destroy(p);
	return cmd_fail(ctx, err);
}

const struct cmd cmd_convert = {
	.name = "convert",
	.summary = "Convert a recording or a profile to another format",
	.usage = (const char *const[]){ "convert [<options>] INPUT OUTPUT", NULL },
	.options = table,
	.options_bytes = sizeof(struct convert_command),
	.run = run,
	.permute = true,
};
