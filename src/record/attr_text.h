/*
 * The fields of an attr by name and as text, in perf's order and spelling: for evlist -v, headers, record -vv.
 *
 * As in perf, fields that are 0 are omitted. Bits unknown to perf have the names of the kernel's header.
 */
#pragma once
#include <linux/perf_event.h>

#include "base/strbuf.h"

/* The meaning of an attr's numbers on its machine. */
struct attr_names {
	const char *pmu;        /* of a type that is assigned at boot, and of one in the upper half of the config; or NULL */
	const char *tracepoint; /* or NULL */
	struct {
		const char *name;
		size_t bytes;
	} alias;                /* the PMU's name for the config; or NULL */
};

/*
 * names: adds names to type and config, "1 (PERF_TYPE_SOFTWARE)", and includes a config of 0, as the newest perf; NULL: only
 * numbers.
 */
void attr_each_field(const struct perf_event_attr *attr, const struct attr_names *names,
		     void (*fn)(void *ctx, const char *name, const char *value), void *ctx);

/* The same as lines of a name and a value each, the way -vv of perf shows an attr. */
void attr_lines(const struct perf_event_attr *attr, const struct attr_names *names, struct strbuf *ret);
