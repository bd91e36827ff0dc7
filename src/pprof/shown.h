/*
 * A profile as a report of pprof shows it: its event, what is selected of it, and the total that percentages are of.
 */
#pragma once
#include "pprof/report.h"

struct pprof_shown {
	const struct profile *p;
	struct profile *own; /* p, where anything was selected or renamed; else NULL */
	uint32_t event;
	int64_t total;
};

/* pprof_shown_deinit() in any case. */
struct strobe_error *pprof_shown_init(struct pprof_shown *s, const struct pprof_input *in, const struct pprof_config *config,
				      enum pprof_output output) _must_check_;
void pprof_shown_deinit(struct pprof_shown *s);
