/*
 * Decodes system calls: descriptors of all calls, what to fetch from the traced process's memory, and how to print it.
 *
 *	struct syscall_table *t = syscall_table_create(&arch_x86_64);
 *	const struct syscall_desc *d = syscall_table_get(t, 257);       openat
 *	... follow d->fetch at entry and exit, append pieces to a payload ...
 *	struct syscall_event ev = { .desc = d, .arg = {...}, .ret = 3, .has_ret = true };
 *	syscall_payload_add(&ev.payload, blob, blob_bytes);
 *	syscall_print_args(&out, &style, &ev);    dfd: CWD, filename: "/etc/hosts", flags: RDONLY|CLOEXEC
 *	syscall_print_result(&out, &style, &ev);  3</etc/hosts>
 *
 * Ownership: a table owns its descriptors and is const once made; threads may share it. Events and payloads are values that borrow
 * the blobs. Printing text does not allocate, and never reads outside of the blobs, whose content may be hostile. Source: man pages
 * section 2, the kernel's include/uapi and its syscall tracepoints.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/json.h"
#include "base/out.h"

#define SYSCALL_ARGS  6
#define SYSCALL_STEPS 8
/* Numbers from here on have no descriptor; a BPF array of this size holds every table. */
#define SYSCALL_NUMBERS 512

/* The classes of strace's -e trace=%name. */
/* clang-format off */
#define SYSCALL_CLASSES(X) \
	X(FILE, "file") X(DESC, "desc") X(NETWORK, "network") X(PROCESS, "process") X(SIGNAL, "signal") \
	X(MEMORY, "memory") X(IPC, "ipc") X(CREDS, "creds") X(CLOCK, "clock") X(PURE, "pure") \
	X(STAT, "stat") X(LSTAT, "lstat") X(FSTAT, "fstat") X(STAT_LIKE, "%stat") X(STATFS, "statfs") \
	X(FSTATFS, "fstatfs") X(STATFS_LIKE, "%statfs")
/* clang-format on */

enum syscall_class_bit {
#define X(id, text) SYSCALL_BIT_##id,
	SYSCALL_CLASSES(X)
#undef X
		SYSCALL_CLASS_NR,
};

enum syscall_class {
#define X(id, text) SYSCALL_##id = 1 << SYSCALL_BIT_##id,
	SYSCALL_CLASSES(X)
#undef X
};

/* The type of the result (all but RET_NEVER may be -errno). */
enum syscall_ret {
	SYSCALL_RET_INT,
	SYSCALL_RET_FD,
	SYSCALL_RET_PID,
	SYSCALL_RET_PTR, /* mmap, brk, mremap, shmat */
	SYSCALL_RET_HEX,
	SYSCALL_RET_OCTAL,    /* umask */
	SYSCALL_RET_UNSIGNED, /* getuid: never an error */
	SYSCALL_RET_TIMEOUT,  /* poll, select: 0 is "(Timeout)" */
	SYSCALL_RET_NEVER,    /* exit, rt_sigreturn */
	SYSCALL_RET_FCNTL,    /* by the command: a descriptor, flags, a number */
	SYSCALL_RET_BPF,      /* likewise */
	SYSCALL_RET_SCHED,    /* a policy */
	SYSCALL_RET_SIGNAL,
	SYSCALL_RET_TIMEX, /* TIME_OK */
	SYSCALL_RET_PERSONALITY,
	SYSCALL_RET_IOPRIO,
	SYSCALL_RET_SHORT, /* modify_ldt: errors are only 32 bits wide */
};

/* Effects of a call on the descriptors of its process. */
enum syscall_fds {
	SYSCALL_FDS_KEPT,
	SYSCALL_FDS_OPENED,    /* the result, by the path in the first argument */
	SYSCALL_FDS_OPENED_AT, /* in the second */
	SYSCALL_FDS_COPIED,    /* the result is a copy of the first argument; of fcntl by its command */
	SYSCALL_FDS_PIPE,      /* two, written to where the first argument points */
	SYSCALL_FDS_PAIR,      /* likewise the fourth */
	SYSCALL_FDS_CLOSED,    /* the first argument */
	SYSCALL_FDS_CLOSED_ALL, /* a range of them */
	SYSCALL_FDS_MOVED,     /* the process moves to the directory in the first argument */
	SYSCALL_FDS_MOVED_TO,  /* which is a descriptor */
};

