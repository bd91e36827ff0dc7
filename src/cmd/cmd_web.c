/* strobe web: serves recordings and profiles to a browser. */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/serve.h"
#include "page/page.h"
#include "session/flame_input.h"
#include "session/input.h"
#include "session/live/measure.h"

struct web_command {
	const char *http, *base, *diff_base, *source_path, *trim_path;
	bool live, force;
	unsigned verbose;
};

#define AT(field) offsetof(struct web_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 0, "http", AT(http), .arg = "[host]:[port]",
	  .help = "address to listen on (default: localhost, any free port); on other addresses, the URL contains a token" },
	{ OPTION_STRING, 0, "base", AT(base), .arg = "file", .help = "subtract this recording or profile" },
	{ OPTION_STRING, 0, "diff_base", AT(diff_base), .arg = "file", .help = "compare with this recording or profile: "
		"percentages before and after" },
	{ OPTION_STRING, 0, "source_path", AT(source_path), .arg = "dirs",
	  .help = "search path for source files, separated by ':' (default: current directory)" },
	{ OPTION_STRING, 0, "trim_path", AT(trim_path), .arg = "dirs", .help = "path prefixes to strip from source files "
		"before searching" },
	{ OPTION_BOOL, 0, "live", AT(live),
	  .help = "measure running processes on request: /debug/pprof/profile?pid=N&seconds=N" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check of the recording" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

struct run {
	struct cmd_context *ctx;
	const struct web_command *o;
	struct source_paths paths;
	struct flame_input *inputs;
	struct web_profile *profiles;
	struct profile **differences; /* with -base */
	struct page_profile_code **codes; /* of profiles from other programs */
	size_t nr; /* number of open inputs */
};

static struct strobe_error *read_profile(struct run *r, const char *path)
{
	const struct web_command *o = r->o;
	struct flame_input_options options = { .force = o->force, .for_page = true, .single = true };
	struct flame_input *in = &r->inputs[r->nr];
	struct web_profile *w = &r->profiles[r->nr++];
	TRY(flame_input_read(cmd_host(r->ctx), path, &options, in));
	const struct env *env = in->session.env;
	if (in->session.resolver)
		input_remarks(cmd_host(r->ctx), in->session.reader, resolver_stats(in->session.resolver));
	w->name = in->path;
	w->options = page_options(&in->arena, env, in->path);
	if (in->session.resolver)
		w->options.code = page_code(&in->arena, env, in->session.resolver);
	w->options.subtracts = o->base != NULL;
	struct strobe_error *err = page_read_base(cmd_host(r->ctx), o->base ? o->base : o->diff_base, o->force, &in->profile,
						  o->base ? &r->differences[r->nr - 1] : NULL);
	w->profile = in->profile;
	w->download = r->differences[r->nr - 1];
	if (err || in->session.resolver)
		return err;
	TRY(page_profile_code_create(&r->ctx->words, cmd_host(r->ctx), w->profile, &r->paths, DISASM_ATT, &r->codes[r->nr - 1]));
	w->options.code = page_profile_code(r->codes[r->nr - 1]);
	return NULL;
}

/* ---- measurements, by the server's threads ---- */

static struct strobe_error *known_dir(void *ctx, const char **ret)
{
	*ret = ctx;
	return NULL;
}

/* Shared by threads, it says nothing: errors are the server's answers. It waits for no server, either. */
static struct strobe_error *live_host(struct cmd_context *ctx, struct session_host *ret)
{
	const char *dir;
	TRY(cmd_buildid_dir(ctx, &dir));
	*ret = (struct session_host){ .buildid_dir = known_dir, .ctx = (void *)dir };
	return NULL;
}

static struct strobe_error *measure(void *ctx, const struct web_measurement *m, struct profile **ret)
{
	const struct live_measurement measurement = { .pids = m->pids, .seconds = m->seconds, .freq_hz = m->freq_hz,
						      .ends = m->ends, .ends_nr = sizeof(m->ends) / sizeof(*m->ends) };
	return live_measure(sys_live(), ctx, &measurement, ret);
}

/* ---- all ---- */

static struct strobe_error *run_all(struct run *r, size_t n)
{
	const struct options_result *rest = &r->ctx->rest;
	struct session_host host;
	const struct web_live live = { .measure = measure, .ctx = &host };
	TRY(live_host(r->ctx, &host));
	TRY(serve_source_paths(r->o->http, r->o->source_path, r->o->trim_path, &r->paths));
	for (size_t i = 0; i < n; i++)
		TRY(read_profile(r, rest->argc ? rest->argv[i] : NULL));
	return serve(r->ctx, &(struct web_options){ .address = r->o->http, .profiles = r->profiles, .profiles_nr = r->nr,
						    .live = r->o->live ? &live : NULL });
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct web_command *o = options;
	size_t n = ctx->rest.argc ? (size_t)ctx->rest.argc : !o->live;
	struct run r = {
		.ctx = ctx,
		.o = o,
		.inputs = xcalloc(n + 1, sizeof(struct flame_input)),
		.profiles = xcalloc(n + 1, sizeof(struct web_profile)),
		.differences = xcalloc(n + 1, sizeof(struct profile *)),
		.codes = xcalloc(n + 1, sizeof(struct page_profile_code *)),
	};
	cmd_set_verbosity(r.o->verbose);
	struct strobe_error *err = r.o->base && r.o->diff_base ?
		error_create(ERROR_USAGE, "-base and -diff_base flags cannot both be specified") : run_all(&r, n);
	for (size_t i = 0; i < r.nr; i++) {
		page_profile_code_destroy(r.codes[i]);
		profile_destroy(r.differences[i]);
		flame_input_close(&r.inputs[i]);
	}
	free(r.codes);
	free(r.differences);
	free(r.inputs);
	free(r.profiles);
	return cmd_fail(ctx, err);
}

const struct cmd cmd_web = {
	.name = "web",
	.summary = "Show recordings and profiles in a browser",
	.usage = (const char *const[]){ "web [-http HOST:PORT] [-base FILE | -diff_base FILE] [<file>...]",
					 "web --live [-http HOST:PORT] [<file>...]", NULL },
	.options = table,
	.options_bytes = sizeof(struct web_command),
	.run = run,
	.permute = true,
	.single_dash = true,
};
