/*
 * What was mapped where, and when: processes, threads, their names and maps, the kernel's maps.
 *
 * Fed by side-band records only, in time order (or in any order before the first question, followed by machine_seal()).
 * Everything is versioned by time: a question names a time and is answered from what held then, so that samples need not
 * be replayed in order, and slices of a recording can be resolved in parallel. Pids are reused: a process that exited and
 * one that got its pid later are two. Questions are safe from several threads while no record is being applied.
 * Threads, maps and strings live until machine_destroy(), or machine_forget_ended() where that is called.
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
	MAPPED_SCRIPT,    /* [python] and others: places in scripts, which the recording has a table of (interp/script_table.h) */
	MAPPED_ANON,      /* //anon, [heap], [stack], memfd and the like: code here is JIT code */
};

/* A thing that code is mapped from: one for each distinct (path, inode or build-id). */
struct mapped_file {
	uint32_t id;          /* 0, 1, 2 … in machine order */
	enum mapped_kind kind;
	const char *path;     /* as recorded: long name */
	const char *name;     /* short name as reports show it: basename, or [kernel.kallsyms], [vdso], [module] */
	uint8_t build_id[RECORD_BUILD_ID_MAX];
	uint8_t build_id_len; /* from MMAP2 or the BUILD_ID feature; 0 where unknown */
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

struct process; /* opaque: an address space with a history of maps */

struct thread {
	uint32_t pid, tid, ppid;
	uint64_t start_ns, end_ns;      /* first and last moment it was known to exist */
	struct process *process;
};

struct machine;

#define CPUMODE_UNKNOWN 0xffff

/* env is kept: build-ids that arrive in it later are seen at the next record. */
struct machine *machine_create(const struct env *env);
void machine_destroy(struct machine *m);
/* What the kernel's own file is called for short, in place of what records say; before any of them, and borrowed. */
void machine_name_kernel(struct machine *m, const char *name);

/* Applies a side-band record (MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, NAMESPACES, CGROUP); others are ignored. */
void machine_apply(struct machine *m, struct record r, uint64_t time_ns);
/* The same without a copy: the record must stay where it is until machine_seal(). */
void machine_apply_in_place(struct machine *m, struct record r, uint64_t time_ns);
/*
 * All records so far have been applied, in whatever order: brings them into order of time (of arrival where times are
 * equal). Look-ups do this themselves, but only a sealed machine may be used by several threads. A record that comes
 * after a question about later times counts from the latest time applied.
 */
void machine_seal(struct machine *m);
/* Changes whenever a record was applied: what was looked up before may have another result now. */
uint64_t machine_generation(const struct machine *m);

/* The thread at that time; made up with comm ":TID" where no record mentions it. Never NULL. */
const struct thread *machine_thread(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Its name at that time, in the machine's string table; "swapper" for tid 0. */
str_id machine_comm(struct machine *m, const struct thread *t, uint64_t time_ns);
struct strtab *machine_strings(struct machine *m);

/*
 * The map of an address at that time, by cpumode (PERF_RECORD_MISC_KERNEL, _USER, _GUEST_*, or CPUMODE_UNKNOWN, which
 * tries user then kernel); NULL where nothing is mapped there.
 */
const struct map *machine_map(struct machine *m, const struct thread *t, uint16_t cpumode, uint64_t ip, uint64_t time_ns);

/*
 * The address space's identity at that time: changes with exec and whenever a map replaced another one, so that (space,
 * ip) → map holds for as long as the space is the same. *ret_until is the first moment at which that may change
 * (UINT64_MAX: never). Kernel addresses are the same in every space.
 */
uint32_t machine_space(struct machine *m, const struct thread *t, uint64_t time_ns, uint64_t *ret_until);

/*
 * All that is needed for a sample, in one look-up: it holds for this pid and tid from from_ns up to, and not including,
 * until_ns (where machine_generation() stays the same).
 */
struct machine_view {
	const struct thread *thread;
	str_id comm;
	uint32_t space;
	uint32_t kernel; /* which state of the kernel's maps: kernel addresses mean the same in all spaces with one */
	uint64_t from_ns, until_ns;
};
struct machine_view machine_view(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* The map of an address in a space that machine_space() or machine_view() named. */
const struct map *machine_space_map(struct machine *m, uint32_t space, uint16_t cpumode, uint64_t ip);
/* The program that runs in such a space: its executable file with the lowest address, libraries being mapped above. Or NULL. */
const struct map *machine_space_program(struct machine *m, uint32_t space);

/*
 * For what goes on without end: forgets threads that ended before before_ns, what was mapped up to then and is not any more,
 * and names that no longer hold. Answers about later times stay the same; threads, maps and spaces given out are invalid.
 * Files and strings keep their ids (and DSOs made for files are good), unless with_files: then only files that are still
 * mapped stay, with other ids, and so do strings. Returns how many files are mapped.
 */
uint32_t machine_forget_ended(struct machine *m, uint64_t before_ns, bool with_files);

/* All there are, for --tasks and --mmaps: in order of appearance. */
size_t machine_threads_count(const struct machine *m);
const struct thread *machine_thread_at(const struct machine *m, size_t i);
size_t machine_files_count(const struct machine *m);
const struct mapped_file *machine_file_at(const struct machine *m, size_t i);
/* Maps of a process as they were at that time, sorted by address; calls fn for each until it returns false. */
void machine_each_map(struct machine *m, const struct thread *t, uint64_t time_ns, bool (*fn)(void *ctx, const struct map *map),
		      void *ctx);
/* The file that a MMAP, MMAP2 or KSYMBOL record names, whether or not the record was applied; NULL where it is damaged. */
const struct mapped_file *machine_file_of(struct machine *m, struct record r);
/* Whether that is a jitdump, by its name: MAPPED_JIT. */
bool machine_is_jitdump(const char *path);
/* Path of the cgroup with this id, or NULL. */
const char *machine_cgroup(const struct machine *m, uint64_t id);
/* The namespace (CLONE_NEW* index as in NAMESPACES records) a thread was in: dev and inode; false where unknown. */
bool machine_namespace(const struct machine *m, const struct thread *t, unsigned kind, uint64_t *ret_dev, uint64_t *ret_ino);
