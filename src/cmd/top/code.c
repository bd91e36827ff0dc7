/* top: the code of one function in place of the report (--sym-annotate), and the symbols that were used (-D). */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cmd/colours.h"
#include "cmd/top/run.h"
#include "session/report/code.h"

/* The row of the function, in the first event that has one. */
static const struct hist_entry *find_row(const struct report *r, const char *name, const struct report_part **ret_part)
{
	for (uint32_t i = 0; i < r->parts_nr; i++) {
		const struct hist *h = r->parts[i].hist;
		for (uint32_t j = 0; j < h->order_nr; j++) {
			const struct hist_entry *e = &h->entries.data[h->order[j]];
			const struct profile_function *f = hist_function(h, e);
			*ret_part = &r->parts[i];
			if (f && f->mapping != PROFILE_NONE && !strcmp(profile_str(h->profile, f->name), name))
				return e;
		}
	}
	return NULL;
}

struct strobe_error *top_print_code(struct top_run *t, const struct report *r, double least_percent, struct out *out)
{
	const struct report_part *part;
	const struct hist_entry *row = find_row(r, t->o->annotate, &part);
	struct listing *l;
	if (!row) {
		out_str(out, "no samples in ");
		out_text_str(out, t->o->annotate);
		out_ch(out, '\n');
		return NULL;
	}
	const struct profile_function *f = hist_function(part->hist, row);
	TRY(report_listing(&t->report, t->report.profile, part, f->mapping, f->start, &l));
	struct listing_text_options options = {
		.shown = t->o->report.grouping.show_samples ? LISTING_SHOW_SAMPLES :
			 t->o->report.grouping.show_period  ? LISTING_SHOW_PERIOD : LISTING_SHOW_PERCENT,
		.with_source = !t->o->report.code.look.no_source,
		.raw_bytes = t->o->report.code.look.raw,
		.title = part->event_name,
		.least_percent = least_percent,
	};
	colour_listing(t->ctx, t->o->colour, &options);
	text_listing(out, l, &options);
	listing_destroy(l);
	return NULL;
}

static void dump_symbol(void *ctx, const struct symbol *sym)
{
	/* STB_LOCAL, STB_GLOBAL, STB_WEAK */
	static const char bindings[] = { 'l', 'g', 'w' };
	char binding = sym->binding < sizeof(bindings) ? bindings[sym->binding] : '?';
	out_f(ctx, " %" PRIx64 "-%" PRIx64 " %c ", sym->start, sym->end, binding);
	out_text(ctx, sym->raw_name, strlen(sym->raw_name));
	out_ch(ctx, '\n');
}

static void dump_dso(void *ctx, struct dso *d)
{
	struct dso_facts facts = dso_facts(d);
	if (!facts.loaded)
		return;
	out_str(ctx, "dso: ");
	out_text_str(ctx, facts.long_name ? facts.long_name : "?");
	out_f(ctx, " (%s)\n", facts.source ? facts.source : "no symbols");
	dso_each_symbol(d, dump_symbol, ctx);
}

void top_dump_symbols(const struct top_run *t)
{
	struct out out;
	out_init_fd(&out, STDERR_FILENO);
	symbols_each_dso(resolver_symbols(t->report.session.resolver), dump_dso, &out);
	error_destroy(out_close(&out));
}
