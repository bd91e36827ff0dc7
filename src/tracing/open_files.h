/*
 * What the descriptors of processes are open on, and where processes stand. Where all calls are seen that change it they are
 * followed, and only what was there before is looked up in the running system. Else nothing is kept: what was true of a number
 * need not be true at the next call. Then the event of a call brings it along, or it is looked up each time.
 *
 * Owns its strings. `sys` NULL: a recording, nothing is looked up. One thread.
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

enum open_files_by { OPEN_FILES_FOLLOWED, OPEN_FILES_GIVEN, OPEN_FILES_ASKED };

#define GIVEN_FILES (SYSCALL_ARGS + 2)

struct given_file {
	int fd;
	uint32_t id;
};

struct open_files {
	enum open_files_by by;
	const struct sys *sys;
	VEC(struct process_files) all;
	struct u64map by_pid; /* pid → index */
	size_t last;          /* index of the one that was requested last */
	struct strtab paths;
	struct given_file given[GIVEN_FILES]; /* with the call that is being shown */
	unsigned given_nr;
	bool is_bad;          /* that call says that a descriptor is not open */
	struct u64map netlink; /* id of "socket:[INODE]" → protocol, of those that were made before our eyes */
	uint64_t lookups;     /* in /proc */
};

void open_files_init(struct open_files *f, const struct sys *sys, enum open_files_by by);
void open_files_deinit(struct open_files *f);
/* AT_FDCWD is the directory of the process. NULL where nothing is known. Valid until the next call. */
const char *open_files_path(struct open_files *f, uint32_t pid, int fd);
/* The protocol of a socket of AF_NETLINK; -1 where it is none, or its socket(2) was not seen. */
int open_files_netlink(struct open_files *f, uint32_t pid, int fd);
/* A process starts, with what the other one has. */
void open_files_inherit(struct open_files *f, uint32_t parent, uint32_t child);
/* After an exec, which closes some. */
void open_files_forget(struct open_files *f, uint32_t pid);
/* The process has ended. */
void open_files_end(struct open_files *f, uint32_t pid);
/* What the event of a call brings along is known until the next one. */
void open_files_take(struct open_files *f, const struct syscall_event *ev);
/* What comes by a call that has succeeded, before it is shown; and what goes by one, after that. */
void open_files_follow(struct open_files *f, const struct syscall_event *ev);
void open_files_close(struct open_files *f, const struct syscall_event *ev);