/*
 * ---- What to fetch: a flat plan that a BPF program can follow ----
 *
 * A step: at the moment `at`, read through the pointer in args[arg] and append a piece. Rules for the reader:
 *  - a pointer below 4096 is never followed (NULL, or a number instead of a pointer): no piece;
 *  - at exit, steps are skipped if the call failed (result in -4095..-1), except those with FETCH_ON_ERROR;
 *  - the number of bytes is  min(max, unit * count)  where count is given by `len`; 0 bytes: an empty
 * piece with status OK, so that "" differs from what was not fetched; max 0 means the user's --str-limit;
 *  - data cut by a limit has the status TRUNCATED, an address that faults has FAULT (and no bytes); if the memory ends
 *    within the data, the piece has the bytes up to the end of the page and the status PARTIAL.
 */
enum syscall_fetch_what {
	SYSCALL_FETCH_NONE,
	SYSCALL_FETCH_STRING, /* to the NUL, not included; at most max bytes (0: paths, up to the reader's limit) */
	SYSCALL_FETCH_BYTES,
	SYSCALL_FETCH_STRINGS, /* char *argv[]: strings as DATA parts, at most max of them; then the piece WHOLE with
				* the number of pointers before NULL as a u32, up to the counting limit */
	SYSCALL_FETCH_COUNT,   /* char *envp[]: only the piece WHOLE as for STRINGS */
	SYSCALL_FETCH_IOVEC,  /* unit = sizeof(struct iovec); the array as WHOLE, at most max / unit elements; each base
			       * as a DATA part, up to str-limit bytes; at exit at most `result` bytes in total, none after an error */
	SYSCALL_FETCH_MSGHDR, /* struct msghdr as WHOLE (unit bytes); then parts NAME, CONTROL, IOV and DATA */
	SYSCALL_FETCH_MMSGHDR, /* count mmsghdr of unit bytes as WHOLE; NAME, IOV and DATA of the first one */
	SYSCALL_FETCH_PACKET,  /* BYTES of a packet: more (SYSCALL_NETLINK_MAX) of netlink messages; also for data of (M)MSGHDR */
	SYSCALL_FETCH_POINTERS, /* count pointers as WHOLE, at most max bytes of them; unit bytes at each as DATA parts */
};

#define SYSCALL_NETLINK_MAX 1024

enum syscall_fetch_len {
	SYSCALL_LEN_FIXED, /* count 1 */
	SYSCALL_LEN_ARG,   /* count = args[len_arg], 32 bits of it with LEN_32 */
	SYSCALL_LEN_RET,   /* count = the result */
	SYSCALL_LEN_DEREF, /* count = the u32 that args[len_arg] points at (socklen_t *) */
	SYSCALL_LEN_IOCTL, /* count = syscall_ioctl_bytes((u32)args[1]); unit is 1 */
	SYSCALL_LEN_BITS,  /* count = (args[len_arg] + 63) / 64 (fd sets) */
};

enum syscall_fetch_at {
	SYSCALL_AT_ENTRY = 1,
	SYSCALL_AT_EXIT = 2,
	SYSCALL_FETCH_ON_ERROR = 4, /* at exit, even if the call failed (the remaining time of nanosleep) */
};

/* 10 bytes; the BPF side declares the same layout. */
struct syscall_fetch {
	uint8_t what, at, arg, len, len_arg, unused;
	uint16_t max;  /* bytes (STRINGS: strings); 0: --str-limit */
	uint16_t unit; /* bytes of one element */
};

/* Plain data: the elements of an array map, indexed by the number of the call. */
struct syscall_plan {
	uint32_t classes;
	uint8_t known; /* 0: no such call */
	uint8_t nargs;
	uint8_t steps_nr;
	uint8_t entry_steps, exit_steps; /* number of steps with each moment in `at` */
	uint8_t unused[3];
	struct syscall_fetch step[SYSCALL_STEPS];
};

_Static_assert(sizeof(struct syscall_fetch) == 10 && sizeof(struct syscall_plan) == 92,
	       "the layout that BPF programs know");

/*
 * ---- Fetched data: pieces ----
 *
 * A blob is a sequence of pieces: this header, then `bytes` bytes, then zeros or anything up to a multiple of 8. Entry
 * and exit may be one blob or two. A blob that is truncated or has wrong sizes is read as far as it is valid.
 */
