/*
 * Writes values in one of three spellings: NAMED ("tv_sec: 1"), STRACE ("tv_sec=1") and JSON. Printers choose the values, this room
 * part their spelling.
 *
 * An atom is a stretch of text that is one JSON string: emit_atom() gives the sink, emit_atom_end() ends it; they do
 * not nest.
 */
#pragma once
#include "decode/syscall/types.h"

#define EMIT_DEPTH 16

struct emit {
	struct out *out;
	struct json *json;  /* NULL: text */
	struct out scratch; /* atoms of JSON */
	const struct syscall_style *style;
	const struct syscall_event *ev;
	const struct arch *arch;
	uint32_t limit; /* style->str_limit, or the default */
	size_t sized; /* size of the struct of the next emit_members() as passed to the call; 0: the size in the table */
	bool strace;
	bool in_part; /* the next emit_members() shows the available bytes of an incomplete member */
	uint8_t depth;
	bool first[EMIT_DEPTH];
};

void emit_init(struct emit *e, struct out *out, struct json *json, const struct syscall_style *style,
	       const struct arch *a, const struct syscall_event *ev);
void emit_deinit(struct emit *e);

void emit_struct(struct emit *e);
void emit_member(struct emit *e, const char *name);
void emit_struct_end(struct emit *e);
void emit_array(struct emit *e);
void emit_item(struct emit *e);
void emit_array_end(struct emit *e);
/* "...", for omitted data. */
void emit_more(struct emit *e);

struct out *emit_atom(struct emit *e);
void emit_atom_end(struct emit *e);
void emit_word(struct emit *e, const char *s); /* an atom that is one text */
void emit_i64(struct emit *e, int64_t v);
void emit_u64(struct emit *e, uint64_t v);
void emit_hex(struct emit *e, uint64_t v);     /* 0x1f; 0 is 0 */
void emit_pointer(struct emit *e, uint64_t v); /* 0 is NULL */
void emit_negative_errno(struct emit *e, int64_t v); /* -ENOENT; the number if it is not an errno */
/* Quoted and escaped, cut to the limit; cut: the text was longer than n. */
void emit_string(struct emit *e, const uint8_t *s, size_t n, bool cut);
/* The same in \x escapes. */
void emit_bytes(struct emit *e, const uint8_t *s, size_t n, bool cut);

/* ---- Values ---- */

/* A number from a register or from memory; the type gives sign and width. */
void emit_value(struct emit *e, struct value_type t, uint64_t v);
/* A value in memory: scalar, array or struct. `bytes` may be less than its size. */
void emit_memory(struct emit *e, struct value_type t, const uint8_t *p, size_t bytes);
void emit_members(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes);
/* The bytes of a newer struct after byte `at`, if not 0; ??? if they could not be read. sized: its size as passed to the call. */
void emit_newer(struct emit *e, const uint8_t *p, size_t at, size_t sized, size_t bytes);
/* "[NAME]=", before an element of an array whose indexes have names; less1: the names begin at 1. */
void emit_index(struct emit *e, const struct constants *names, uint64_t i, bool less1);
/* 00:11:22:33:44:55 */
void emit_mac(struct emit *e, const uint8_t *p, size_t n);
/* "[0 3]": the numbers of the bits that are set, for sets of CPUs or file descriptors. */
void emit_bits(struct emit *e, const uint8_t *p, uint64_t bits);
void emit_flags(struct emit *e, const struct constants *c, uint64_t v);
/* Writes into the current atom. */
void flags_text(struct emit *e, struct out *out, const struct constants *c, uint64_t v);
void emit_enum(struct emit *e, const struct constants *c, uint64_t v);
void emit_fd(struct emit *e, int fd);
void emit_pid(struct emit *e, int pid);
void emit_signal(struct emit *e, uint64_t signal);
void emit_sigset(struct emit *e, uint64_t set);
void emit_mode(struct emit *e, uint32_t mode);
void emit_octal(struct emit *e, uint64_t v);
/*
 * Messages of netlink: `bytes` were fetched, of `total` at address `from`. protocol: of the socket, -1: unknown. Invalid messages
 * are shown as bytes. Returns false, with nothing written, if the protocol has texts instead.
 */
bool emit_netlink(struct emit *e, const uint8_t *data, size_t bytes, uint64_t total, uint64_t from, int protocol);
/* The protocol of the socket in the first argument of the call; -1: not a netlink socket, or unknown. */
int netlink_protocol(const struct emit *e);
/* An address of 4 or 16 bytes. */
void emit_inet(struct emit *e, const uint8_t *p, bool six);
/* A member with an address of 16 bytes, in strace's spelling. */
void emit_inet6_member(struct emit *e, const char *name, const uint8_t *p);
/* The messages of msg_control. */
void emit_control(struct emit *e, const uint8_t *p, size_t bytes);
void emit_sockaddr(struct emit *e, const uint8_t *p, size_t bytes);
void emit_personality(struct emit *e, uint32_t v);
void emit_ioprio(struct emit *e, uint32_t v);
/* The set of argument i at entry or exit, as selected by part. */
void emit_fdset(struct emit *e, unsigned i, unsigned part);
void emit_siginfo(struct emit *e, const uint8_t *p, size_t bytes);
/* iovec and msghdr with the parts that were fetched for argument i. */
void emit_iovec(struct emit *e, unsigned i, uint64_t nr, uint64_t limit_bytes);
/* received: the number of bytes received; UINT64_MAX: a sent message. */
void emit_msghdr(struct emit *e, unsigned i, const uint8_t *p, uint64_t received);

/* ---- Pieces ---- */

struct piece {
	const uint8_t *data; /* NULL: not fetched */
	uint32_t bytes;
	uint8_t status;
};

/* The piece at entry of data that was fetched at entry and exit. */
struct piece piece_first(const struct syscall_event *ev, unsigned arg, unsigned part);
struct piece piece_find(const struct syscall_event *ev, unsigned arg, unsigned part);
/* The data of an argument: at exit if it was fetched then, otherwise at entry. */
struct piece piece_best(const struct syscall_event *ev, unsigned arg);
