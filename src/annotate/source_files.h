/*
 * Source files by the paths that profiles have for them: looked for as go tool pprof does.
 *
 * trim: prefixes to remove, separated by ':'. Without any, all up to the name of a directory of the search path is removed,
 * that name included, where a path contains it. A path that is then relative is searched for in each directory of the search
 * path (the current directory if there is none) and in those above it. One that is still absolute is opened as it is: the
 * source of a function is any readable file that the profile names, as with go tool pprof. Where other users see the result,
 * below_only limits it to the search path. Paths are untrusted: only regular files are read. One thread.
 */
#pragma once
#include "base/arena.h"
#include "base/lines.h"
#include "base/vector.h"

struct source_paths {
	const char *search, *trim; /* NULL or "": not given */
	bool below_only;           /* no file that does not lie, links followed, below a directory of the search path */
};

struct source_file {
	const char *path;
	struct lines lines;  /* empty where it cannot be read */
	const char *problem; /* why, or NULL */
};

struct source_files {
	struct arena arena;
	struct source_paths paths;
	VEC(struct source_file *) files;
	struct source_file *last;
};

/* The texts of paths are borrowed. */
void source_files_init(struct source_files *s, const struct source_paths *paths);
void source_files_deinit(struct source_files *s);
/* Read on the first call for a path; never NULL. */
const struct source_file *source_files_get(struct source_files *s, const char *path);

/* One file alone. ERROR_NOT_FOUND and others in the words of go tool pprof; *ret is empty then. */
struct strobe_error *source_file_read(const struct source_paths *paths, const char *path, struct lines *ret) _must_check_;

/* The path without what trim or search remove from it. */
const char *source_path_trimmed(struct arena *a, const char *path, const struct source_paths *paths);
