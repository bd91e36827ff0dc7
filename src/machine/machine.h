/*
 * Mappings over time: processes, threads, their names and maps, the kernel's maps.
 *
 * Built from side-band records only, in time order (or in any order before the first look-up, followed by machine_seal()).
 * Everything is versioned by time: a look-up names a time and returns the state at that time, so that samples need not be replayed
 * in order, and slices of a recording can be resolved in parallel. Pids are reused: a process that exited and a later one with the
 * same pid are distinct. Look-ups are safe from several threads while no record is being applied. Threads, maps and strings are
 * valid until machine_destroy() or machine_forget_ended().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"
#include "record/env.h"
#include "record/record.h"

enum mapped_kind {
	MAPPED_FILE,      /* an ELF file (or a data file) by path */
	MAPPED_KERNEL,    /* [kernel.kallsyms], [guest.kernel.kallsyms] */
	MAPPED_MODULE,    /* a kernel module: "[name]", path in the record */
	MAPPED_BPF,       /* a JITed BPF program or trampoline (KSYMBOL) */
	MAPPED_OTHER_KERNEL, /* out-of-line ksymbols: ftrace trampolines, kprobe slots */
	MAPPED_VDSO,      /* [vdso] */
	MAPPED_VSYSCALL,
	MAPPED_JIT,       /* code from a jitdump: the file is the dump, pgoff the offset of code in it */
	MAPPED_SCRIPT,    /* [python] and others: lines of scripts, from a table in the recording (interp/script_table.h) */
	MAPPED_ANON,      /* //anon, [heap], [stack], memfd and the like: code here is JIT code */
};

/* A source of mapped code: one for each distinct (path, inode or build-id). */
struct mapped_file {
	uint32_t id;          /* 0, 1, 2 … in the order of the machine's list */
	enum mapped_kind kind;
	const char *path;     /* as recorded: long name */
	const char *name;     /* short name for reports: basename, or [kernel.kallsyms], [vdso], [module] */
	uint8_t build_id[RECORD_BUILD_ID_MAX];
	uint8_t build_id_len; /* from MMAP2 or the BUILD_ID feature; 0: unknown */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t pid;         /* of the process for MAPPED_ANON (its perf map) and MAPPED_JIT, else of the first that mapped it */
	uint32_t last_pid;    /* of the last that mapped it */
	bool guest;
};

struct map {
	uint64_t start, end;  /* addresses in the process, or of the kernel; end excluded */
	uint64_t pgoff;       /* file offset of start; for the kernel: start of its text mapping as recorded */
	uint32_t prot, flags;
	bool is_data;
	const struct mapped_file *file;
};

/*
 * What its pages are, as /proc/PID/status counts them: "anonymous" (RssAnon), "file" (RssFile; private ones that are written to become
 * anonymous), "shared" (RssShmem: shared anonymous memory, memfd, tmpfs of /dev/shm, System V), "kernel"; "[unknown]" of NULL.
 */
const char *map_backing(const struct map *m);

struct process; /* opaque: an address space with a history of maps */

struct thread {
	uint32_t pid, tid, ppid;
	uint64_t start_ns, end_ns;      /* first and last moment it was known to exist */
	struct process *process;
};

struct machine;

#define CPUMODE_UNKNOWN 0xffff

/* env is borrowed: build-ids added to it later are used from the next record on. */
struct machine *machine_create(const struct env *env);
void machine_destroy(struct machine *m);
/* Sets a short name of the kernel's file that replaces that of records. Call it before applying any. Borrowed. */
void machine_name_kernel(struct machine *m, const char *name);

/* Applies a side-band record (MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, NAMESPACES, CGROUP); others are ignored. */
void machine_apply(struct machine *m, struct record r, uint64_t time_ns);
/* The same without a copy: the record must stay valid until machine_seal(). */
void machine_apply_in_place(struct machine *m, struct record r, uint64_t time_ns);
/*
 * Sorts the records applied so far by time (equal times by order of application). Look-ups do this themselves, but only a sealed
 * machine may be used by several threads. A record applied after a look-up of later times takes effect at the latest time applied.
 */
