/*
 * Addresses and build IDs of the running kernel and its modules, for buildid-list --kernel-maps.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "object/buildid_cache.h"
#include "sys/sys.h"

struct kernel_map {
	const char *name; /* in brackets */
	uint64_t start, end;
	char hex[BUILDID_HEX_MAX]; /* "": its build ID is not known */
};

struct kernel_maps {
	struct arena arena; /* of the names */
	VEC(struct kernel_map) list; /* the kernel, then its modules, the newest first */
};

/* ERROR_PERMISSION if addresses are hidden. Call kernel_maps_deinit() in any case. */
struct strobe_error *kernel_maps_read(const struct sys *sys, struct kernel_maps *ret) _must_check_;
void kernel_maps_deinit(struct kernel_maps *m);
