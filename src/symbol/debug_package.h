/*
 * Which package of this machine's distribution has the symbols of a stripped file.
 *
 * Known are Debian and those made of it, by the lists of dpkg(1): the package that owns the file, and "-dbgsym" after its name; of the
 * few packages of Debian whose symbols are built by hand, "-dbg".
 */
#pragma once

/* "bash-dbgsym", for the caller to free; NULL where no package is known to own the file. dpkg_dir: NULL = dpkg's own. */
char *debug_package_of(const char *path, const char *dpkg_dir);
