/* Runs `strobe annotate`, once its options are parsed. */
#include "cmd/annotate/options.h"
#include "cmd/colours.h"
#include "session/input.h"

int annotate_run(struct cmd_context *ctx, const struct annotate_command *o)
{
	struct session session;
	struct out out;
	bool is_incomplete;
	struct recorded_code_options options = {
		.request = &o->request,
		.symbol = o->symbol,
		.skip_missing = o->skip_missing,
		.raw = o->raw,
		.with_types = o->with_types,
		.types = o->types,
		.format = o->format,
		.shown = o->show_samples ? LISTING_SHOW_SAMPLES : o->show_period ? LISTING_SHOW_PERIOD : LISTING_SHOW_PERCENT,
	};
	struct strobe_error *err = session_open(&session, cmd_host(ctx), o->request.selection.input, o->request.selection.force);
	if (err)
		return cmd_fail(ctx, err);
	cmd_open_output(ctx, &out);
	colour_listing(ctx, o->colour, &options.colours);
	err = recorded_code_print(&session, &options, &out, &is_incomplete);
	int status = cmd_close_output(ctx, &out);
	int failed = err ? cmd_fail(ctx, err) : is_incomplete ? CMD_FAILED : CMD_OK;
	status = status ? status : failed;
	if (status != CMD_BROKEN_PIPE && !o->request.display.quiet)
		input_remarks(cmd_host(ctx), session.reader, session.resolver ? resolver_stats(session.resolver) : NULL);
	session_close(&session);
	return status;
}
