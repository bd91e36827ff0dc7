/*
 * The package of this machine's distribution that has the symbols of a stripped file.
 *
 * Supports Debian and its derivatives, by the lists of dpkg(1): the package that owns the file, with "-dbgsym" appended, or "-dbg" for
 * the few with manually built debug packages.
 */
#pragma once

/* "bash-dbgsym", for the caller to free; NULL: no known package owns the file. dpkg_dir: NULL = dpkg's own. */
char *debug_package_of(const char *path, const char *dpkg_dir);
