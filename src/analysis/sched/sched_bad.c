#include "analysis/sched/sched_bad.h"

#include <inttypes.h>

bool sched_bad_switch(struct sched_bad *b, const struct sched_event *e)
{
	if (e->cpu >= SCHED_CPUS_MAX)
		return false;
	b->switch_bugs += b->is_seen[e->cpu] && b->current[e->cpu] != e->prev_pid;
	b->is_seen[e->cpu] = true;
	b->current[e->cpu] = e->next_pid;
	return true;
}

static double percent(uint64_t part, uint64_t all)
{
	return (double)part / (double)all * 100.0;
}

void sched_bad_put(const struct sched_bad *b, const struct sched_source_counts *c, struct out *out)
{
	if (b->unordered && b->timestamps)
		out_f(out, "  INFO: %.3f%% unordered timestamps (%" PRIu64 " out of %" PRIu64 ")\n", percent(b->unordered, b->timestamps),
		      b->unordered, b->timestamps);
	if (c->lost && c->records)
		out_f(out, "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64 ", in %" PRIu64 " chunks)\n",
		      percent(c->lost, c->records), c->lost, c->records, c->lost_records);
	if (b->switch_bugs && b->timestamps)
		out_f(out, "  INFO: %.3f%% context switch bugs (%" PRIu64 " out of %" PRIu64 ")%s\n",
		      percent(b->switch_bugs, b->timestamps), b->switch_bugs, b->timestamps, c->lost ? " (due to lost events?)" : "");
}
