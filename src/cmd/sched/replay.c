/* strobe sched replay: repeats the scheduling of a recording's threads with new threads. */
#include "analysis/sched/sched_replay.h"

#include "cmd/frame.h"
#include "cmd/sched/subcommands.h"

#define DEFAULT_ROUNDS 10

struct replay_options {
	struct cmd_common common;
	struct sched_replay_request replay;
	const char *format;
};

#define AT(field) offsetof(struct replay_options, field)
static const struct option table[] = {
	COMMON_OPTIONS(AT(common)),
	{ OPTION_U64, 'r', "repeat", AT(replay.repeat), .arg = "n", .help = "number of repetitions (default: 10; 0: until Ctrl-C)" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "text|json|csv", .help = "output format" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	((struct replay_options *)options)->replay.repeat = DEFAULT_ROUNDS;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct replay_options *o = options;
	struct sched_replay *r;
	struct out out;
	struct strobe_error *err = subcommand_no_words(ctx);
	err = err ? err : table_format_parse(o->format, &o->replay.format);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->common.verbose);
	if (o->common.dump)
		return subcommand_dump(ctx, &o->common);
	o->replay.source = (struct sched_source_request){ .host = cmd_host(ctx), .input = o->common.input, .force = o->common.force };
	err = sched_replay_read(&o->replay, &r);
	cmd_open_output(ctx, &out);
	if (!err) {
		sched_replay_calibrate(r, &out);
		sched_replay_put_plan(r, &out);
		err = sched_replay_run(r, &out);
	}
	int status = cmd_finish(ctx, &out, err);
	sched_replay_destroy(r);
	return status;
}

const struct cmd cmd_sched_replay = {
	.name = "sched replay",
	.summary = "Replay the activity of threads in a recording",
	.usage = (const char *const[]){ "sched replay [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct replay_options),
	.defaults = set_defaults,
	.run = run,
	.permute = true,
};
