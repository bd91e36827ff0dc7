/*
 * Files as another process sees them: below its root directory, in its mount namespace.
 *
 * Links are resolved within that root as for the process (openat2(2), RESOLVE_IN_ROOT), never out of it: its contents are controlled
 * by the user of the container. Requires the permission of ptrace(2) (PTRACE_MODE_READ_FSCREDS).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Whether the process exists and has other mounts, or another root, than we do. */
bool process_has_own_files(uint32_t pid);
/* A read-only descriptor (O_NONBLOCK, O_CLOEXEC) or -errno. */
int process_file_open(uint32_t pid, const char *path);
/*
 * The same for a file that the process has mapped, by its path in maps: the mapped file itself, even if it was deleted or replaced
 * since. Requires CAP_CHECKPOINT_RESTORE, except for its executable. Source: proc(5), map_files and exe.
 */
int process_mapped_file_open(uint32_t pid, const char *path);
/* The same by its mapping, exactly from start to end. */
int process_mapping_open(uint32_t pid, uint64_t start, uint64_t end);
/*
 * Logs a warning if the process has mapped a file of that path that was replaced or deleted since: probes of the path are in the file that
 * is there now, and not hit by the process.
 */
void process_warn_if_replaced(uint32_t pid, const char *path);
/* The path of such a descriptor below the process's root; owned. */
char *process_file_path(uint32_t pid, int fd);
/* The path that leads to it from outside while the process runs; owned. Links in it are not resolved. */
char *process_path_outside(uint32_t pid, const char *path);
/* The path of our own executable; owned. NULL: unknown. */
char *process_program(void);
/* The path of a process's executable, as the process sees it; owned. NULL: unknown. */
char *process_program_of(uint32_t pid);
/*
 * The path without links, or, of a link to an executable that was deleted or replaced ("/proc/PID/exe"), the link itself; owned. NULL and
 * errno: the file cannot be found.
 */
char *process_full_path(const char *path);
/* The path that opens its executable, even if that was deleted or replaced since; owned. */
char *process_program_link(uint32_t pid);
/* The process's ID in its own pid namespace; pid if unknown. */
uint32_t process_inner_pid(uint32_t pid);
/* Device and inode of the process's mount namespace; false if they cannot be read. */
bool process_mount_namespace(uint32_t pid, uint64_t *ret_dev, uint64_t *ret_ino);
/* The lowest process ID in that mount namespace; 0: none. */
uint32_t process_in_mount_namespace(uint64_t dev, uint64_t ino);
/* Its start in seconds since 1970; 0 if there is no such process. */
int64_t process_start_s(uint32_t pid);
/* Whether this is its current name (comm); false if there is no such process. */
bool process_is_called(uint32_t pid, const char *name);
/* The user it runs as; false if there is no such process. */
bool process_user(uint32_t pid, uint32_t *ret_uid);
