/* strobe diff: compares recordings or profiles row by row, with the significance of each change. */
#include <string.h>

#include "base/out.h"
#include "base/text.h"
#include "cmd/colours.h"
#include "cmd/diff/options.h"
#include "cmd/frame.h"
#include "cmd/table_output.h"
#include "diff/blocks.h"
#include "diff/streams.h"

#define DIFF_GROWN 2 /* exit status: --fail-over */

static int show(struct cmd_context *ctx, const struct diff_options *o, const struct diff *d)
{
	struct out out;
	cmd_open_output(ctx, &out);
	const struct table_style style = { .colour = cmd_use_colour(ctx, o->colour), .separator = o->request.display.separator };
	for (uint32_t i = 0; i < diff_tables_nr(d); i++) {
		struct table t;
		struct strobe_error *err = NULL;
		if (o->layout.figure == DIFF_CYCLES)
			err = diff_blocks_table(d, i, &t);
		else
			diff_table(d, i, &t);
		if (!err)
			cmd_write_table(&out, &t, o->format, &style);
		table_deinit(&t);
		if (err) {
			cmd_close_output(ctx, &out);
			return cmd_fail_either(ctx, err);
		}
	}
	return cmd_close_output(ctx, &out);
}

static int show_streams(struct cmd_context *ctx, const struct diff_options *o, const struct diff *d)
{
	struct diff_streams s;
	struct out out;
	struct strobe_error *err = diff_streams_read(&s, d);
	int status = err ? cmd_fail_either(ctx, err) : CMD_OK;
	if (!err) {
		struct table t = {};
		cmd_open_output(ctx, &out);
		if (o->layout.for_data) {
			diff_streams_table(&s, &t);
			cmd_write_table(&out, &t, o->format, &(struct table_style){});
			table_deinit(&t);
		} else {
			diff_streams_text(&s, &out);
		}
		status = cmd_close_output(ctx, &out);
	}
	diff_streams_deinit(&s);
	return status;
}

static int judge(struct cmd_context *ctx, const struct diff_options *o, struct diff *d)
{
	if (!o->fail_percent)
		return CMD_OK;
	struct diff_growth worst = diff_worst_growth(d);
	if (worst.percent <= o->fail_percent)
		return CMD_OK;
	cmd_say(ctx, "%s grew by %.2f %% of the total of %s, more than the limit of %g %%", worst.name, worst.percent, d->side_names[0],
		o->fail_percent);
	return DIFF_GROWN;
}

static int compare(struct cmd_context *ctx, const struct diff_options *o)
{
	struct diff d;
	const struct diff_settings settings = {
		.request = o->request, .sources = o->sources.data, .sources_nr = o->sources.nr, .layout = o->layout,
		.normalize = o->normalize,
		.is_plain = !cmd_use_colour(ctx, o->colour) && !o->layout.show_change && !o->layout.for_data && !o->fail_percent,
	};
	struct strobe_error *err = diff_run(&d, cmd_host(ctx), &settings);
	int status = err ? cmd_fail_either(ctx, err) : o->streams ? show_streams(ctx, o, &d) : show(ctx, o, &d);
	if (!err && !status)
		status = judge(ctx, o, &d);
	diff_deinit(&d);
	return status;
}

static int draw(struct cmd_context *ctx, const struct diff_options *o)
{
	const char *before = o->sources.data[0].paths[0], *after = o->sources.data[1].paths[0];
	const char *event = o->request.selection.event, *e = event ? "-e" : NULL;
	const char *const flamegraph[] = { "flamegraph", "--diff-base", before, "-i", after, "-o", o->flamegraph, e, event, NULL };
	const char *const page[] = { "report", "--diff-base", before, "-i", after, "--html", o->html, e, event, NULL };
	const char *const screen[] = { "report", "--diff-base", before, "-i", after, "--tui", e, event, NULL };
	return cmd_run_line(ctx, o->flamegraph ? flamegraph : o->html ? page : screen);
}

static int dump(struct cmd_context *ctx, const struct diff_options *o)
{
	int status = CMD_OK;
	for (uint32_t i = 0; !status && i < o->sources.nr; i++)
		for (uint32_t j = 0; !status && j < o->sources.data[i].nr; j++)
			status = cmd_run_line(ctx, (const char *const[]){ "report", "-D", "-i", o->sources.data[i].paths[j], NULL });
	return status;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct diff_options *o = options;
	struct strobe_error *err = diff_options_settle(o, ctx->rest.argc, ctx->rest.argv);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->request.verbose);
	if (o->dump)
		return dump(ctx, o);
	if (o->flamegraph || o->html || o->screen)
		return draw(ctx, o);
	return compare(ctx, o);
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "Compare recordings or profiles row by row",
	.usage = (const char *const[]){ "diff [<options>] [<old file>] [<new file> ...]",
					"diff [<options>] --before <files> --after <files>", NULL },
	.options = diff_option_table,
	.options_bytes = sizeof(struct diff_options),
	.defaults = diff_options_defaults,
	.release = diff_options_release,
	.run = run,
	.permute = true,
};