enum syscall_part {
	SYSCALL_PART_WHOLE, /* the pointed-to data at entry */
	SYSCALL_PART_EXIT,  /* the same at exit: steps at exit write EXIT in place of WHOLE */
	SYSCALL_PART_NAME,
	SYSCALL_PART_CONTROL,
	SYSCALL_PART_IOV,
	SYSCALL_PART_FILE,  /* the file of a descriptor, if the fetcher knows it */
	SYSCALL_PART_DATA = 16, /* and up: element 0, 1, ... */
};
#define SYSCALL_DATA_PARTS 32

enum syscall_fetch_status {
	SYSCALL_FETCH_OK,
	SYSCALL_FETCH_TRUNCATED,
	SYSCALL_FETCH_FAULT,
	SYSCALL_FETCH_PARTIAL, /* the memory ends within the data: the bytes before its end */
};

struct syscall_piece {
	uint8_t arg, part, status, unused;
	uint32_t bytes;
};

#define SYSCALL_PIECES 80 /* of an exec that was read twice: what was in memory at its entry, and what was copied */

struct syscall_payload {
	uint32_t nr;
	struct {
		const uint8_t *data;
		uint32_t bytes;
		uint8_t arg, part, status;
	} piece[SYSCALL_PIECES];
};

/* Indexes the pieces of one blob; pieces that do not fit or are out of range are dropped. The blob is borrowed. */
void syscall_payload_add(struct syscall_payload *p, const void *blob, size_t bytes);

/* ---- Descriptors ---- */

struct syscall_arg; /* name and type; private but for syscall_arg_name() */

struct syscall_desc {
	uint16_t number;
	uint8_t nargs;
	uint8_t ret;       /* enum syscall_ret */
	uint8_t fds;       /* enum syscall_fds */
	uint8_t fd_args;   /* bit by argument: it is a descriptor */
	uint8_t shown_zeros; /* bit by argument: it is shown in the NAMED layout even if it is 0 */
	uint32_t classes;  /* enum syscall_class */
	const char *name;  /* "stat" */
	const char *entry; /* "newstat": the name in tracepoints; the same pointer as name if equal */
	bool described;    /* false: only the number is known; arguments are printed in hex */
	const struct syscall_arg *args;
	const struct arch *arch;
	struct syscall_plan plan;
};

/* "filename"; NULL beyond nargs. The kernel's names, as in the formats of its tracepoints. */
const char *syscall_arg_name(const struct syscall_desc *d, unsigned i);

struct syscall_table;
/* NULL if the architecture has no table (x86_64, i386 and aarch64 have one). */
struct syscall_table *syscall_table_create(const struct arch *a);
void syscall_table_destroy(struct syscall_table *t);
static inline void syscall_table_destroyp(struct syscall_table **t)
{
	syscall_table_destroy(*t);
}
#define _cleanup_syscall_table_ __attribute__((cleanup(syscall_table_destroyp)))
/* The architecture of the table; compat: that of 32-bit programs on it, if any. */
const struct arch *syscall_table_arch(const struct syscall_table *t, bool compat);
/* NULL if no call has the number. */
const struct syscall_desc *syscall_table_get(const struct syscall_table *t, uint64_t number);
/* By name or by the kernel's name of its function ("stat", "newstat"); NULL: none. */
const struct syscall_desc *syscall_table_find(const struct syscall_table *t, const char *name);
/* All of them, by number. */
size_t syscall_table_all(const struct syscall_table *t, const struct syscall_desc *const **ret);

/* ---- Selection ---- */

struct syscall_set {
	uint64_t bits[SYSCALL_NUMBERS / 64];
};

static inline bool syscall_set_has(const struct syscall_set *s, uint64_t number)
{
	return number < SYSCALL_NUMBERS && s->bits[number / 64] >> number % 64 & 1;
}

/*
 * "openat,close", "open*", "%file", "file" (a class if no call has the name), "!futex" or "!%memory" before the
 * whole list,
 * "/regex", "all", "none", "?name" (no error if unknown), and "trace=LIST". Numbers are accepted too.
 * Unknown names are ERROR_USAGE with the nearest ones.
 * A name that only another architecture has selects nothing: combine the results of several tables.
 */
struct strobe_error *syscall_select(const struct syscall_table *t, const char *list,
				    struct syscall_set *ret) _must_check_;
/* True if the word (without "!") names a call of any table, a glob that matches one, or a class: to distinguish -e
 * tracepoints. */
bool syscall_is_known_word(const char *word);

