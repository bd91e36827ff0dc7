/*
 * Files of descriptors, and working directories of processes. If all calls that change them are traced, they are tracked, and
 * only those from before are looked up in the running system. Otherwise nothing is cached, since a descriptor may have changed
 * at the next call: the event of a call has the file, or it is looked up each time.
 *
 * Owns its strings. `sys` NULL: a recording, nothing is looked up. One thread.
 */
#pragma once
#include "base/strtab.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "decode/syscall.h"
#include "sys/sys.h"

/* IDs in paths; 0: not known yet. */
struct process_files {
	uint32_t pid;
	uint32_t directory;
	VEC(uint32_t) fds;
};

enum open_files_by { OPEN_FILES_FOLLOWED, OPEN_FILES_GIVEN, OPEN_FILES_LOOKED_UP };

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
	size_t last;          /* index of the last one used */
	struct strtab paths;
	struct given_file given[GIVEN_FILES]; /* from the event of the current call */
	unsigned given_nr;
	bool is_bad;          /* that call failed since a descriptor is not open */
	struct u64map netlink; /* ID of "socket:[INODE]" → protocol, for those created during the trace */
	uint64_t lookups;     /* in /proc */
};

void open_files_init(struct open_files *f, const struct sys *sys, enum open_files_by by);
void open_files_deinit(struct open_files *f);
/* AT_FDCWD: the working directory of the process. NULL: unknown. Valid until the next call. */
const char *open_files_path(struct open_files *f, uint32_t pid, int fd);
/* The protocol of a socket of AF_NETLINK; -1: another file, or its socket(2) was not traced. */
int open_files_netlink(struct open_files *f, uint32_t pid, int fd);
/* A process starts, with the descriptors of the other one. */
void open_files_inherit(struct open_files *f, uint32_t parent, uint32_t child);
/* Drops descriptors after an exec, which closes some. */
void open_files_forget(struct open_files *f, uint32_t pid);
/* The process has ended. */
void open_files_end(struct open_files *f, uint32_t pid);
/* Takes the files in the event of a call, valid until the next one. */
void open_files_take(struct open_files *f, const struct syscall_event *ev);
/* Adds descriptors opened by a successful call, before it is shown; removes those closed by one, after that. */
void open_files_follow(struct open_files *f, const struct syscall_event *ev);
void open_files_close(struct open_files *f, const struct syscall_event *ev);
