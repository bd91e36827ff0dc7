/*
 * What reports of a live profile show, as options say it at the beginning and keys change it. Strings are borrowed.
 */
#pragma once
#include "session/live/live.h"

struct live_display {
	struct live_settings sampling;
	uint64_t rows;             /* 0: as many as there is room for */
	uint64_t samples_above;    /* only rows with more samples */
	uint32_t event;            /* only this one, from 1; 0: all */
	const char *function;      /* its code in place of the rows, or NULL */
	double code_least_percent; /* lines of code with less are left out */
};
