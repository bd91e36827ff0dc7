#include "cmd/subcommand.h"

#include <string.h>

#include "base/text.h"
#include "cmd/frame.h"

bool subcommand_is(const char *word, const char *name)
{
	return strlen(word) > 2 && text_has_prefix(name, word);
}

const struct cmd *subcommand_find(const struct cmd *cmd, const char *word)
{
	for (const struct cmd *const *s = cmd->subcommands; *s; s++) {
		const char *name = strrchr((*s)->name, ' ') + 1;
		if (!strcmp(name, word) || subcommand_is(word, name))
			return *s;
	}
	return NULL;
}

static void add_common(struct cmd_context *ctx, struct cmd_words *words, const struct cmd_common *c)
{
	if (c->input) {
		cmd_add_word(ctx, words, "-i");
		cmd_add_word(ctx, words, c->input);
	}
	if (c->force)
		cmd_add_word(ctx, words, "-f");
	if (c->dump)
		cmd_add_word(ctx, words, "-D");
	for (unsigned i = 0; i < c->verbose; i++)
		cmd_add_word(ctx, words, "-v");
}

int subcommand_run(struct cmd_context *ctx, const struct cmd *sub, const struct cmd_common *c, const char *const *more)
{
	struct cmd_words words = {};
	cmd_add_word(ctx, &words, sub->name);
	add_common(ctx, &words, c);
	for (; more && *more; more++)
		cmd_add_word(ctx, &words, *more);
	for (int i = 1; i < ctx->rest.argc; i++)
		vec_push(&words.list, ctx->rest.argv[i]);
	vec_push(&words.list, NULL);
	int status = cmd_run(ctx, sub, (int)words.list.len - 1, words.list.data);
	vec_deinit(&words.list);
	return status;
}

int subcommand_dump(struct cmd_context *ctx, const struct cmd_common *c)
{
	return cmd_run_line(ctx, (const char *const[]){ "report", "-D", "-i", c->input ? c->input : "perf.data",
							c->force ? "-f" : NULL, NULL });
}

struct strobe_error *subcommand_no_words(const struct cmd_context *ctx)
{
	return ctx->rest.argc ? error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i", ctx->rest.argv[0]) :
		NULL;
}

int subcommand_unknown(const struct cmd_context *ctx, const char *word, const char *known)
{
	return cmd_fail_usage(ctx, *word ? error_create(ERROR_USAGE, "unknown subcommand '%s'", word) :
			      error_create(ERROR_USAGE, "specify a subcommand: %s", known));
}
