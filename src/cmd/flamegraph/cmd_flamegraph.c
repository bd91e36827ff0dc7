/* strobe flamegraph: a recording or a profile as a flame graph (SVG), a page, or folded stacks. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/out.h"
#include "cmd/flamegraph/options.h"
#include "session/input.h"

static struct strobe_error *write_view(void *ctx, struct out *out)
{
	return flame_output_write(ctx, out);
}

static struct strobe_error *write_colours(void *ctx, struct out *out)
{
	const struct flame_output *f = ctx;
	name_colours_write(&f->colours, out);
	return NULL;
}

static struct strobe_error *write_stdout(struct cmd_context *ctx, struct flame_output *f, int *ret_status)
{
	struct out out;
	cmd_open_output(ctx, &out);
	struct strobe_error *err = flame_output_write(f, &out);
	*ret_status = cmd_close_output(ctx, &out);
	return err;
}

static struct strobe_error *write_output(struct cmd_context *ctx, const struct flamegraph_command *o, struct flame_output *f,
					 int *ret_status)
{
	const char *path = o->output;
	if (!path && !o->draw.folded && isatty(STDOUT_FILENO))
		path = FLAMEGRAPH_DEFAULT_OUTPUT;
	bool is_stdout = !path || !strcmp(path, "-");
	TRY(is_stdout ? write_stdout(ctx, f, ret_status) : new_file_write_by(path, write_view, f));
	if (o->draw.colours_file)
		TRY(new_file_write_by(o->draw.colours_file, write_colours, f));
	if (!is_stdout && !o->output)
		cmd_say(ctx, "wrote %s; open it in a browser", path);
	return NULL;
}

static int show(struct cmd_context *ctx, const struct flamegraph_command *o, struct flame_output *f)
{
	int status = CMD_OK;
	struct strobe_error *err = flame_output_prepare(f);
	if (!err)
		err = write_output(ctx, o, f, &status);
	int failed = cmd_fail(ctx, err);
	return status ? status : failed;
}

/* An error of reading is returned last: the valid part is drawn nevertheless. */
static int draw(struct cmd_context *ctx, const struct flamegraph_command *o)
{
	struct flame_output f;
	int status = CMD_OK;
	struct strobe_error *err = flame_output_read(&f, cmd_host(ctx), &o->draw);
	if (!err || flame_output_has_samples(&f))
		status = show(ctx, o, &f);
	int failed = cmd_fail(ctx, err);
	if (status != CMD_BROKEN_PIPE)
		flame_output_remarks(&f);
	flame_output_deinit(&f);
	return status ? status : failed;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct flamegraph_command *o = options;
	struct strobe_error *err = flamegraph_options_finish(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	return draw(ctx, o);
}

const struct cmd cmd_flamegraph = {
	.name = "flamegraph",
	.summary = "Draw a flame graph (SVG) of perf.data (created by record), or print folded stacks",
	.usage = (const char *const[]){ "flamegraph [<options>] [<file>]", "flamegraph --folded [<options>] [<file>]", NULL },
	.options = flamegraph_option_table,
	.options_bytes = sizeof(struct flamegraph_command),
	.defaults = flamegraph_option_defaults,
	.run = run,
	.permute = true,
};