void machine_seal(struct machine *m);
/* Changes whenever a record is applied: earlier look-ups may have other results then. */
uint64_t machine_generation(const struct machine *m);

/* The thread at that time; created with comm ":TID" if no record mentions it. Never NULL. */
const struct thread *machine_thread(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Its name at that time, in the machine's string table; "swapper" for tid 0. */
str_id machine_comm(struct machine *m, const struct thread *t, uint64_t time_ns);
struct strtab *machine_strings(struct machine *m);

/*
 * The map of an address at that time, by cpumode (PERF_RECORD_MISC_KERNEL, _USER, _GUEST_*, or CPUMODE_UNKNOWN, which
 * tries user then kernel); NULL: nothing is mapped there.
 */
const struct map *machine_map(struct machine *m, const struct thread *t, uint16_t cpumode, uint64_t ip, uint64_t time_ns);

/*
 * The address space's identity at that time: changes with exec and whenever a map replaces another one, so that (space, ip) → map is
 * valid while the space is the same. *ret_until is the first moment at which it may change (UINT64_MAX: never). Kernel addresses are
 * the same in every space.
 */
uint32_t machine_space(struct machine *m, const struct thread *t, uint64_t time_ns, uint64_t *ret_until);

/*
 * All data for a sample, in one look-up: valid for this pid and tid from from_ns up to, but not including, until_ns (while
 * machine_generation() is the same).
 */
struct machine_view {
	const struct thread *thread;
	str_id comm;
	uint32_t space;
	uint32_t kernel; /* the state of the kernel's maps: kernel addresses are resolved alike in all spaces with the same value */
	uint64_t from_ns, until_ns;
};
struct machine_view machine_view(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* The map of an address in a space from machine_space() or machine_view(). */
const struct map *machine_space_map(struct machine *m, uint32_t space, uint16_t cpumode, uint64_t ip);
/* The program of such a space: its executable file with the lowest address, since libraries are mapped above. Or NULL. */
const struct map *machine_space_program(struct machine *m, uint32_t space);

/*
 * For endless streams: forgets threads that ended before before_ns, maps that were removed before then, and old names. Look-ups of
 * later times return the same; returned threads, maps and spaces become invalid. Files and strings keep their IDs (and DSOs of files
 * are valid), unless with_files: then only files that are still mapped are kept, with new IDs, and so are strings. Returns how many
 * files are mapped.
 */
uint32_t machine_forget_ended(struct machine *m, uint64_t before_ns, bool with_files);

/* All threads, for --tasks and --mmaps, in order of appearance. */
size_t machine_threads_count(const struct machine *m);
const struct thread *machine_thread_at(const struct machine *m, size_t i);
size_t machine_files_count(const struct machine *m);
const struct mapped_file *machine_file_at(const struct machine *m, size_t i);
/* Calls fn for each map of a process at that time, sorted by address, until it returns false. */
void machine_each_map(struct machine *m, const struct thread *t, uint64_t time_ns, bool (*fn)(void *ctx, const struct map *map),
		      void *ctx);
/* The file that a MMAP, MMAP2 or KSYMBOL record names, whether or not the record was applied; NULL: the record is damaged. */
const struct mapped_file *machine_file_of(struct machine *m, struct record r);
/* Whether a path is that of a jitdump: MAPPED_JIT. */
bool machine_is_jitdump(const char *path);
/* Path of the cgroup with this id, or NULL. */
const char *machine_cgroup(const struct machine *m, uint64_t id);
/* The namespace (CLONE_NEW* index as in NAMESPACES records) of a thread: dev and inode; false: unknown. */
bool machine_namespace(const struct machine *m, const struct thread *t, unsigned kind, uint64_t *ret_dev, uint64_t *ret_ino);
