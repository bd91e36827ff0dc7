#include "cmd/serve.h"

#include <signal.h>
#include <stdio.h>

#include "page/page.h"

struct strobe_error *serve(struct cmd_context *ctx, const struct web_options *options)
{
	struct web_server *server;
	sigset_t signals;
	int which;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	/* in all threads, and so before the server has one */
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	TRY(web_server_start(options, &server));
	printf("Serving web UI on %s\n", web_server_url(server));
	fflush(stdout);
	sigwait(&signals, &which);
	web_server_stop(server);
	return NULL;
}

struct strobe_error *serve_source_paths(const char *address, const char *search, const char *trim, struct source_paths *ret)
{
	bool is_local;
	TRY(web_is_local(address, &is_local));
	*ret = (struct source_paths){ .search = search, .trim = trim, .below_only = !is_local };
	return NULL;
}

struct strobe_error *serve_profile(struct cmd_context *ctx, const char *address, const char *name, const struct profile *p,
				   const char *const *settings, const struct source_paths *paths, enum disasm_syntax syntax)
{
	_cleanup_strbuf_ struct strbuf query = {};
	struct arena arena;
	for (; settings && settings[0]; settings += 2)
		if (settings[1] && *settings[1])
			web_query_add(&query, settings[0], settings[1]);
	struct page_profile_code *code;
	TRY(page_profile_code_create(&ctx->words, cmd_host(ctx), p, paths, syntax, &code));
	arena_init(&arena);
	struct web_profile profile = { .name = name, .profile = p, .options = page_options(&arena, NULL, name) };
	profile.options.code = page_profile_code(code);
	struct strobe_error *err = serve(ctx, &(struct web_options){
		.address = address, .profiles = &profile, .profiles_nr = 1, .query = query.len ? strbuf_str(&query) : NULL });
	arena_deinit(&arena);
	page_profile_code_destroy(code);
	return err;
}
