/* strobe web: recordings and profiles in a browser, served from here. */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/input.h"
#include "cmd/page.h"
#include "cmd/serve.h"

struct web_command {
	const char *http, *base, *diff_base;
	bool force;
	unsigned verbose;
};

#define AT(field) offsetof(struct web_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 0, "http", AT(http), .arg = "[host]:[port]",
	  .help = "listen there (localhost, a free port); elsewhere than on this machine the address has a token" },
	{ OPTION_STRING, 0, "base", AT(base), .arg = "file", .help = "compare with this recording or profile" },
	{ OPTION_STRING, 0, "diff_base", AT(diff_base), .arg = "file", .help = "the same" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read a recording though it belongs to another user" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

struct run {
	struct cmd_context *ctx;
	const struct web_command *o;
	struct arena arena;
	struct profile **owned;
	struct web_profile *profiles;
	size_t nr;
};

static struct strobe_error *read_profile(struct run *r, const char *path)
{
	struct profile **p = &r->owned[r->nr];
	struct web_profile *w = &r->profiles[r->nr];
	TRY(page_read(r->ctx, &r->arena, path, r->o->force, p, &w->options));
	r->nr++;
	TRY(page_read_base(r->ctx, r->o->diff_base ? r->o->diff_base : r->o->base, p));
	w->profile = *p;
	w->name = path;
	return NULL;
}

static struct strobe_error *run_all(struct run *r)
{
	const struct options_result *rest = &r->ctx->rest;
	size_t n = rest->argc ? (size_t)rest->argc : 1;
	r->owned = xcalloc(n, sizeof(struct profile *));
	r->profiles = xcalloc(n, sizeof(*r->profiles));
	for (size_t i = 0; i < n; i++)
		TRY(read_profile(r, rest->argc ? rest->argv[i] : input_path(NULL)));
	return serve(r->ctx, &(struct web_options){ .address = r->o->http, .profiles = r->profiles, .profiles_nr = r->nr });
}

static int run(struct cmd_context *ctx, void *options)
{
	struct run r = { .ctx = ctx, .o = options };
	arena_init(&r.arena);
	cmd_set_verbosity(r.o->verbose);
	struct strobe_error *err = run_all(&r);
	for (size_t i = 0; i < r.nr; i++)
		profile_destroy(r.owned[i]);
	free(r.owned);
	free(r.profiles);
	arena_deinit(&r.arena);
	return cmd_fail(ctx, err);
}

const struct cmd cmd_web = {
	.name = "web",
	.summary = "Show recordings and profiles in a browser",
	.usage = (const char *const[]){ "web [-http HOST:PORT] [-diff_base FILE] [<file>...]", NULL },
	.options = table,
	.options_bytes = sizeof(struct web_command),
	.run = run,
	.permute = true,
	.single_dash = true,
};
