#include "cmd/script/by_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/frame.h"
#include "cmd/subcommand.h"
#include "cmd/table_output.h"
#include "scripting/bundled.h"

static struct strobe_error *find_command(char *const *words, size_t n, bool *ret)
{
	const struct cmd *record = cmd_find("record");
	struct options_result rest = {};
	_cleanup_free_ void *options = xcalloc(1, record->options_bytes);
	_cleanup_free_ char **argv = xcalloc(n + 2, sizeof(*argv)); /* the parser reorders them; the first is skipped */
	memcpy(argv + 1, words, n * sizeof(*argv));
	record->defaults(options);
	struct strobe_error *err = options_parse(record->options, options, (int)n + 1, argv, false, &rest);
	record->release(options);
	*ret = rest.argc > 0;
	return err;
}

int script_by_name(struct cmd_context *ctx)
{
	char *const *words = cmd_command(ctx);
	size_t n = (size_t)ctx->rest.argc;
	bool is_record = subcommand_is(words[0], "record"), is_report = subcommand_is(words[0], "report");
	size_t name = n > 1 && (is_record || is_report) ? 1 : 0;
	const struct bundled_request request = {
		.action = is_record ? BUNDLED_RECORD : is_report ? BUNDLED_REPORT : BUNDLED_LIVE,
		.words = words + name + 1, .words_nr = n - name - 1, .find_command = find_command,
	};
	struct bundled_scripts scripts;
	const struct bundled_script *script;
	bundled_scripts_find(&scripts);
	struct strobe_error *err = bundled_scripts_get(&scripts, words[name], &script);
	bool is_plain_record = err && is_record; /* no script follows: as in perf */
	if (!err)
		err = bundled_run(script, &request);
	bundled_scripts_deinit(&scripts);
	if (!is_plain_record)
		return error_is(err, ERROR_NOT_FOUND) ? cmd_fail_usage(ctx, err) : cmd_fail_either(ctx, err);
	error_destroy(err);
	return cmd_run(ctx, cmd_find("record"), (int)n, ctx->rest.argv);
}

int script_list(struct cmd_context *ctx, const char *format_name)
{
	enum table_format format;
	struct bundled_scripts scripts;
	struct table t;
	struct strobe_error *err = table_format_parse(format_name, &format);
	if (err)
		return cmd_fail_usage(ctx, err);
	bundled_scripts_find(&scripts);
	bundled_scripts_table(&scripts, &t);
	bundled_scripts_deinit(&scripts);
	return cmd_print_table(ctx, &t, format);
}
