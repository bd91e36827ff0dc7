/*
 * Opens files of JIT compilers about a process: perf map, jitdump.
 *
 * Such files are in world-writable directories. They are opened in the view of the process, with its PID in its namespace, and
 * trusted only if they belong to us, to root, or to the user of the process.
 */
#pragma once
#include <stdint.h>

#include "symbol/symbol.h"

/*
 * The file of the DSO's process; format has one %u for the pid, or none. A descriptor of a regular file, or -1, with the
 * problem set if it is of interest. *ret_path lives with the DSO.
 */
int jit_file_open(struct dso *d, const char *format, const char **ret_path);
