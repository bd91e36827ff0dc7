/*
 * A file to be added to the build ID cache: opens it, reads its build ID, and finds its debug file and markers.
 *
 * buildid-cache adds files that the user names; archive those that a recording names.
 */
#pragma once
#include "base/error.h"
#include "object/buildid_cache.h"
#include "object/object.h"

struct cached_file {
	char *path;              /* real path in the view of the process, under which it is stored */
	char *source;            /* path to open */
	char hex[BUILDID_HEX_MAX];
	struct object *object;
};

/* pid: the process whose view is used, 0 = ours. ERROR_NOT_FOUND if the file has no build ID. */
struct strobe_error *cached_file_open(const char *path, uint32_t pid, struct cached_file *ret) _must_check_;
void cached_file_close(struct cached_file *f);
struct debuginfod;
/* The path of a separate debug file, installed or from the servers (may be NULL); the caller frees it; NULL: none. */
char *cached_file_debug(const struct cached_file *f, struct debuginfod *servers);
/* Adds the file itself, its debug file, and its markers. */
struct strobe_error *cached_file_add(const char *dir, const struct cached_file *f, struct debuginfod *servers) _must_check_;
