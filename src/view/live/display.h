/*
 * Display of reports of a live profile: set by options, changed by keys. Strings are borrowed.
 */
#pragma once
#include "session/live/live.h"

struct live_display {
	struct live_settings sampling;
	uint64_t rows;             /* 0: as many as fit */
	uint64_t samples_above;    /* only rows with more samples */
	uint32_t event;            /* only this one, from 1; 0: all */
	const char *function;      /* show its code in place of rows; or NULL */
	double code_least_percent; /* lines of code with less are left out */
};
