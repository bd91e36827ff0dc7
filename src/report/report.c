/* Selects the rows and call trees of a report to show, and computes shares. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

#define Z95 1.959963984540054 /* of the normal distribution, for 95 % */

struct report_interval report_interval(uint64_t value, uint64_t total, uint64_t samples)
{
	if (!total || !samples)
		return (struct report_interval){ 0, 100 };
	double n = (double)samples, p = (double)value / (double)total, z2 = Z95 * Z95;
	if (p > 1)
		p = 1;
	double center = (p + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	return (struct report_interval){ 100 * fmax(0, center - half), 100 * fmin(1, center + half) };
}

void report_rows_init(struct report_rows *rows, const struct report *r, const struct report_part *p)
{
	const struct hist *h = p->hist;
	*rows = (struct report_rows){ .entries = xreallocarray(NULL, h->order_nr + 1, sizeof(*rows->entries)) };
	for (uint32_t i = 0; i < h->order_nr; i++)
		if (report_shows(r, p, &h->entries.data[h->order[i]]))
			rows->entries[rows->nr++] = h->order[i];
	if (r->show_chains && p->has_chains)
		rows->trees = calltrees_create(h, r->chains, rows->entries, rows->nr);
}

void report_rows_deinit(struct report_rows *rows)
{
	free(rows->entries);
	calltrees_destroy(rows->trees);
	*rows = (struct report_rows){};
}

void report_frame_name(const struct hist *h, frame_id frame, bool by_address, struct strbuf *out)
{
	const struct profile *p = h->profile;
	const struct profile_frame *f = &p->frames.data[frame];
	if (f->function == PROFILE_NONE) {
		strbuf_addf(out, "%#llx", (unsigned long long)f->ip);
		return;
	}
	const struct profile_function *fn = &p->functions.data[f->function];
	strbuf_addstr(out, profile_str(p, fn->name));
	if (by_address && f->line) {
		const char *file = profile_str(p, fn->file);
		strbuf_addf(out, " %s:%u", text_base_name(file), f->line);
	} else if (by_address && fn->size) {
		strbuf_addf(out, " +%llu", (unsigned long long)(f->addr - fn->start));
	}
	if (f->flags & FRAME_INLINED)
		strbuf_addstr(out, " (inlined)");
}
