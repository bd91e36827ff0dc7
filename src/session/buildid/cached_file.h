/*
 * A file on its way into the build-id cache: opened, its build-id read, its other halves (debug file, markers) found.
 *
 * buildid-cache adds files that the user names; archive those that a recording names.
 */
#pragma once
#include "base/error.h"
#include "object/buildid_cache.h"
#include "object/object.h"

struct cached_file {
	char *path;              /* real path, as the process sees it: what it is filed under */
	char *source;            /* where it can be opened */
	char hex[BUILDID_HEX_MAX];
	struct object *object;
};

/* pid: whose files are meant, 0 = ours. ERROR_NOT_FOUND where the file has no build-id. */
struct strobe_error *cached_file_open(const char *path, uint32_t pid, struct cached_file *ret) _must_check_;
void cached_file_close(struct cached_file *f);
struct debuginfod;
/* The path of a separate debug file where one is installed or the servers (or NULL) have one, for the caller to free; or NULL. */
char *cached_file_debug(const struct cached_file *f, struct debuginfod *servers);
/* The file itself, such a debug file, and its markers. */
struct strobe_error *cached_file_add(const char *dir, const struct cached_file *f, struct debuginfod *servers) _must_check_;
