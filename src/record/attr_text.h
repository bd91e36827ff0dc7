/*
 * The fields of an attr by name and as text, in perf's order and spelling: for evlist -v, headers, record -vv.
 *
 * Fields that are 0 are left out, as perf leaves them out. Bits that perf does not know are named as the kernel's header
 * names them.
 */
#pragma once
#include <linux/perf_event.h>

#include "base/strbuf.h"

/* What numbers of an attr stand for on the machine that it is of. */
struct attr_names {
	const char *pmu;        /* of a type that is assigned at boot, and of one in the upper half of the config; or NULL */
	const char *tracepoint; /* or NULL */
	struct {
		const char *name;
		size_t bytes;
	} alias;                /* what the PMU calls the config; or NULL */
};

/*
 * names: the type and the config have their names after them, "1 (PERF_TYPE_SOFTWARE)", and a config of 0 is given as well, as
 * the newest perf has it; NULL: numbers alone.
 */
void attr_each_field(const struct perf_event_attr *attr, const struct attr_names *names,
		     void (*fn)(void *ctx, const char *name, const char *value), void *ctx);

/* The same as lines of a name and a value each, the way -vv of perf shows an attr. */
void attr_lines(const struct perf_event_attr *attr, const struct attr_names *names, struct strbuf *ret);
