/* A profile as shown by a report of pprof: the event, the selected data, and the total for percentages. */
#pragma once
#include "pprof/report.h"

struct pprof_shown {
	const struct profile *p;
	struct profile *own; /* p, if anything was selected or renamed; else NULL */
	uint32_t event;
	int64_t total;
};

/* Call pprof_shown_deinit() in any case. */
struct strobe_error *pprof_shown_init(struct pprof_shown *s, const struct pprof_input *in, const struct pprof_config *config,
				      enum pprof_output output) _must_check_;
void pprof_shown_deinit(struct pprof_shown *s);
