/*
 * The types of system calls: constants, scalars, structs and arguments, as const tables.
 *
 * A value has a format and a width in bytes, 0 being the word of the calling program (4 on i386). Structs name their
 * members in order; offsets follow from the rules of alignment of the architecture (types.c), so that one table serves
 * 32 and 64 bits. If architectures differ in more than that, a table refers to its variant for another one.
 */
#pragma once
#include <endian.h>
#include <string.h>

#include "base/strtab.h"
#include "decode/syscall.h"

struct emit;

/* ---- Constants ---- */

struct constant {
	const char *name;
	uint64_t value;
	uint64_t mask; /* applies if (v & mask) == value; for single bits the bits, for enums all ones */
};

struct constants {
	const char *prefix; /* omitted in the NAMED layout */
	size_t prefix_bytes;
	const struct constant *list;
	size_t nr;
	const struct constants *on_i386, *on_aarch64; /* NULL: the same */
};

#define TABLE(id, prefix)                   extern const struct constants constants_##id;
#define TABLE_ON(id, prefix, i386, aarch64) extern const struct constants constants_##id;
#define C(name, value)
#define M(name, value, mask)
#define E(name, value)
#define END
#include "decode/syscall/constants/constants.def"
#undef TABLE
#undef TABLE_ON
#undef C
#undef M
#undef E
#undef END

/* ---- Values ---- */

enum value_format {
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_HEX,     /* 0 is "0" */
	VALUE_POINTER, /* 0 is "NULL" */
	VALUE_OCTAL,
	VALUE_MODE,  /* S_IFREG|0644 */
	VALUE_FLAGS, /* of constants */
	VALUE_ENUM,  /* of constants; count 1: others are common */
	VALUE_FD,
	VALUE_DIRFD,
	VALUE_PID,
	VALUE_ID, /* uid, gid: -1 is printed as it is */
	VALUE_SIGNAL,
	VALUE_DEVICE, /* makedev(0x8, 0x1) */
	VALUE_CLOCK,
	VALUE_LIMIT,  /* 8192*1024, RLIM64_INFINITY */
	VALUE_CHARS,  /* char name[count], to the NUL */
	VALUE_BYTES,  /* u8 x[count]: as a string with \x escapes */
	VALUE_ARRAY,  /* count of type `of` */
	VALUE_STRUCT, /* of a struct_type */
	VALUE_SIGSET, /* 8 bytes */
	VALUE_STATUS, /* of wait */
	VALUE_PAD,
	VALUE_SOCKET_TYPE, /* SOCK_STREAM|SOCK_CLOEXEC */
	VALUE_EPOLL_DATA,  /* {u32=3, u64=3} */
	VALUE_SIGVAL,      /* {sival_int=3, sival_ptr=0x3} */
	VALUE_CAPS,        /* 1<<CAP_CHOWN */
	VALUE_FSID,        /* {val=[0x1, 0x2]} */
	VALUE_ENUM_NUMBER, /* an enum; values without a name are numbers */
	VALUE_FLAGS_MODE,  /* flags, and a mode in the low 9 bits */
	VALUE_INET4,       /* an address of 4 bytes, in network byte order */
	VALUE_INET6,       /* of 16 */
	VALUE_SOCKADDR,    /* struct sockaddr_storage */
	VALUE_PORT,        /* htons(80): in network byte order */
	VALUE_MAC,         /* count bytes, 00:11:22:33:44:55 */
	VALUE_VERSION,     /* KERNEL_VERSION(6, 1, 0) */
	VALUE_BITS,        /* 1<<TCP_LISTEN, of constants; count: 1<<(X-count) */
	VALUE_ERRNO,       /* -ENOENT, or a number */
	VALUE_LETTER,      /* 'S', or a number */
};

/* The formats of values other than one number of `bytes` bytes. */
#define VALUES_COMPOSITE (1ULL << VALUE_INET6 | 1ULL << VALUE_SOCKADDR | \
			  1ULL << VALUE_CHARS | 1ULL << VALUE_BYTES | 1ULL << VALUE_ARRAY | 1ULL << VALUE_STRUCT | \
			  1ULL << VALUE_MAC | 1ULL << VALUE_PAD | 1ULL << VALUE_FSID)

struct value_type {
	uint8_t format;
	uint8_t bytes; /* 0: a word */
	uint16_t count;
	const void *of;
};

#define MEMBER_VERBOSE 1 /* only with style.whole; "..." otherwise */
#define MEMBER_HIDDEN  2 /* never */
#define MEMBER_NONZERO 4 /* only if it is not 0 */
#define MEMBER_ANSWER  8 /* only if the call succeeded */

struct member {
	const char *name;
	struct value_type type;
	uint8_t flags;
};

struct struct_type {
	const char *name;
	const struct member *members;
	size_t nr;
	const struct struct_type *on_i386, *on_aarch64;
	bool packed;
	/* NULL: its members */
	void (*print)(struct emit *e, const struct struct_type *s, const uint8_t *data, size_t bytes);
};

