/*
 * What was sampled between two reports of a live profile: the report itself is of what was counted by then.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct report_refresh {
	uint64_t number;
	double seconds;                  /* since the refresh before */
	uint64_t samples;                /* that came in them, shown or not */
	uint64_t kernel_samples, exact_samples; /* of those */
	uint64_t lost, lost_total;       /* the kernel had no room for them */
	uint64_t dropped, dropped_total; /* could not be read */
	bool in_kernel;                  /* samples were aggregated there; false: each came through a ring */
};
