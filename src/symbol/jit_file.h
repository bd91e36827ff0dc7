/*
 * Opening what a run-time compiler left about a process: its perf map, its jitdump.
 *
 * Such files lie where anybody may write. They are looked for as the process sees its files, under the pid that it believes to
 * have, and believed only where they belong to us, to root, or to the user that the process runs as.
 */
#pragma once
#include <stdint.h>

#include "symbol/symbol.h"

/*
 * The file of the DSO's process; format has one %u for the pid, or none. A descriptor of a regular file, or -1 with the
 * problem said where that is worth saying. *ret_path lives with the DSO.
 */
int jit_file_open(struct dso *d, const char *format, const char **ret_path);
