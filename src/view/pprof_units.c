#include "view/pprof_units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *shown;
	const char *names[4]; /* in lower case, without a plural s */
	double factor;
};

struct family {
	const char *fallback; /* for values too small for all, and for units of another family */
	double fallback_factor;
	const struct unit *units;
	size_t units_nr;
};

static const struct unit bytes[] = {
	{ "B", { "b", "byte" }, 1 },
	{ "kB", { "kb", "kbyte", "kilobyte" }, 0x1p10 },
	{ "MB", { "mb", "mbyte", "megabyte" }, 0x1p20 },
	{ "GB", { "gb", "gbyte", "gigabyte" }, 0x1p30 },
	{ "TB", { "tb", "tbyte", "terabyte" }, 0x1p40 },
	{ "PB", { "pb", "pbyte", "petabyte" }, 0x1p50 },
};

static const struct unit times[] = {
	{ "ns", { "ns", "nanosecond" }, 1 },
	{ "us", { "us", "microsecond", "\xce\xbcs" }, 1e3 },
	{ "ms", { "ms", "millisecond" }, 1e6 },
	{ "s", { "s", "sec", "second" }, 1e9 },
	{ "hrs", { "hour", "hr" }, 3600e9 },
};

#define FAMILY(shown, factor, table) { shown, factor, table, sizeof(table) / sizeof(*table) }
static const struct family families[] = { FAMILY("B", 1, bytes), FAMILY("s", 1e9, times) };

static bool is_called(const struct unit *u, const char *name, size_t n)
{
	for (size_t i = 0; i < 4 && u->names[i]; i++)
		if (!strncasecmp(u->names[i], name, n) && !u->names[i][n])
			return true;
	return false;
}

static const struct unit *find_unit(const struct family *f, const char *name)
{
	size_t n = strlen(name);
	if (n > 2 && (name[n - 1] == 's' || name[n - 1] == 'S'))
		n--;
	for (size_t i = 0; i < f->units_nr; i++)
		if (is_called(&f->units[i], name, n))
			return &f->units[i];
	return NULL;
}

static struct scaled_value scale_within(const struct family *f, double value, const char *to)
{
	const struct unit *best = NULL;
	if (!strcmp(to, "minimum") || !strcmp(to, "auto")) {
		for (size_t i = 0; i < f->units_nr; i++)
			if (value / f->units[i].factor >= 1)
				best = &f->units[i];
	} else {
		best = find_unit(f, to);
	}
	if (!best)
		return (struct scaled_value){ value / f->fallback_factor, f->fallback };
	return (struct scaled_value){ value / best->factor, best->shown };
}

static bool says_nothing(const char *unit)
{
	static const char *const words[] = { "count", "sample", "unit", "minimum", "auto" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(unit, words[i]))
			return true;
	return false;
}

struct scaled_value pprof_scale(int64_t value, const char *from, const char *to)
{
	if (value < 0 && value != INT64_MIN) {
		struct scaled_value v = pprof_scale(-value, from, to);
		v.value = -v.value;
		return v;
	}
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		const struct unit *u = find_unit(&families[i], from);
		if (u)
			return scale_within(&families[i], (double)value * u->factor, to);
	}
	return (struct scaled_value){ (double)value, says_nothing(to) ? "" : to };
}

void pprof_label(int64_t value, const char *from, const char *to, char ret[static PPROF_LABEL_MAX])
{
	struct scaled_value v = pprof_scale(value, from, to);
	char number[40];
	int n = snprintf(number, sizeof(number), "%.2f", v.value);
	if (n > 3 && !strcmp(number + n - 3, ".00"))
		number[n - 3] = 0;
	bool is_zero = !strcmp(number, "0") || !strcmp(number, "-0");
	snprintf(ret, PPROF_LABEL_MAX, "%s%s", is_zero ? "0" : number, is_zero ? "" : v.unit);
}

void pprof_percentage(int64_t value, int64_t total, char ret[static PPROF_LABEL_MAX])
{
	double ratio = total ? fabs((double)value / (double)total) * 100 : 0;
	if (ratio >= 99.95 && ratio <= 100.05)
		snprintf(ret, PPROF_LABEL_MAX, "  100%%");
	else
		snprintf(ret, PPROF_LABEL_MAX, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
}
