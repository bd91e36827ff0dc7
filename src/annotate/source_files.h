/*
 * Finds source files by the paths in profiles, in the same way as go tool pprof.
 *
 * trim: prefixes to remove, separated by ':'. Without any, a path that contains the name of a directory of the search path is cut
 * after that name. A path that is then relative is searched in each directory of the search path (the current directory if there is
 * none) and in its parents. One that is still absolute is opened unchanged: the profile may name any readable file as source, as in
 * go tool pprof. If other users see the result, below_only limits it to the search path. Paths are untrusted: only regular files are
 * read. One thread.
 */
#pragma once
#include "base/arena.h"
#include "base/lines.h"
#include "base/vector.h"

struct source_paths {
	const char *search, *trim; /* NULL or "": not given */
	bool below_only;           /* only files that are, after resolving links, below a directory of the search path */
};

struct source_file {
	const char *path;
	struct lines lines;  /* empty if it cannot be read */
	const char *problem; /* the reason, or NULL */
};

struct source_files {
	struct arena arena;
	struct source_paths paths;
	VEC(struct source_file *) files;
	struct source_file *last;
};

/* Borrows the strings of paths. */
void source_files_init(struct source_files *s, const struct source_paths *paths);
void source_files_deinit(struct source_files *s);
/* Reads the file on the first call for a path; never NULL. */
const struct source_file *source_files_get(struct source_files *s, const char *path);

/* Reads one file. ERROR_NOT_FOUND and others in the wording of go tool pprof; *ret is empty then. */
struct strobe_error *source_file_read(const struct source_paths *paths, const char *path, struct lines *ret) _must_check_;

/* The path without the prefix that trim or search removes. */
const char *source_path_trimmed(struct arena *a, const char *path, const struct source_paths *paths);
