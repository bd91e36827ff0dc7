/*
 * Files below another root directory, of another machine or in any place: the value of --symfs, as perf 7.2 has it.
 *
 * "DIR" and "DIR,hierarchy" contain each file at its whole path ("DIR/usr/bin/x"), "DIR,flat" at its base name ("DIR/x"). What follows
 * the last comma is the layout, so a directory with a comma in its name needs one. Strings that are returned belong to the caller.
 */
#pragma once
#include "base/error.h"

/* ERROR_USAGE if the layout is another. */
struct strobe_error *sysroot_check(const char *root) _must_check_;
char *sysroot_directory(const char *root);
/* The path itself if root is NULL. */
char *sysroot_path(const char *root, const char *path);
