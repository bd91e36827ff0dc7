/* annotate: the code of the hottest function, or of the named one, on the screen of `report`. */
#include <string.h>

#include "cmd/annotate/options.h"
#include "cmd/report/screen.h"

static bool allows_screen(const struct annotate_command *o)
{
	return !o->as_text && o->format == RECORDED_CODE_TEXT && !o->raw && !o->types.shown && !o->request.display.quiet;
}

static struct report_options screen_options(const struct cmd_context *ctx, const struct annotate_command *o)
{
	struct report_options r = { .request = o->request, .colour = o->colour, .tui = o->tui };
	r.request.program = ctx->program;
	r.request.begins_with_code = true;
	/* A comma separates names, or is part of a C++ name. */
	if (o->symbol && strchr(o->symbol, ','))
		r.request.filter.symbol_filter = o->symbol;
	else
		r.request.filter.symbols = o->symbol;
	r.request.code.look.types = o->with_types;
	r.request.code.look.unit = o->show_samples ? CODE_SAMPLES : o->show_period ? CODE_PERIOD : CODE_PERCENT;
	return r;
}

bool annotate_on_screen(struct cmd_context *ctx, const struct annotate_command *o, int *ret_status)
{
	if (!allows_screen(o))
		return false;
	struct report_options rows = screen_options(ctx, o);
	struct screen *screen = report_open_screen(ctx, &rows);
	if (!screen)
		return false;
	*ret_status = report_browse(ctx, &rows, screen);
	return true;
}