/* ---- Printing ---- */

enum syscall_layout {
	SYSCALL_NAMED,  /* dfd: CWD, filename: "/etc/hosts", flags: RDONLY|CLOEXEC */
	SYSCALL_STRACE, /* AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC */
};

struct syscall_style {
	enum syscall_layout layout;
	bool raw;           /* arguments as hexadecimal numbers */
	bool show_zeros;    /* NAMED leaves out arguments that are 0 unless this is set */
	bool show_prefix;   /* NAMED: O_RDONLY rather than RDONLY */
	bool hide_names;    /* NAMED: arguments without names */
	bool whole;         /* structs with every member (strace -v) */
	uint32_t str_limit; /* bytes of a string or buffer; 0: 32 */
	/* The text in < > after a file descriptor ("/etc/hosts"); NULL: unknown. Valid until the next call. */
	const char *(*fd_text)(void *ctx, uint32_t pid, int fd);
	/* The protocol of a socket of AF_NETLINK, or -1 if the descriptor is not one or unknown. */
	int (*fd_netlink)(void *ctx, uint32_t pid, int fd);
	/* The name of a process, for "123 (ls)"; NULL: unknown. Any of these functions may be NULL. */
	const char *(*pid_text)(void *ctx, int pid);
	void *ctx;
};

struct syscall_event {
	const struct syscall_desc *desc; /* never NULL: for unknown numbers see syscall_desc_unknown() */
	uint64_t arg[SYSCALL_ARGS];
	int64_t ret;
	bool has_ret; /* false: it has not returned yet: data fetched at exit is printed as a pointer */
	uint32_t pid; /* for fd_text */
	struct syscall_payload payload;
};

/* A descriptor for a number without one, named as in strace ("syscall_0x1f4"), with six arguments. */
struct syscall_desc syscall_desc_unknown(const struct arch *a, uint64_t number, char (*name)[24]);

/* Prints the text between the brackets. */
void syscall_print_args(struct out *out, const struct syscall_style *style, const struct syscall_event *ev);
/* "3", "0x7f...", "-1 ENOENT (No such file or directory)", "?"; with strace's remarks, "0 (Timeout)". */
void syscall_print_result(struct out *out, const struct syscall_style *style, const struct syscall_event *ev);
/*
 * An object with a key for each argument. Numbers are numbers, pointers and masks without names "0x…", flag sets "A|B",
 * structs objects, arrays arrays.
 */
void syscall_json_args(struct json *json, const struct syscall_style *style, const struct syscall_event *ev);
/* {"value": -1, "errno": "ENOENT"} members, written into the current object: "ret", and "errno" if it failed.
 */
void syscall_json_result(struct json *json, const struct syscall_style *style, const struct syscall_event *ev);

/* ---- Names for other rooms ---- */

/* "ENOENT", NULL: unknown. The text is that of strerror() in English, whatever the locale. */
const char *syscall_errno_name(unsigned errnum);
const char *syscall_errno_text(unsigned errnum);
/* True for a result that is -errno. */
static inline bool syscall_failed(int64_t ret)
{
	return ret < 0 && ret >= -4095;
}
/* "SIGINT", "SIGRT_2", NULL: none. */
const char *syscall_signal_name(unsigned signal);
/* siginfo_t of `bytes` bytes as strace writes it after "---": {si_signo=SIGCHLD, si_code=CLD_EXITED, ...}. */
void syscall_print_siginfo(struct out *out, const struct syscall_style *style, const struct arch *a, const void *info,
			   size_t bytes);
/* Quoted and escaped like strace's: \n \t \" \\ \177; octal as short as possible. */
void syscall_print_quoted(struct out *out, const void *bytes, size_t n);
/*
 * The number of bytes to read at the third argument of ioctl(2): bits 16..29 of the request; 64 if they are 0, and more for loop
 * devices and SCSI generic, whose structs are larger, and for PERF_EVENT_IOC_SET_FILTER, whose size is that of a pointer to a text.
 */
static inline uint32_t syscall_ioctl_bytes(uint32_t request)
{
	uint32_t letter = request >> 8 & 0xff, bytes = request >> 16 & 0x3fff;
	if (request == 0x40082406 || (!(request >> 16) && (letter == 'L' || letter == 0x22)))
		return 320;
	return bytes ? bytes : 64;
}
/* "TIOCGWINSZ", NULL: it has no name. */
const char *syscall_ioctl_name(uint32_t request);
