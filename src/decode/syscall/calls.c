#include "decode/syscall/special/specials.h"
#include "decode/syscall/type_macros.h"

#include "base/strtab.h"

/* Classes as spelled in calls.def. */
enum {
	none = 0,
	file = SYSCALL_FILE,
	desc = SYSCALL_DESC,
	net = SYSCALL_NETWORK,
	proc = SYSCALL_PROCESS,
	sig = SYSCALL_SIGNAL,
	mem = SYSCALL_MEMORY,
	ipc = SYSCALL_IPC,
	cred = SYSCALL_CREDS,
	clk = SYSCALL_CLOCK,
	pure = SYSCALL_PURE,
	stat_ = SYSCALL_STAT,
	lstat_ = SYSCALL_LSTAT,
	fstat_ = SYSCALL_FSTAT,
	stat_like = SYSCALL_STAT_LIKE,
	statfs_ = SYSCALL_STATFS,
	fstatfs_ = SYSCALL_FSTATFS,
	statfs_like = SYSCALL_STATFS_LIKE,
};

#define ENTRY SYSCALL_AT_ENTRY
#define EXIT SYSCALL_AT_EXIT
#define BOTH_WAYS (SYSCALL_AT_ENTRY | SYSCALL_AT_EXIT)
#define EVER (SYSCALL_AT_EXIT | SYSCALL_FETCH_ON_ERROR)

