/* strobe data convert: converts a recording to JSON, sample by sample, or to a CTF trace, in perf's forms. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/new_file.h"
#include "cmd/cmd.h"
#include "dump/conversion/conversion.h"
#include "session/input.h"

struct data_command {
	struct conversion_options conversion;
	const char *to_json, *to_ctf;
	bool force, overwrite, all;
	unsigned verbose;
};

#define AT(field) offsetof(struct data_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(conversion.input), .arg = "file",
	  .help = "input file (default: perf.data); - for standard input" },
	{ OPTION_STRING, 0, "to-json", AT(to_json), .arg = "file", .help = "write JSON to this file; - for standard output" },
	{ OPTION_STRING, 0, "to-ctf", AT(to_ctf), .arg = "dir", .help = "write a CTF trace to this directory" },
	{ OPTION_BOOL, 0, "all", AT(all), .help = "CTF: convert all records, not only samples" },
	{ OPTION_BOOL, 0, "tod", AT(conversion.wall_clock), .help = "convert timestamps to wall clock time (requires record -k)" },
	{ OPTION_STRING, 0, "time", AT(conversion.times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_BOOL, 0, "overwrite", AT(overwrite), .help = "overwrite an existing file or trace" },
	{ OPTION_BOOL, 0, "any-owner", AT(conversion.force), .help = "skip the ownership check of the recording" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "same as --overwrite --any-owner, as in perf" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static struct strobe_error *check(const struct cmd_context *ctx, const struct data_command *o)
{
	if (ctx->rest.argc != 1 || strcmp(ctx->rest.argv[0], "convert"))
		return error_create(ERROR_USAGE, "unknown subcommand; only 'data convert' is supported");
	if (!o->to_json && !o->to_ctf)
		return error_create(ERROR_USAGE, "specify --to-json=FILE or --to-ctf=DIR");
	if (o->to_json && o->to_ctf)
		return error_create(ERROR_USAGE, "--to-json and --to-ctf cannot be combined");
	if (o->to_json && o->all)
		return error_create(ERROR_USAGE, "--all requires --to-ctf");
	return NULL;
}

struct json_file {
	struct conversion *conversion;
	bool created;
};

static struct strobe_error *write_json(void *ctx, struct out *out)
{
	struct json_file *f = ctx;
	f->created = true;
	return conversion_to_json(f->conversion, out);
}

static struct strobe_error *convert(struct cmd_context *ctx, const struct data_command *o, struct conversion *c)
{
	const char *path = o->to_json;
	struct json_file json = { .conversion = c };
	struct stat st;
	bool overwrites = o->overwrite || o->force;
	if (path && strcmp(path, "-") != 0 && !overwrites && !stat(path, &st))
		return error_with_status(error_create(ERROR_USAGE, "%s exists; use --overwrite to replace it", path),
					 OUTPUT_OPEN_STATUS);
	TRY(conversion_open(c, cmd_host(ctx), &o->conversion));
	if (o->to_ctf)
		return conversion_to_ctf(c, o->to_ctf, overwrites, o->all);
	struct strobe_error *err = new_file_write_by(path, write_json, &json);
	return json.created ? err : error_with_status(err, OUTPUT_OPEN_STATUS);
}

static void say_done(const struct cmd_context *ctx, const struct data_command *o, const struct conversion *c)
{
	const char *input = input_path(o->conversion.input);
	if (o->to_json)
		cmd_say(ctx, "%s: wrote %" PRIu64 " samples as JSON to %s", input, c->samples, o->to_json);
	else if (!o->all)
		cmd_say(ctx, "%s: wrote %" PRIu64 " samples as CTF to %s", input, c->samples, o->to_ctf);
	else
		cmd_say(ctx, "%s: wrote %" PRIu64 " samples and %" PRIu64 " other records as CTF to %s", input, c->samples,
			c->records, o->to_ctf);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct data_command *o = options;
	struct conversion c = {};
	struct strobe_error *err = check(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	o->conversion.force |= o->force;
	err = convert(ctx, o, &c);
	if (!err) {
		say_done(ctx, o, &c);
		err = take_ptr(c.damage);
	}
	conversion_close(&c);
	return cmd_fail(ctx, err);
}

const struct cmd cmd_data = {
	.name = "data",
	.summary = "Convert a recording to JSON or a CTF trace",
	.usage = (const char *const[]){ "data convert [<options>] --to-json FILE", "data convert [<options>] --to-ctf DIR", NULL },
	.options = table,
	.options_bytes = sizeof(struct data_command),
	.run = run,
	.permute = true,
};
