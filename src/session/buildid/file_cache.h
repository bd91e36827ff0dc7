/*
 * Adds files by name to the build ID cache, and removes them: for buildid-cache.
 *
 * One thread; errors name the file.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct debuginfod;

/* All is borrowed. */
struct file_cache {
	const char *dir;
	struct debuginfod *servers; /* of debug files that are not installed; or NULL */
	uint32_t pid;               /* process in whose view names are; 0: ours */
	/* Called for each entry that was added, removed or updated. */
	void (*done)(void *ctx, const char *doing, const char *hex, const char *path);
	void *ctx;
};

/* The file, its debug file and its markers. */
struct strobe_error *file_cache_add(const struct file_cache *c, const char *file) _must_check_;
/* The entry of the file's build ID. */
struct strobe_error *file_cache_remove(const struct file_cache *c, const char *file) _must_check_;
/* All entries of the file's path. ERROR_NOT_FOUND: there is none. */
struct strobe_error *file_cache_purge(const struct file_cache *c, const char *file) _must_check_;
/* Replaces the entry with the same build ID; entries of older files of the path remain, since older recordings need them. */
struct strobe_error *file_cache_update(const struct file_cache *c, const char *file) _must_check_;
/* All entries; fail() takes the error of each that cannot be removed. */
void file_cache_clear(const struct file_cache *c, void (*fail)(void *ctx, struct strobe_error *err));
