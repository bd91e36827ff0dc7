/*
 * The opener that symbols are given (struct symbols_options): files of a process as that process sees them.
 *
 * Files of a process with another view of files than ours (a container) are opened through its root directory; those of one that
 * has ended, through another process in the mount namespace it was recorded in. Only for recordings of this machine, and only while
 * the process is the one that was recorded: build IDs are checked by the code that opens.
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
/* Sets the processes of the options. */
void foreign_files_serve(struct foreign_files *f, struct symbols_options *ret);
/* A process (of those that mapped a file of that path) whose view of files is its own; 0 where there is none. */
uint32_t foreign_files_pid_of_path(struct foreign_files *f, const char *path);
