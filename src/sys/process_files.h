/*
 * Files as another process sees them: below its root directory, in its mount namespace.
 *
 * Links inside of that root are followed as the process would (openat2(2), RESOLVE_IN_ROOT), never out of it: what is below
 * belongs to the user who runs the container. Needs the rights that ptrace(2) would (PTRACE_MODE_READ_FSCREDS).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Whether the process is there and sees other mounts, or another root, than we do. */
bool process_has_own_files(uint32_t pid);
/* A read-only descriptor (O_NONBLOCK, O_CLOEXEC) or -errno. */
int process_file_open(uint32_t pid, const char *path);
/*
 * The same of a file that the process has mapped by that path, as maps names it: the very one, though it was deleted or replaced
 * since. Needs CAP_CHECKPOINT_RESTORE, but for its program. Source: proc(5), map_files and exe.
 */
int process_mapped_file_open(uint32_t pid, const char *path);
/* The path of such a descriptor below the process's root; owned. */
char *process_file_path(uint32_t pid, int fd);
/* The path by which we reach it while the process runs; owned. Links in it have to be resolved. */
char *process_path_outside(uint32_t pid, const char *path);
/* The path of our own program; owned. NULL: unknown. */
char *process_program(void);
/* The path of a process's program, as that sees it; owned. NULL: unknown. */
char *process_program_of(uint32_t pid);
/* The process's number in its own pid namespace: what it believes its pid to be. pid where that is not known. */
uint32_t process_inner_pid(uint32_t pid);
/* Device and inode of the mount namespace that the process is in; false where that cannot be read. */
bool process_mount_namespace(uint32_t pid, uint64_t *ret_dev, uint64_t *ret_ino);
/* A process that is in that mount namespace, the lowest; 0: none. */
uint32_t process_in_mount_namespace(uint64_t dev, uint64_t ino);
/* When it started, in seconds since 1970; 0 where it is not there. */
int64_t process_start_s(uint32_t pid);
/* Whether that is its name (comm) now; false where it is not there. */
bool process_is_called(uint32_t pid, const char *name);
/* The user that it runs as; false where it is not there. */
bool process_user(uint32_t pid, uint32_t *ret_uid);
