/*
 * Markers of programs (SDT, USDT) in the build ID cache.
 *
 * DIR/.build-id/xx/yy… is a link to the directory of a file; its "probes" has a line "%sdt_provider:name=…" for each
 * marker. Source: perf-buildid-cache(1), perf-probe(1). Unreadable entries are skipped.
 */
#pragma once
#include <stdbool.h>

#include "sys/sys.h"

struct sdt_marker {
	const char *name;     /* "sdt_libc:setjmp" */
	const char *build_id; /* hex */
	const char *path;     /* of the file */
	bool shared_name;     /* another file has a marker of this name */
};

/* By name, then build-id; strings are valid during the call; fn returns false to stop. */
void sdt_cache_each(const struct sys *sys, const char *dir, bool (*fn)(void *ctx, const struct sdt_marker *marker), void *ctx);
