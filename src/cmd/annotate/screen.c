/* annotate: the code of the hottest function, or of the one that is named, on the screen of `report`. */
#include <string.h>

#include "cmd/annotate/annotate.h"
#include "cmd/report/screen.h"

static bool is_wanted(const struct annotate_command *o)
{
	return !o->as_text && o->format == ANNOTATE_STDIO && !o->raw && !o->quiet;
}

/* Functions are rows, the hottest first, without their callers. */
static void set_up_rows(const struct annotate_command *o, struct report_options *r)
{
	report_options_defaults(r);
	r->input = o->input;
	r->force = o->force;
	r->comms = o->comms;
	r->dsos = o->dsos;
	/* A comma stands between names, or within one of C++. */
	if (o->symbol && strchr(o->symbol, ','))
		r->symbol_filter = o->symbol;
	else
		r->symbols = o->symbol;
	r->cpus = o->cpus;
	r->pids = o->pids;
	r->tids = o->tids;
	r->times = o->times;
	r->sort = "symbol,dso";
	r->children = r->inlined = false;
	r->chains.mode = CALLTREE_NONE;
	r->group = o->group;
	r->group_set = o->group_set;
	r->percent_limit = o->percent_limit;
	r->percent_limit_set = true;
	r->colour = o->colour;
	r->tui = o->tui;
	r->verbose = o->verbose;
	r->symbol_files = o->symbol_files;
}

static void set_up_code(const struct annotate_command *o, struct report_code *c)
{
	c->event = o->events;
	c->look = (struct code_look){
		.share = o->share,
		.unit = o->show_samples ? CODE_SAMPLES : o->show_period ? CODE_PERIOD : CODE_PERCENT,
		.raw = o->raw_bytes,
		.no_source = !o->source,
		.line_numbers = o->print_line,
		.full_paths = o->full_paths,
	};
	c->options = (struct annotate_options){
		.syntax = o->syntax,
		.source_prefix = o->prefix,
		.source_strip = o->prefix_strip,
	};
}

bool annotate_on_screen(struct cmd_context *ctx, const struct annotate_command *o, int *ret_status)
{
	struct report_options rows = {};
	if (!is_wanted(o))
		return false;
	set_up_rows(o, &rows);
	set_up_code(o, &rows.code);
	rows.begins_with_code = true;
	struct screen *screen = report_open_screen(ctx, &rows);
	if (!screen)
		return false;
	*ret_status = report_browse(ctx, &rows, screen);
	return true;
}