#define ARG(n, k, ...) \
	{ .name = #n, .label = ", " #n ": ", .label_bytes = sizeof(", " #n ": ") - 1, .kind = ARG_##k, __VA_ARGS__ }
#define A(n, t) ARG(n, VALUE, .type = t)
#define SHOWN(n, t, p) ARG(n, VALUE, .type = t, .shown = p)
#define WIDE(n) ARG(n, PAIR), ARG(n, HIDDEN)
#define WIDE_HIGH(n) ARG(n, PAIR_HIGH), ARG(n, HIDDEN)
#define HIDDEN(n) ARG(n, HIDDEN)
#define PATH(n) ARG(n, PATH, .at = ENTRY)
#define STR(n) ARG(n, STRING, .at = ENTRY)
#define OUT_PATH(n) ARG(n, PATH, .at = EXIT)
#define IN_PACKET(n, i) ARG(n, PACKET, .at = ENTRY, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define OUT_PACKET(n) ARG(n, PACKET, .at = EXIT, .len = SYSCALL_LEN_RET)
#define TO_EACH(n, t, i) ARG(n, POINTERS, .at = ENTRY, .type = t, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define IN_BUF(n, i) ARG(n, BUFFER, .at = ENTRY, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define OUT_BUF(n) ARG(n, BUFFER, .at = EXIT, .len = SYSCALL_LEN_RET)
#define OUT_RANDOM(n) ARG(n, RANDOM, .at = EXIT, .len = SYSCALL_LEN_RET)
#define TO(n, t) ARG(n, POINTEE, .at = ENTRY, .type = t)
#define TO_SHOWN(n, t, p) ARG(n, POINTEE, .at = ENTRY, .type = t, .shown = p)
#define TO_SIZED(n, t, i) ARG(n, POINTEE, .at = ENTRY, .type = t, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define FROM(n, t) ARG(n, POINTEE, .at = EXIT, .type = t)
#define FROM_ANY(n, t) ARG(n, POINTEE, .at = EXIT, .type = t)
#define BOTH(n, t) ARG(n, POINTEE, .at = BOTH_WAYS, .type = t)
#define REST(n, t) ARG(n, POINTEE, .at = EVER, .type = t)
#define CLONE_FROM(n, p) ARG(n, POINTEE, .at = EXIT, .type = INT, .shown = p)
#define TO_N(n, t, i) ARG(n, LIST, .at = ENTRY, .type = t, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define FROM_N(n, t, i) ARG(n, LIST, .at = EXIT, .type = t, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define FROM_RET(n, t) ARG(n, LIST, .at = EXIT, .type = t, .len = SYSCALL_LEN_RET)
#define IN_IOVEC(n, i) ARG(n, IOVEC, .at = ENTRY, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define OUT_IOVEC(n, i) ARG(n, IOVEC, .at = EVER, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define IN_MSG(n) ARG(n, MSGHDR, .at = ENTRY)
#define OUT_MSG(n) ARG(n, MSGHDR, .at = EXIT)
#define IN_MMSG(n) ARG(n, MMSGHDR, .at = ENTRY, .len = SYSCALL_LEN_ARG, .len_arg = 2)
#define OUT_MMSG(n) ARG(n, MMSGHDR, .at = EXIT, .len = SYSCALL_LEN_RET)
/* A pointer to a set of signals, and its size: the layout of one vector. */
#define SIGMASK(n) ARG(n, SIGMASK, .at = ENTRY)
#define STRINGS(n) ARG(n, STRINGS, .at = ENTRY)
#define ENVIRON(n) ARG(n, ENVIRON, .at = ENTRY)
#define SOCKADDR_IN(n, i) ARG(n, SOCKADDR, .at = ENTRY, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define SOCKADDR_OUT(n, i) ARG(n, SOCKADDR, .at = EXIT, .len = SYSCALL_LEN_DEREF, .len_arg = i)
#define NODES(n, when, i) ARG(n, LIST, .at = when, .type = HEX(8), .len = SYSCALL_LEN_BITS, .len_arg = i)
#define FDSET(n) ARG(n, FDSET, .at = BOTH_WAYS, .len = SYSCALL_LEN_BITS, .len_arg = 0)
#define SPECIAL_VALUE(n, f) ARG(n, SPECIAL, .print = f)
#define SPECIAL_SHOWN(n, f, p) ARG(n, SPECIAL, .print = f, .shown = p)
#define SPECIAL(n, f, when, bytes) ARG(n, SPECIAL, .print = f, .at = when, .fetch_bytes = bytes)
#define SPECIAL_IF(n, f, p, when, bytes) ARG(n, SPECIAL, .print = f, .shown = p, .at = when, .fetch_bytes = bytes)
#define SPECIAL_FETCH_SHOWN(n, f, p, bytes) ARG(n, SPECIAL, .print = f, .shown = p, .at = ENTRY, .fetch_bytes = bytes)
#define SPECIAL_N(n, f, when, unit, i) \
	ARG(n, SPECIAL, .print = f, .at = when, .fetch_bytes = unit, .len = SYSCALL_LEN_ARG, .len_arg = i)
#define SPECIAL_ARG(n, f, when, i) SPECIAL_N(n, f, when, 1, i)
#define SPECIAL_DEREF(n, f, i) \
	ARG(n, SPECIAL, .print = f, .at = EXIT, .fetch_bytes = 1, .len = SYSCALL_LEN_DEREF, .len_arg = i)
#define SPECIAL_RET(n, f) ARG(n, SPECIAL, .print = f, .at = EXIT, .fetch_bytes = 1, .len = SYSCALL_LEN_RET)
#define SPECIAL_IOCTL(n, f, p) \
	ARG(n, SPECIAL, .print = f, .shown = p, .at = BOTH_WAYS, .fetch_bytes = 1, .len = SYSCALL_LEN_IOCTL)

/* Elements of arrays; some are unused here, but used by calls_i386.def. */
static const struct value_type fd_type = FD, ptr_type = PTR, timeval_type = IN(timeval), utimens_type = IN(utimens),
			       utimens64_type = IN(utimens64), waitv_type = IN(futex_waitv);

#define CALL(name, ret, classes, ...) static const struct syscall_arg args_##name[] = { __VA_ARGS__ };
#include "decode/syscall/calls.def"
#undef CALL
#define CALL(name, ret, classes, ...) static const struct syscall_arg args_i386_##name[] = { __VA_ARGS__ };
#include "decode/syscall/calls_i386.def"
#undef CALL

#define NR_OF(array) (sizeof(array) / sizeof(*(array)))
#define CALL(name, ret, classes, ...) { #name, SYSCALL_RET_##ret, classes, NR_OF(args_##name), args_##name },
static const struct call calls[] = {
#include "decode/syscall/calls.def"
};
#undef CALL
#define CALL(name, ret, classes, ...) { #name, SYSCALL_RET_##ret, classes, NR_OF(args_i386_##name), args_i386_##name },
static const struct call calls_i386[] = {
#include "decode/syscall/calls_i386.def"
};

static void add(struct call_names *n, const struct call *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strtab_add_borrowed(&n->names, list[i].name) == n->calls.len)
			vec_push(&n->calls, &list[i]);
}

void call_names_init(struct call_names *n, const struct arch *a)
{
	*n = (struct call_names){};
	strtab_init(&n->names);
	vec_push(&n->calls, NULL); /* "" */
	if (a == &arch_i386)
		add(n, calls_i386, NR_OF(calls_i386));
	add(n, calls, NR_OF(calls));
}

void call_names_deinit(struct call_names *n)
{
	strtab_deinit(&n->names);
	vec_deinit(&n->calls);
}

const struct call *call_find(const struct call_names *n, const char *name)
{
	str_id id = strtab_find(&n->names, name);
	return id == IDSET_NONE ? NULL : n->calls.data[id];
}
