/* strobe data convert: a recording as JSON, sample by sample, or as a CTF trace, as the reference writes them. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "dump/samples_ctf.h"
#include "dump/samples_json.h"
#include "session/input.h"
#include "session/session.h"

struct data_command {
	const char *input, *to_json, *to_ctf, *times;
	bool force, overwrite, any_owner, tod, all;
	unsigned verbose;
};

#define AT(field) offsetof(struct data_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "input file (default: perf.data); - for standard input" },
	{ OPTION_STRING, 0, "to-json", AT(to_json), .arg = "file", .help = "write JSON to this file; - for standard output" },
	{ OPTION_STRING, 0, "to-ctf", AT(to_ctf), .arg = "dir", .help = "write a CTF trace to this directory" },
	{ OPTION_BOOL, 0, "all", AT(all), .help = "CTF: convert all records, not only samples" },
	{ OPTION_BOOL, 0, "tod", AT(tod), .help = "convert timestamps to wall clock time (requires record -k)" },
	{ OPTION_STRING, 0, "time", AT(times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_BOOL, 0, "overwrite", AT(overwrite), .help = "overwrite an existing file or trace" },
	{ OPTION_BOOL, 0, "any-owner", AT(any_owner), .help = "skip the ownership check of the recording" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "same as --overwrite --any-owner, as in perf" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

struct conversion {
	struct cmd_context *ctx;
	const struct data_command *o;
	struct session session;
	struct samples_json json;
	struct samples_ctf ctf;
	struct out *out; /* of JSON; NULL before it is created */
	bool has_begun;
	struct strobe_error *damage; /* of the recording: what was whole is written */
};

static bool overwrites(const struct data_command *o)
{
	return o->overwrite || o->force;
}

static bool takes_any_owner(const struct data_command *o)
{
	return o->any_owner || o->force;
}

static struct strobe_error *begin_json(struct conversion *c)
{
	return samples_json_begin(&c->json, c->session.env, c->o->tod, c->out);
}

static struct strobe_error *begin_ctf(struct conversion *c)
{
	return samples_ctf_begin(&c->ctf, c->session.env, c->o->tod, c->o->to_ctf, overwrites(c->o));
}

/* The head is written with what comes first: a stream's events and features come as records before it. */
static struct strobe_error *begin(struct conversion *c)
{
	if (c->has_begun)
		return NULL;
	TRY(c->o->to_ctf ? begin_ctf(c) : begin_json(c));
	c->has_begun = true;
	return NULL;
}

static struct strobe_error *json_sample(void *ctx, const struct resolved_sample *s)
{
	struct conversion *c = ctx;
	TRY(begin(c));
	samples_json_add(&c->json, s);
	return out_failed(c->out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *ctf_sample(void *ctx, const struct resolved_sample *s)
{
	struct conversion *c = ctx;
	TRY(begin(c));
	samples_ctf_add(&c->ctf, s);
	return ctf_failed(c->ctf.trace) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *ctf_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct conversion *c = ctx;
	if (r.hdr->type >= RECORD_USER_FIRST || !time_ranges_have(c->session.filter.times, c->session.filter.times_nr, time_ns))
		return NULL;
	TRY(begin(c));
	samples_ctf_count_lost(&c->ctf, r);
	if (c->o->all)
		samples_ctf_add_record(&c->ctf, r, time_ns);
	return NULL;
}

/* CTF has addresses alone: nothing is to be looked up. */
static bool needs_no_names(void *ctx, const struct resolved_sample *s)
{
	(void)ctx, (void)s;
	return true;
}

static struct strobe_error *read_all(struct conversion *c, struct resolve_callbacks callbacks)
{
	const struct session_request request = {
		.choice.times = c->o->times,
		.resolve = { .with_chains = true, .max_stack = UINT32_MAX },
	};
	TRY(session_resolve(&c->session, &request));
	TRY(sample_choice_check(&request.choice, c->session.env));
	struct strobe_error *err = resolve_stream(c->session.resolver, callbacks);
	if (err && c->has_begun)
		c->damage = take_ptr(err);
	if (!err)
		err = begin(c);
	input_remarks(cmd_host(c->ctx), c->session.reader, resolver_stats(c->session.resolver));
	return err;
}

static struct strobe_error *write_json(void *ctx, struct out *out)
{
	struct conversion *c = ctx;
	c->out = out;
	TRY(read_all(c, (struct resolve_callbacks){ .sample = json_sample, .ctx = c }));
	samples_json_end(&c->json);
	return NULL;
}

static struct strobe_error *write_ctf(struct conversion *c)
{
	struct strobe_error *err = read_all(c, (struct resolve_callbacks){
		.sample = ctf_sample, .record = ctf_record, .knows_stack = needs_no_names, .ctx = c });
	if (!err)
		err = samples_ctf_end(&c->ctf);
	samples_ctf_deinit(&c->ctf);
	return err;
}

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

static struct strobe_error *convert(struct conversion *c)
{
	const char *path = c->o->to_json;
	struct stat st;
	bool is_stdout = path && !strcmp(path, "-");
	if (path && !is_stdout && !overwrites(c->o) && !stat(path, &st))
		return error_with_status(error_create(ERROR_USAGE, "%s exists; use --overwrite to replace it", path),
					 OUTPUT_OPEN_STATUS);
	TRY(session_open(&c->session, cmd_host(c->ctx), c->o->input, takes_any_owner(c->o)));
	if (c->o->to_ctf)
		return write_ctf(c);
	struct strobe_error *err = cmd_write_file(path, write_json, c);
	return c->out ? err : error_with_status(err, OUTPUT_OPEN_STATUS);
}

static void say_done(const struct conversion *c)
{
	const char *input = input_path(c->o->input);
	if (c->o->to_json)
		cmd_say(c->ctx, "%s: wrote %" PRIu64 " samples as JSON to %s", input, c->json.samples, c->o->to_json);
	else if (!c->o->all)
		cmd_say(c->ctx, "%s: wrote %" PRIu64 " samples as CTF to %s", input, c->ctf.samples, c->o->to_ctf);
	else
		cmd_say(c->ctx, "%s: wrote %" PRIu64 " samples and %" PRIu64 " other records as CTF to %s", input,
			c->ctf.samples, c->ctf.records, c->o->to_ctf);
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
	session_close(&c.session);
	if (err) {
		error_destroy(c.damage);
		return cmd_fail(ctx, err);
	}
	say_done(&c);
	return cmd_fail(ctx, c.damage);
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
