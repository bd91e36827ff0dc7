/*
 * Opens files of a process in that process's view, for symbols (struct symbols_options).
 *
 * Files of a process with another view of files than ours (a container) are opened through its root directory; those of one that
 * has ended, through another process in the mount namespace it was recorded in. Only for recordings of this machine, and only while the
 * recorded process runs: the caller checks build IDs.
 */
#pragma once
#include <stdint.h>

#include "machine/machine.h"
#include "record/env.h"
#include "symbol/symbol.h"

struct foreign_files;

/* machine, which knows the namespaces, may be NULL: the resolver sets it later. Both are borrowed. */
struct foreign_files *foreign_files_create(const struct env *env, struct machine *machine);
void foreign_files_destroy(struct foreign_files *f);
/* Sets the callback for processes in the options. */
void foreign_files_serve(struct foreign_files *f, struct symbols_options *ret);
/* A process (among those that mapped a file of that path) with its own view of files; 0: none. */
uint32_t foreign_files_pid_of_path(struct foreign_files *f, const char *path);
