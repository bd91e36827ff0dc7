/*
 * What the descriptors of processes are open on, and where processes stand: as calls told it that were seen, else as the running
 * system says.
 *
 * Owns its strings. `sys` NULL: a recording, nothing is asked. One thread.
 */
#pragma once
#include "base/strtab.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "decode/syscall.h"
#include "sys/sys.h"

/* Ids in paths; 0 where it is not known yet. */
struct process_files {
	uint32_t pid;
	uint32_t directory;
	VEC(uint32_t) fds;
};

struct open_files {
	const struct sys *sys;
	VEC(struct process_files) all;
	struct u64map by_pid; /* pid → index */
	size_t last;          /* index of the one that was asked for last */
	struct strtab paths;
	uint64_t asked;       /* questions to /proc */
};

void open_files_init(struct open_files *f, const struct sys *sys);
void open_files_deinit(struct open_files *f);
/* AT_FDCWD is the directory of the process. NULL where nothing is known. Valid until the next call. */
const char *open_files_path(struct open_files *f, uint32_t pid, int fd);
/* A process starts, with what the other one has. */
void open_files_inherit(struct open_files *f, uint32_t parent, uint32_t child);
/* After an exec, which closes some. */
void open_files_forget(struct open_files *f, uint32_t pid);
/* The process has ended. */
void open_files_end(struct open_files *f, uint32_t pid);
/* What comes by a call that has succeeded, before it is shown; and what goes by one, behind that. */
void open_files_follow(struct open_files *f, const struct syscall_event *ev);
void open_files_close(struct open_files *f, const struct syscall_event *ev);
