/*
 * Source files by the paths that profiles have for them: looked for as go tool pprof does.
 *
 * trim_path: prefixes to take off (between them ':'); without, what stands before the last directory of one of the search
 * path is taken off where it occurs. What is relative then is looked for in each directory of the search path (the current
 * one where none is given) and in those above it. Paths come from anywhere: only regular files are read. One thread.
 */
#pragma once
#include "base/arena.h"
#include "base/lines.h"
#include "base/vector.h"

struct source_file {
	const char *path;
	struct lines lines;  /* empty where it cannot be read */
	const char *problem; /* why, or NULL */
};

struct source_files {
	struct arena arena;
	const char *search, *trim;
	VEC(struct source_file *) files;
	struct source_file *last;
};

void source_files_init(struct source_files *s, const char *search, const char *trim);
void source_files_deinit(struct source_files *s);
/* Read on the first question; never NULL. */
const struct source_file *source_files_get(struct source_files *s, const char *path);

/* What is left of a path; neither list is NULL. */
const char *source_path_trimmed(struct arena *a, const char *path, const char *search, const char *trim);
