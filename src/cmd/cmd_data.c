/* strobe data convert: a recording as JSON, sample by sample, as the reference writes it. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/input.h"
#include "dump/samples_json.h"

struct data_command {
	const char *input, *to_json, *to_ctf;
	bool force, tod, all;
	unsigned verbose;
};

#define AT(field) offsetof(struct data_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "the recording (perf.data); - is standard input" },
	{ OPTION_STRING, 0, "to-json", AT(to_json), .arg = "file", .help = "write JSON to this file; - is standard output" },
	{ OPTION_STRING, 0, "to-ctf", AT(to_ctf), .arg = "dir", .help = "CTF is not written: this says so" },
	{ OPTION_BOOL, 0, "all", AT(all), .help = "records of all kinds: only CTF has room for them, and this says so" },
	{ OPTION_BOOL, 0, "tod", AT(tod), .help = "times of day, where the recording tells of them (record -k)" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "write over a file that exists; read another user's recording" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

struct conversion {
	struct cmd_context *ctx;
	const struct data_command *o;
	struct record_source *source;
	struct samples_json writer;
	struct out *out;
	bool has_begun;
};

static struct strobe_error *begin(struct conversion *c)
{
	if (c->has_begun)
		return NULL;
	c->has_begun = true;
	return samples_json_begin(&c->writer, source_env(c->source), c->o->tod, c->out);
}

/* The head is written with the first sample: a stream's events and features come as records before it. */
static struct strobe_error *on_sample(void *ctx, const struct resolved_sample *s)
{
	struct conversion *c = ctx;
	TRY(begin(c));
	samples_json_add(&c->writer, s);
	return out_failed(c->out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *write_samples(void *ctx, struct out *out)
{
	struct conversion *c = ctx;
	struct symbols_options symbols = { .use_modules = true };
	struct resolve_options options = { .with_chains = true, .max_stack = UINT32_MAX };
	c->out = out;
	TRY(cmd_symbols_options(c->ctx, source_env(c->source), c->o->force, &symbols));
	struct resolver *r = resolver_create(c->source, symbols, options);
	struct strobe_error *err = resolve_stream(r, (struct resolve_callbacks){ .sample = on_sample, .ctx = c });
	if (!err)
		err = begin(c);
	if (!err)
		samples_json_end(&c->writer);
	input_remarks(c->ctx, c->source, resolver_stats(r));
	resolver_destroy(r);
	return err;
}

static struct strobe_error *check(const struct cmd_context *ctx, const struct data_command *o)
{
	if (ctx->rest.argc != 1 || strcmp(ctx->rest.argv[0], "convert"))
		return error_create(ERROR_USAGE, "'convert' is what data can do");
	if (o->to_ctf)
		return error_create(ERROR_USAGE, "CTF is not written; --to-json is, and strobe convert writes other formats");
	if (o->all)
		return error_create(ERROR_USAGE, "JSON has samples alone: --all is not for it");
	if (!o->to_json)
		return error_create(ERROR_USAGE, "--to-json=FILE says what to write");
	return NULL;
}

static struct strobe_error *convert(struct conversion *c)
{
	const char *path = c->o->to_json;
	struct stat st;
	bool is_stdout = !strcmp(path, "-");
	if (!is_stdout && !c->o->force && !stat(path, &st))
		return error_create(ERROR_USAGE, "%s exists; --force writes over it", path);
	TRY(input_open(c->o->input, c->o->force, &c->source));
	return is_stdout ? cmd_write_stdout(write_samples, c) : cmd_write_file(path, write_samples, c);
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct data_command *o = options;
	struct conversion c = { .ctx = ctx, .o = o };
	struct strobe_error *err = check(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	err = convert(&c);
	source_destroy(c.source);
	if (!err)
		cmd_say(ctx, "%s is now JSON in %s (%" PRIu64 " samples)", input_path(o->input), o->to_json, c.writer.samples);
	return cmd_fail(ctx, err);
}

const struct cmd cmd_data = {
	.name = "data",
	.summary = "Turn the samples of a recording into JSON",
	.usage = (const char *const[]){ "data convert [<options>] --to-json FILE", NULL },
	.options = table,
	.options_bytes = sizeof(struct data_command),
	.run = run,
	.permute = true,
};
