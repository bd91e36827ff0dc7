#include "session/report/times.h"

#include "base/mem.h"
#include "session/report/reread.h"

static struct strobe_error *check(const struct report_session *r, const struct resolve_stats *stats)
{
	if (!stats)
		return error_create(ERROR_UNSUPPORTED, "the samples of a profile that another program wrote have no timestamps");
	for (size_t i = 0; i < r->session.env->events.len; i++)
		if (!(r->session.env->events.data[i].attr.sample_type & PERF_SAMPLE_TIME))
			return error_create(ERROR_UNSUPPORTED, "the samples of '%s' have no timestamps (record -T)",
					    r->session.env->events.data[i].name);
	if (!stats->last_ns)
		return error_create(ERROR_UNSUPPORTED, "no samples with timestamps");
	return NULL;
}

static void count(const struct profile *p, const struct report_part *part, struct time_counts *t)
{
	uint32_t time = profile_find_column(p, "time");
	for (size_t i = 0; time != PROFILE_NONE && i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		uint64_t at = profile_label_values(p, row->labels)[time];
		uint64_t step = at >= t->first_ns ? (at - t->first_ns) / t->step_ns : UINT64_MAX;
		if (step < t->nr && report_part_counts(part, row->event))
			t->samples[step] += row->samples;
	}
}

struct strobe_error *report_count_times(const struct report_session *r, const struct report_part *part, struct time_range span, unsigned n,
					struct time_counts *ret)
{
	const struct resolve_stats *stats = r->session.resolver ? resolver_stats(r->session.resolver) : NULL;
	struct report_session how = *r;
	struct profile *counted;
	TRY(check(r, stats));
	if (!span.to_ns)
		span = (struct time_range){ stats->first_ns, stats->last_ns };
	/* Times are rounded to steps: the span may touch one step more than its length. */
	uint64_t step = (span.to_ns - span.from_ns) / (n - 1) + 1, first = span.from_ns - span.from_ns % step;
	how.request.grouping.time_quantum_ns = step;
	how.query.branch_mode = false; /* samples, not branches */
	how.query.needs_times = true;
	TRY(report_reread(r, &how, &counted));
	*ret = (struct time_counts){ .span = span, .first_ns = first, .step_ns = step, .nr = (unsigned)((span.to_ns - first) / step) + 1 };
	ret->samples = xcalloc(ret->nr, sizeof(*ret->samples));
	count(counted, part, ret);
	profile_destroy(counted);
	return NULL;
}
