/*
 * Values as pprof writes them: scaled within their family of units, with up to two decimals.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct scaled_value {
	double value;
	const char *unit; /* "" for units without a meaning; static, or `to` itself */
};

/* to: a unit, or "minimum" or "auto" for the largest unit in which the value is at least 1. */
struct scaled_value pprof_scale(int64_t value, const char *from, const char *to);

#define PPROF_LABEL_MAX 64
/* "1.50s", "12MB", "0". */
void pprof_label(int64_t value, const char *from, const char *to, char ret[static PPROF_LABEL_MAX]);
/* "  100%", " 5.00%", " 0.1%": at least two digits. */
void pprof_percentage(int64_t value, int64_t total, char ret[static PPROF_LABEL_MAX]);