/* Size and alignment for the architecture. */
size_t composite_bytes(const struct arch *a, struct value_type t);
static inline size_t value_bytes(const struct arch *a, struct value_type t)
{
	return VALUES_COMPOSITE >> t.format & 1 ? composite_bytes(a, t) : t.bytes ? t.bytes : a->pointer_bytes;
}
size_t value_align(const struct arch *a, struct value_type t);
size_t struct_bytes(const struct arch *a, const struct struct_type *s);
const struct struct_type *struct_on(const struct arch *a, const struct struct_type *s);
const struct constants *constants_on(const struct arch *a, const struct constants *c);
/* A load of `bytes` <= 8 bytes in the order of the architecture. */
static inline uint64_t value_load(const struct arch *a, const uint8_t *p, size_t bytes)
{
	uint32_t four;
	uint64_t v = 0;
	if (bytes == 4) {
		memcpy(&four, p, 4);
		return a->big_endian ? be32toh(four) : le32toh(four);
	}
	if (bytes == 8) {
		memcpy(&v, p, 8);
		return a->big_endian ? be64toh(v) : le64toh(v);
	}
	for (size_t i = 0; i < bytes; i++)
		v |= (uint64_t)p[a->big_endian ? bytes - 1 - i : i] << 8 * i;
	return v;
}
/* Of an enum; NULL: no name. */
const char *constant_name(const struct constants *c, uint64_t v);
/* Of a zero, also in a set of bits; NULL: no name. */
const char *constants_zero(const struct constants *c);
/* Without the prefix of the table. */
const char *constant_short(const struct constants *c, const char *name);

#define STRUCT(id) extern const struct struct_type struct_##id;
#define F(name, type)
#define V(name, type)
#define N(name, type)
#define H(name, type)
#define R(name, type)
#define END(id)
#define ALSO(id, i386, aarch64)
#define PRINT(id, function)
#define ALSO_PRINT(id, i386, aarch64, function)
#define PACKED(id, aarch64)
#include "decode/syscall/structs.def"
#include "decode/syscall/ioctl/structs_ioctl.def"
#undef STRUCT
#undef F
#undef V
#undef N
#undef H
#undef R
#undef END
#undef ALSO
#undef PRINT
#undef ALSO_PRINT
#undef PACKED

/* ---- Arguments ---- */

enum arg_kind {
	ARG_VALUE,   /* the value in the register */
	ARG_POINTEE, /* points at one value of the type; a scalar is printed in brackets */
	ARG_LIST,    /* points at `len` values of the type */
	ARG_PATH,
	ARG_STRING,
	ARG_BUFFER, /* len bytes */
	ARG_PACKET, /* the same, of sockets: netlink messages are decoded */
	ARG_RANDOM, /* the same, never as text: \x1f */
	ARG_IOVEC,
	ARG_MSGHDR,
	ARG_MMSGHDR,
	ARG_STRINGS, /* argv */
	ARG_ENVIRON, /* envp: counted */
	ARG_SOCKADDR,
	ARG_FDSET,
	ARG_PAIR,    /* 64 bits in this register and the next, low half first; the next is ARG_HIDDEN */
	ARG_PAIR_HIGH, /* the same, high half first */
	ARG_HIDDEN,
	ARG_POINTERS, /* points at `len` pointers, each to one value of the type */
	ARG_SIGMASK, /* a pointer to a set of signals, and its size */
	ARG_SPECIAL, /* print() */
};

struct syscall_arg {
	const char *name, *label; /* "fd" and ", fd: " */
	uint8_t label_bytes;
	uint8_t kind;
	uint8_t at;           /* SYSCALL_AT_ENTRY, SYSCALL_AT_EXIT or both; 0: nothing is fetched */
	uint8_t len, len_arg; /* the number of elements: enum syscall_fetch_len */
	struct value_type type;
	/* Whether the argument is used, depending on others (the mode of open). NULL: always. */
	bool (*shown)(const struct syscall_event *ev, unsigned i);
	void (*print)(struct emit *e, unsigned i);
	uint16_t fetch_bytes; /* SPECIAL: bytes to fetch; 0 with at != 0: a string */
};

/* Contents of calls*.def. */
struct call {
	const char *name;
	uint8_t ret;
	uint32_t classes;
	uint8_t nargs;
	const struct syscall_arg *args;
};

/* The described calls of an architecture, by name. */
struct call_names {
	struct strtab names;
	VEC(const struct call *) calls; /* by ID of the name; the first one is NULL */
};

void call_names_init(struct call_names *n, const struct arch *a);
void call_names_deinit(struct call_names *n);
/* NULL if it is not described. */
const struct call *call_find(const struct call_names *n, const char *name);
/* Fills d->plan from its arguments. */
void plan_make(struct syscall_desc *d);
/* Returns d->shown_zeros, from its arguments. */
uint8_t shown_zeros_of(const struct syscall_desc *d);
/* Returns d->fd_args, likewise. */
uint8_t fd_args_of(const struct syscall_desc *d);
