/* strobe config: shows and changes settings. */
#include "base/cleanup.h"
#include "cli/config_edit.h"
#include "cmd/table_output.h"

struct config_options {
	bool list, user, system;
	const char *format;
};

#define AT(field) offsetof(struct config_options, field)

static const struct option table[] = {
	{ OPTION_BOOL, 'l', "list", AT(list), .help = "show all settings" },
	{ OPTION_BOOL, 0, "system", AT(system), .help = "only " CONFIG_SYSTEM_FILE },
	{ OPTION_BOOL, 0, "user", AT(user), .help = "only the files in the home directory" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

struct changes {
	VEC(struct config_change) shown, made;
};

static void add_row(struct table *t, const char *key, const char *value)
{
	table_row(t);
	table_set_text(t, 0, key);
	table_set_text(t, 1, value);
}

static void fill(struct table *t, const struct config *c, const struct changes *words, bool all)
{
	table_init(t, "strobe-config", 1);
	t->layout = (struct table_layout){ .head = "", .row = "", .gap = "=", .has_no_titles = true };
	table_column(t, (struct table_column){ .key = "variable", .type = TABLE_TEXT, .width = 1, .is_fixed = true });
	table_column(t, (struct table_column){ .key = "value", .type = TABLE_TEXT });
	const char *key, *value;
	for (size_t i = 0; all && i < config_count(c); i++) {
		config_at(c, i, &key, &value);
		add_row(t, key, value);
	}
	for (size_t i = 0; i < words->shown.len; i++)
		if ((value = config_get(c, words->shown.data[i].key)))
			add_row(t, words->shown.data[i].key, value);
}

static struct strobe_error *parse_words(const struct cmd_context *ctx, const struct config_options *o, struct changes *ret)
{
	if (o->user && o->system)
		return error_create(ERROR_USAGE, "only one config file at a time");
	if (o->list && ctx->rest.argc)
		return error_create(ERROR_USAGE, "--list takes no arguments");
	for (int i = 0; i < ctx->rest.argc; i++) {
		struct config_change change;
		TRY(config_change_parse(ctx->rest.argv[i], &change));
		if (change.value)
			vec_push(&ret->made, change);
		else
			vec_push(&ret->shown, change);
	}
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	const struct config_options *o = options;
	enum config_scope scope = o->user ? CONFIG_USER : o->system ? CONFIG_SYSTEM : CONFIG_ALL;
	enum table_format format;
	struct changes words = {};
	_cleanup_config_ struct config *read = NULL, *effective = NULL;
	struct strobe_error *err = table_format_parse(o->format, &format);
	if (!err)
		err = parse_words(ctx, o, &words);
	if (!err && words.made.len)
		err = config_change_file(scope, words.made.data, words.made.len);
	if (!err)
		err = config_load(scope, &read);
	int status = cmd_fail_either(ctx, err);
	bool all = o->list || !ctx->rest.argc;
	if (read && (all || words.shown.len)) {
		struct table t;
		effective = config_effective(read);
		fill(&t, effective, &words, all);
		status = cmd_print_table(ctx, &t, format);
	}
	vec_deinit(&words.shown);
	vec_deinit(&words.made);
	return status;
}

const struct cmd cmd_config = {
	.name = "config",
	.summary = "Show and change settings",
	.usage = (const char *const[]){ "config [<file-option>] [options] [section.name[=value]...]", NULL },
	.options = table,
	.options_bytes = sizeof(struct config_options),
	.run = run,
	.permute = true,
};
