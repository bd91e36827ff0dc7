/* Statistics of the samples between two reports of a live profile; the report itself covers all samples so far. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct report_refresh {
	uint64_t number;
	double seconds;                  /* since the previous refresh */
	uint64_t samples;                /* number since then, shown or not */
	uint64_t kernel_samples, exact_samples; /* of those */
	uint64_t lost, lost_total;       /* dropped by the kernel for lack of room */
	uint64_t dropped, dropped_total; /* unreadable */
	bool in_kernel;                  /* samples were aggregated there; false: each came through a ring */
};
