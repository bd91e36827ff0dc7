#include "analysis/sched/sched_delays.h"

uint64_t sched_delay_start(unsigned bucket)
{
	return bucket < 4 ? bucket : (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

uint64_t sched_delay_percentile(const uint32_t *buckets, double share, uint64_t max_ns)
{
	uint64_t total = 0, before = 0;
	for (unsigned i = 0; i < SCHED_DELAY_BUCKETS; i++)
		total += buckets[i];
	double rank = share * (double)total;
	for (unsigned i = 0; i < SCHED_DELAY_BUCKETS && total; i++) {
		if (buckets[i] && (double)(before + buckets[i]) >= rank) {
			double start = (double)sched_delay_start(i), end = (double)sched_delay_start(i + 1);
			double at = start + (end - start) * (rank - (double)before) / buckets[i];
			return at < (double)max_ns ? (uint64_t)at : max_ns;
		}
		before += buckets[i];
	}
	return 0;
}
