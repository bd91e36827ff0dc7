/* Runs `strobe report`, once its options are parsed. */
#include "cmd/colours.h"
#include "cmd/report/run.h"
#include "cmd/report/screen.h"
#include "cmd/serve.h"
#include "page/report_page.h"

struct drawing {
	struct cmd_context *ctx;
	const struct report_options *o;
};

/* --flamegraph, --html, --web */
static struct strobe_error *draw(void *ctx, struct report_session *r)
{
	const struct drawing *d = ctx;
	const struct report_options *o = d->o;
	if (o->flamegraph)
		return report_flamegraph_write(r, o->flamegraph);
	if (o->html)
		return report_page_write(r, o->diff_base, o->html);
	struct report_page page;
	struct strobe_error *err = report_page_make(r, o->diff_base, &page);
	struct web_profile profile = { .name = page.options.title, .profile = page.profile, .options = page.options };
	if (!err)
		err = serve(d->ctx, &(struct web_options){ .address = o->http, .profiles = &profile, .profiles_nr = 1 });
	report_page_deinit(&page);
	return err;
}

static enum report_purpose purpose_of(const struct report_options *o)
{
	if (o->print.total_cycles)
		return REPORT_FOR_CYCLES;
	return report_pages(o) ? REPORT_FOR_PAGE : report_draws(o) ? REPORT_FOR_PICTURE : REPORT_FOR_ROWS;
}

static int report_printed(struct cmd_context *ctx, const struct report_options *o)
{
	struct out out;
	struct report_session r;
	struct drawing drawing = { ctx, o };
	struct recorded_print_options print = o->print;
	report_session_init(&r, &o->request);
	struct strobe_error *err = report_open(&r, cmd_host(ctx), o->request.selection.input, o->request.selection.force);
	if (err) {
		report_session_deinit(&r);
		return cmd_fail(ctx, err);
	}
	cmd_open_output(ctx, &out);
	colour_report(ctx, o->colour, &print.colours);
	print.draw = report_draws(o) ? draw : NULL;
	print.ctx = &drawing;
	err = recorded_print(&r, &print, &out);
	int status = cmd_close_output(ctx, &out), failed = cmd_fail(ctx, err);
	status = status ? status : failed;
	if (status != CMD_BROKEN_PIPE && !o->request.display.quiet)
		session_remarks(&r.session, o->request.verbose);
	report_session_deinit(&r);
	return status;
}

int report_run(struct cmd_context *ctx, struct report_options *o)
{
	o->request.program = ctx->program;
	o->request.purpose = purpose_of(o);
	struct screen *screen = report_open_screen(ctx, o);
	if (screen)
		return report_browse(ctx, o, screen);
	if (o->diff_base && !report_pages(o))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "--diff-base requires the full screen, --html or --web; "
			"see also flamegraph and pprof"));
	return report_printed(ctx, o);
}
