/* top: one report after the other as text or JSON. */
#include <unistd.h>

#include "cmd/colours.h"
#include "cmd/top/run.h"
#include "view/live/printing.h"

struct strobe_error *top_stdio(struct top_run *t)
{
	struct out out;
	struct live_print_options options = {
		.display = &t->o->display,
		.text = { .as_json = t->o->json, .is_terminal = !t->o->json && isatty(STDOUT_FILENO) },
		.out = &out,
		.refreshes = t->o->refreshes,
		.stop_fd = t->signals.fd,
		.is_stopped = top_take_signals,
		.ctx = t,
	};
	colour_listing(t->ctx, t->o->colour, &options.text.style);
	out_init_fd(&out, STDOUT_FILENO);
	struct strobe_error *err = live_print(&t->report, &options);
	err = error_first(err, out_close(&out));
	if (t->report.live.has_ended)
		cmd_say(t->ctx, "all targets have exited");
	return err;
}
