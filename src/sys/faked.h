/*
 * A fake system for tests: a scratch directory of files, and system calls that are recorded and answered from a table.
 *
 *	struct sys_faked *f = sys_faked_create();
 *	sys_faked_file(f, "/proc/sys/kernel/perf_event_paranoid", "2\n");
 *	sys_faked_answer(f, (struct sys_faked_answer){ .match = MATCH_TYPE, .type = PERF_TYPE_HARDWARE, .errnum = ENOENT
 * });
 *	... sys_faked_sys(f) goes where a struct sys is needed ...
 *	sys_faked_destroy(f);
 *
 * A successful perf_event_open returns a memfd, so that read, poll, mmap and close work on it. No file of the real machine is
 * visible. For tests only; aborts if the scratch directory cannot be made.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "sys/sys.h"

struct sys_faked_open {
	struct perf_event_attr attr; /* as requested */
	uint64_t config3, config4;
	pid_t pid;
	int cpu, group_fd;
	unsigned long flags;
	int fd; /* its result: fd or -errno */
};

/* The conditions of an answer; several are combined with |. */
enum sys_faked_match {
	MATCH_TYPE = 1 << 0,
	MATCH_CONFIG = 1 << 1,
	MATCH_PRECISE = 1 << 2,  /* precise_ip at least .precise_ip */
	MATCH_KERNEL = 1 << 3,   /* exclude_kernel is 0 */
	MATCH_SIZE = 1 << 4,     /* attr larger than .size */
	MATCH_CPU = 1 << 5,      /* .cpu */
	MATCH_BRANCH = 1 << 6,   /* branch stack requested */
	MATCH_SAMPLING = 1 << 7, /* sample_period is not 0 */
	MATCH_GROUP_INHERITED = 1 << 8, /* inherited, and read as a group */
};

/* Tried in the order of sys_faked_answer(); the first match returns errnum (0 = success). No match: success. */
struct sys_faked_answer {
	unsigned match;
	uint32_t type;
	uint64_t config;
	unsigned precise_ip;
	uint32_t size;
	int cpu;
	int errnum;
};

struct sys_faked_ioctl {
	int fd;
	unsigned long request;
	uintptr_t arg;
};

struct sys_faked {
	struct sys sys;
	char *root;
	VEC(struct sys_faked_answer) answers;
	VEC(struct sys_faked_open) opens;
	VEC(struct sys_faked_ioctl) ioctls;
	struct utsname uname;
	uint64_t clock_ns;
	int mount_errnum; /* the result of mount; on 0 it makes an events directory */
	unsigned mounts;
};

struct sys_faked *sys_faked_create(void);
void sys_faked_destroy(struct sys_faked *f);
const struct sys *sys_faked_sys(const struct sys_faked *f);
/* Creates a file and its parent directories. */
void sys_faked_file(struct sys_faked *f, const char *path, const char *content);
void sys_faked_answer(struct sys_faked *f, struct sys_faked_answer answer);
/* Adds a tracepoint with its id and format under /sys/kernel/tracing. */
void sys_faked_tracepoint(struct sys_faked *f, const char *system, const char *name, unsigned id);
/* Sets a capability set, uid and seccomp mode in /proc/self/status. */
void sys_faked_status(struct sys_faked *f, uint64_t cap_eff, uint32_t euid, int seccomp);
