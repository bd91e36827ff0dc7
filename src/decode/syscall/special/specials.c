#include "decode/syscall/special/specials.h"
#include "decode/syscall/type_macros.h"

#include <sys/epoll.h>

static uint32_t arg32(const struct syscall_event *ev, unsigned i)
{
	return (uint32_t)ev->arg[i];
}

/* ---- Predicates: whether an argument is used ---- */

static bool creates(const struct syscall_event *ev, unsigned flags)
{
	uint32_t tmpfile = ev->desc->arch == &arch_aarch64 ? 020040000 : 020200000;
	return arg32(ev, flags) & 0100 || (arg32(ev, flags) & tmpfile) == tmpfile;
}

bool creates_1(const struct syscall_event *ev, unsigned i)
{
	return creates(ev, 1);
}
bool creates_2(const struct syscall_event *ev, unsigned i)
{
	return creates(ev, 2);
}
bool remaps_fixed(const struct syscall_event *ev, unsigned i)
{
	return ev->arg[3] & (2 | 4);
}
bool clones_parent(const struct syscall_event *ev, unsigned i)
{
	return ev->arg[0] & (0x100000 | 0x1000);
}
bool clones_child(const struct syscall_event *ev, unsigned i)
{
	return ev->arg[0] & (0x200000 | 0x1000000);
}
bool clones_tls(const struct syscall_event *ev, unsigned i)
{
	return ev->arg[0] & 0x80000;
}
bool membarrier_has_cpu(const struct syscall_event *ev, unsigned i)
{
	return ev->arg[1] & 1;
}

bool fcntl_has_arg(const struct syscall_event *ev, unsigned i)
{
	switch (arg32(ev, 1)) {
	case 1:
	case 3:
	case 9:
	case 11:
	case 1025:
	case 1028:
	case 1032:
	case 1034: /* F_GET… without structs */
		return false;
	default:
		return true;
	}
}

static bool makes_device(const struct syscall_event *ev, unsigned mode)
{
	uint32_t type = arg32(ev, mode) & 0170000;
	return type == 0020000 || type == 0060000;
}

bool makes_device_1(const struct syscall_event *ev, unsigned i)
{
	return makes_device(ev, 1);
}
bool makes_device_2(const struct syscall_event *ev, unsigned i)
{
	return makes_device(ev, 2);
}

/* ---- futex(2) ---- */

enum {
	FUTEX_WAIT,
	FUTEX_WAKE,
	FUTEX_FD,
	FUTEX_REQUEUE,
	FUTEX_CMP_REQUEUE,
	FUTEX_WAKE_OP,
	FUTEX_LOCK_PI,
	FUTEX_UNLOCK_PI,
	FUTEX_TRYLOCK_PI,
	FUTEX_WAIT_BITSET,
	FUTEX_WAKE_BITSET,
	FUTEX_WAIT_REQUEUE_PI,
	FUTEX_CMP_REQUEUE_PI,
	FUTEX_LOCK_PI2
};

static uint32_t futex_op(const struct syscall_event *ev)
{
	return arg32(ev, 1) & 0x7f;
}

static bool is_one_of(uint32_t v, uint32_t set)
{
	return v < 32 && set >> v & 1;
}

bool futex_has_val(const struct syscall_event *ev, unsigned i)
{
	return !is_one_of(futex_op(ev),
			  1 << FUTEX_LOCK_PI | 1 << FUTEX_UNLOCK_PI | 1 << FUTEX_TRYLOCK_PI | 1 << FUTEX_LOCK_PI2);
}

bool futex_has_time(const struct syscall_event *ev, unsigned i)
{
	return !is_one_of(futex_op(ev), 1 << FUTEX_WAKE | 1 << FUTEX_FD | 1 << FUTEX_UNLOCK_PI | 1 << FUTEX_TRYLOCK_PI |
						1 << FUTEX_WAKE_BITSET);
}

bool futex_has_uaddr2(const struct syscall_event *ev, unsigned i)
{
	return is_one_of(futex_op(ev), 1 << FUTEX_REQUEUE | 1 << FUTEX_CMP_REQUEUE | 1 << FUTEX_WAKE_OP |
					       1 << FUTEX_WAIT_REQUEUE_PI | 1 << FUTEX_CMP_REQUEUE_PI);
}

bool futex_has_val3(const struct syscall_event *ev, unsigned i)
{
	return is_one_of(futex_op(ev), 1 << FUTEX_CMP_REQUEUE | 1 << FUTEX_WAKE_OP | 1 << FUTEX_WAIT_BITSET |
					       1 << FUTEX_WAKE_BITSET | 1 << FUTEX_CMP_REQUEUE_PI);
}

void print_futex_op(struct emit *e, unsigned i)
{
	uint32_t op = arg32(e->ev, i);
	const char *name = constant_name(&constants_futex, futex_op(e->ev));
	struct out *out = emit_atom(e);
	if (name)
		out_str(out,
			e->strace || e->json || e->style->show_prefix ? name : constant_short(&constants_futex, name));
	else
		out_f(out, "0x%x", op & 0x7f);
	if (op & 128)
		out_str(out, "_PRIVATE");
	if (op & 256)
		out_str(out, e->strace || e->json ? "|FUTEX_CLOCK_REALTIME" : "|CLOCK_REALTIME");
	emit_atom_end(e);
}

void print_futex_val(struct emit *e, unsigned i)
{
	if (futex_op(e->ev) == FUTEX_WAKE || futex_op(e->ev) == FUTEX_REQUEUE)
		emit_i64(e, (int32_t)arg32(e->ev, i));
	else
		emit_u64(e, arg32(e->ev, i));
}

/* The fourth argument is a time, or the number of waiters to requeue. */
void print_futex_time(struct emit *e, unsigned i)
{
	uint32_t op = futex_op(e->ev);
	struct piece p = piece_best(e->ev, i);
	bool wide = !strcmp(e->ev->desc->name, "futex_time64");
	if (is_one_of(op, 1 << FUTEX_REQUEUE | 1 << FUTEX_CMP_REQUEUE | 1 << FUTEX_CMP_REQUEUE_PI | 1 << FUTEX_WAKE_OP))
		emit_u64(e, arg32(e->ev, i));
	else if (p.data)
		emit_memory(e, (struct value_type){ VALUE_STRUCT, 0, 0, wide ? &struct_timespec64 : &struct_timespec },
			    p.data, p.bytes);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* The operation of FUTEX_WAKE_OP on the second word, and its comparison: futex(2). */
static void wake_op(struct emit *e, uint32_t v)
{
	static const char *const ops[] = { "SET", "ADD", "OR", "ANDN", "XOR" };
	static const char *const comparisons[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
	uint32_t op = v >> 28 & 7, comparison = v >> 24 & 15;
	struct out *out = emit_atom(e);
	out_str(out, v >> 31 ? "FUTEX_OP_OPARG_SHIFT<<28|" : "");
	if (op < sizeof(ops) / sizeof(*ops))
		out_f(out, "FUTEX_OP_%s<<28|", ops[op]);
	else
		out_f(out, "%#x<<28|", op);
	out_f(out, v >> 12 & 0xfff ? "0x%x<<12|" : "%x<<12|", v >> 12 & 0xfff);
	if (comparison < sizeof(comparisons) / sizeof(*comparisons))
		out_f(out, "FUTEX_OP_CMP_%s<<24|", comparisons[comparison]);
	else
		out_f(out, "%#x<<24|", comparison);
	out_f(out, v & 0xfff ? "0x%x" : "%x", v & 0xfff);
	emit_atom_end(e);
}

void print_futex_val3(struct emit *e, unsigned i)
{
	uint32_t op = futex_op(e->ev);
	if ((op == FUTEX_WAIT_BITSET || op == FUTEX_WAKE_BITSET) && arg32(e->ev, i) == UINT32_MAX)
		emit_word(e, e->strace || e->json ? "FUTEX_BITSET_MATCH_ANY" : "MATCH_ANY");
	else if (op == FUTEX_WAKE_OP)
		wake_op(e, arg32(e->ev, i));
	else if (op == FUTEX_CMP_REQUEUE || op == FUTEX_CMP_REQUEUE_PI)
		emit_u64(e, arg32(e->ev, i));
	else
		emit_hex(e, arg32(e->ev, i));
}

/* ---- poll(2), select(2) ---- */

void print_poll(struct emit *e, unsigned i)
{
	struct piece in = piece_find(e->ev, i, SYSCALL_PART_WHOLE), after = piece_find(e->ev, i, SYSCALL_PART_EXIT);
	struct piece p = in.data ? in : after;
	uint64_t nr = arg32(e->ev, 1), k = 0;
	if (!p.data) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	emit_array(e);
	for (; k < nr && (k + 1) * 8 <= p.bytes; k++) {
		emit_item(e);
		emit_struct(e);
		int32_t fd = (int32_t)value_load(e->arch, p.data + 8 * k, 4);
		emit_member(e, "fd");
		emit_fd(e, fd);
		if (fd < 0) { /* ignored by the kernel */
			emit_struct_end(e);
			continue;
		}
		emit_member(e, "events");
		emit_flags(e, &constants_poll_event, value_load(e->arch, p.data + 8 * k + 4, 2));
		if (!e->strace && (k + 1) * 8 <= after.bytes) {
			emit_member(e, "revents");
			emit_flags(e, &constants_poll_event, value_load(e->arch, after.data + 8 * k + 6, 2));
		}
		emit_struct_end(e);
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

/* EPOLL_CTL_DEL ignores it: programs pass any value. */
void print_epoll_event(struct emit *e, unsigned i)
{
	static const struct value_type event = { .format = VALUE_STRUCT, .of = &struct_epoll_event };
	struct piece p = piece_best(e->ev, i);
	if (p.data && arg32(e->ev, 1) != EPOLL_CTL_DEL)
		emit_memory(e, event, p.data, p.bytes);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* ---- clone(2) ---- */

static void clone_flags(struct emit *e, uint64_t flags, uint32_t signal)
{
	struct out *out = emit_atom(e);
	bool any = flags != 0;
	if (any)
		flags_text(e, out, &constants_clone, flags);
	const char *name = signal ? syscall_signal_name(signal) : NULL;
	if (signal) {
		if (any)
			out_ch(out, '|');
		if (name)
			out_str(out, name);
		else
			out_u64(out, signal);
	} else if (!any) {
		out_ch(out, '0');
	}
	emit_atom_end(e);
}

void print_clone_flags(struct emit *e, unsigned i)
{
	clone_flags(e, e->ev->arg[i] & ~0xffULL, e->ev->arg[i] & 0xff);
}

/* A member is shown if its flag is set, even if it is 0. */
static void clone_members(struct emit *e, const uint8_t *p, uint64_t flags)
{
	static const struct {
		const char *name;
		uint64_t flags;
		uint8_t at, format;
	} members[] = {
		{ "pidfd", 0x1000, 8, VALUE_POINTER },	     { "child_tid", 0x1200000, 16, VALUE_POINTER },
		{ "parent_tid", 0x100000, 24, VALUE_POINTER }, { "exit_signal", 0, 32, VALUE_SIGNAL },
		{ "stack", 0, 40, VALUE_POINTER },	     { "stack_size", 0, 48, VALUE_HEX },
		{ "tls", 0x80000, 56, VALUE_POINTER },
	};
	for (size_t k = 0; k < sizeof(members) / sizeof(*members); k++) {
		if (members[k].flags && !(flags & members[k].flags))
			continue;
		emit_member(e, members[k].name);
		emit_value(e, (struct value_type){ members[k].format, 8, 0, NULL }, value_load(e->arch, p + members[k].at, 8));
	}
}

/* Members of later versions, if the size includes them. */
static void clone_newer(struct emit *e, const uint8_t *p, size_t n, uint64_t flags)
{
	enum { SET_TID = 64, CGROUP = 80, KNOWN = 88 };
	uint64_t into_cgroup = 0x200000000;
	uint64_t ids = n >= CGROUP ? value_load(e->arch, p + SET_TID, 8) : 0, ids_nr = n >= CGROUP ? value_load(e->arch, p + 72, 8) : 0;
	if (ids || ids_nr) {
		emit_member(e, "set_tid");
		emit_pointer(e, ids);
		emit_member(e, "set_tid_size");
		emit_u64(e, ids_nr);
	}
	if (n >= KNOWN && flags & into_cgroup) {
		emit_member(e, "cgroup");
		emit_u64(e, value_load(e->arch, p + CGROUP, 8));
	}
	if (e->ev->arg[1] > KNOWN && e->strace)
		emit_newer(e, p, KNOWN, e->ev->arg[1], n);
}

void print_clone_args(struct emit *e, unsigned i)
{
	enum { LEAST = 64 };
	struct piece p = piece_find(e->ev, i, SYSCALL_PART_WHOLE);
	size_t n = p.bytes < e->ev->arg[1] ? p.bytes : e->ev->arg[1];
	if (n < LEAST) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	uint64_t flags = value_load(e->arch, p.data, 8);
	emit_struct(e);
	emit_member(e, "flags");
	emit_flags(e, &constants_clone3, flags);
	clone_members(e, p.data, flags);
	clone_newer(e, p.data, n, flags);
	emit_struct_end(e);
}

/* ---- Sockets ---- */

void print_protocol(struct emit *e, unsigned i)
{
	uint32_t family = arg32(e->ev, 0), protocol = arg32(e->ev, i);
	if (family == 2 || family == 10)
		emit_enum(e, &constants_ip_protocol, protocol);
	else if (family == 16)
		emit_enum(e, &constants_netlink_protocol, protocol);
	else if (family == 17) {
		const char *name =
			constant_name(&constants_ether_protocol, (protocol & 0xff) << 8 | (protocol >> 8 & 0xff));
		struct out *out = emit_atom(e);
		if (name)
			out_f(out, "htons(%s)", name);
		else
			out_f(out, "htons(0x%x)", (protocol & 0xff) << 8 | (protocol >> 8 & 0xff));
		emit_atom_end(e);
	} else
		emit_u64(e, protocol);
}

/* ---- Files ---- */

void print_fcntl_arg(struct emit *e, unsigned i)
{
	uint64_t v = e->ev->arg[i];
	struct piece p = piece_best(e->ev, i);
	bool wide = !strcmp(e->ev->desc->name, "fcntl64") || e->arch->pointer_bytes == 8;
	switch (arg32(e->ev, 1)) {
	case 0:
	case 8:
	case 1027:
	case 1030:
	case 1031: /* descriptors, pids and sizes */
		emit_i64(e, (int32_t)v);
		break;
	case 2:
		emit_flags(e, &constants_fd_flags, (uint32_t)v);
		break;
	case 4:
		emit_flags(e, &constants_open, (uint32_t)v);
		break;
	case 5:
	case 6:
	case 7:
	case 12:
	case 13:
	case 14:
	case 36:
	case 37:
	case 38: {
		bool locks64 = arg32(e->ev, 1) > 7 && wide;
		if (p.data)
			emit_memory(e,
				    (struct value_type){ VALUE_STRUCT, 0, 0, locks64 ? &struct_flock64 : &struct_flock },
				    p.data, p.bytes);
		else
			emit_pointer(e, v);
		break;
	}
	case 10:
		emit_signal(e, v);
		break;
	case 15:
	case 16:
		if (p.bytes >= struct_bytes(e->arch, &struct_f_owner_ex))
			emit_members(e, &struct_f_owner_ex, p.data, p.bytes);
		else
			emit_pointer(e, v);
		break;
	case 1024:
		emit_enum(e, &constants_lock_type, v);
		break;
	case 1026:
		emit_flags(e, &constants_notify, (uint32_t)v);
		break;
	case 1033:
		emit_flags(e, &constants_seals, (uint32_t)v);
		break;
	default:
		emit_hex(e, v);
		break;
	}
}

/* Options as text, except for file systems that take a struct, which does not look like text. */
void print_mount_data(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	bool text = p.data != NULL;
	for (uint32_t k = 0; k < p.bytes && text; k++)
		text = p.data[k] >= ' ' && p.data[k] < 0x7f;
	if (text)
		emit_string(e, p.data, p.bytes, p.status == SYSCALL_FETCH_TRUNCATED);
	else
		emit_pointer(e, e->ev->arg[i]);
}

void print_quota_cmd(struct emit *e, unsigned i)
{
	static const char *const types[] = { "USRQUOTA", "GRPQUOTA", "PRJQUOTA" };
	uint32_t cmd = arg32(e->ev, i), type = cmd & 0xff;
	const char *name = constant_name(&constants_quota_cmd, cmd >> 8);
	struct out *out = emit_atom(e);
	out_str(out, "QCMD(");
	if (name)
		out_str(out, name);
	else
		out_f(out, "0x%x", cmd >> 8);
	if (type < 3)
		out_f(out, ", %s)", types[type]);
	else
		out_f(out, ", %u)", type);
	emit_atom_end(e);
}

static bool needs_id(uint32_t cmd)
{
	switch (cmd >> 8) {
	case 0x800001: /* Q_SYNC */
	case 0x800003: /* Q_QUOTAOFF */
	case 0x800004: /* Q_GETFMT */
	case 0x800005: /* Q_GETINFO */
	case 0x800006: /* Q_SETINFO */
	case 0x5801:   /* Q_XQUOTAON and the following: states of a whole file system */
	case 0x5802:
	case 0x5805:
	case 0x5806:
	case 0x5807:
	case 0x5808:
		return false;
	default:
		return true;
	}
}

bool quota_has_id(const struct syscall_event *ev, unsigned i)
{
	return needs_id(arg32(ev, 0));
}

bool quota_fd_has_id(const struct syscall_event *ev, unsigned i)
{
	return needs_id(arg32(ev, 1));
}

/* A text whose end may not have been fetched. */
static void path_or_text(struct emit *e, struct piece p, bool path)
{
	uint32_t limit = e->limit;
	if (path)
		e->limit = p.bytes;
	emit_string(e, p.data, p.bytes, true);
	e->limit = limit;
}

/* By the command: bytes, whose number is the next argument; a text; or nothing. */
void print_fsconfig_value(struct emit *e, unsigned i)
{
	enum { SET_STRING = 1, SET_BINARY, SET_PATH, SET_PATH_EMPTY };
	struct piece p = piece_best(e->ev, i);
	uint32_t cmd = arg32(e->ev, 1), n = arg32(e->ev, i + 1);
	const uint8_t *end = p.data ? memchr(p.data, 0, p.bytes) : NULL;
	if (p.data && cmd == SET_BINARY && (int32_t)n >= 0 && (p.status != SYSCALL_FETCH_PARTIAL || p.bytes >= n || p.bytes >= e->limit))
		emit_bytes(e, p.data, p.bytes < n ? p.bytes : n, p.bytes < n);
	else if (end && cmd >= SET_STRING && cmd <= SET_PATH_EMPTY && cmd != SET_BINARY) {
		uint32_t limit = e->limit;
		if (cmd != SET_STRING && e->limit < p.bytes) /* paths are not limited */
			e->limit = p.bytes;
		emit_string(e, p.data, (size_t)(end - p.data), false);
		e->limit = limit;
	} else if (p.bytes > e->limit && cmd >= SET_STRING && cmd <= SET_PATH_EMPTY && cmd != SET_BINARY)
		path_or_text(e, p, cmd != SET_STRING);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* A directory for a path, else a descriptor or a number of bytes. */
void print_fsconfig_aux(struct emit *e, unsigned i)
{
	enum { SET_PATH = 3, SET_PATH_EMPTY };
	static const struct value_type directory = DIRFD;
	uint32_t cmd = arg32(e->ev, 1);
	if (cmd == SET_PATH || cmd == SET_PATH_EMPTY)
		emit_value(e, directory, e->ev->arg[i]);
	else
		emit_i64(e, (int32_t)e->ev->arg[i]);
}

/* ---- Keys ---- */

/*
 * Types of the arguments of each command of keyctl(2): k a key, s a text, b bytes whose number is the next argument, p a pointer, n
 * a number, u a 32-bit number, e an error, i a user or group, x bits; r returned bytes, d a struct of a Diffie-Hellman exchange, c
 * one of a public key, m flags for moving.
 */
static const char *const keyctl_args[] = {
	"kn", "s", "kbn", "k", "kii", "kx", "krn", "k", "kk", "kk", "kssk", "krn", "kbnk", "kuk", "k", "ku", "k",
	"krn", "", "kuek", "kpnk", "k", "ik", "dpnp", "ksp", "cspp", "cspp", "cspp", "cspp", "kss", "kkkm", "pn", "kppp",
};

static char keyctl_kind(const struct syscall_event *ev, unsigned i)
{
	uint32_t option = arg32(ev, 0);
	if (option >= sizeof(keyctl_args) / sizeof(*keyctl_args))
		return 'h';
	return i <= strlen(keyctl_args[option]) ? keyctl_args[option][i - 1] : 0;
}

bool keyctl_has(const struct syscall_event *ev, unsigned i)
{
	return keyctl_kind(ev, i);
}

/* Up to its NUL; the address if the NUL could not be read. */
static void key_text(struct emit *e, struct piece p, uint64_t address)
{
	size_t n = p.data ? strnlen((const char *)p.data, p.bytes) : 0;
	if (!p.data || (n == p.bytes && p.status != SYSCALL_FETCH_OK && p.bytes <= e->limit))
		emit_pointer(e, address);
	else
		emit_string(e, p.data, n, n == p.bytes);
}

static void key_bytes(struct emit *e, struct piece p, uint64_t address, uint64_t n)
{
	if (!address || (n && (!p.data || p.bytes < (n < e->limit ? n : e->limit))))
		emit_pointer(e, address);
	else
		emit_string(e, p.data ? p.data : (const uint8_t *)"", p.bytes < n ? p.bytes : (size_t)n, p.bytes < n);
}

static void key_struct(struct emit *e, const struct struct_type *s, struct piece p, uint64_t address)
{
	if (p.data && p.bytes >= struct_bytes(e->arch, s))
		emit_members(e, s, p.data, p.bytes);
	else
		emit_pointer(e, address);
}

void print_keyctl_arg(struct emit *e, unsigned i)
{
	static const struct value_type key = KEYARG, id = ID(4);
	struct piece p = piece_best(e->ev, i);
	uint64_t v = e->ev->arg[i];
	switch (keyctl_kind(e->ev, i)) {
	case 'k':
		emit_value(e, key, v);
		break;
	case 's':
		key_text(e, p, v);
		break;
	case 'b':
		key_bytes(e, p, v, e->ev->arg[i + 1]);
		break;
	case 'r': {
		uint64_t room = e->ev->arg[i + 1], came = e->ev->has_ret && e->ev->ret > 0 ? (uint64_t)e->ev->ret : 0;
		if (!e->ev->has_ret || syscall_failed(e->ev->ret))
			emit_pointer(e, v);
		else
			key_bytes(e, piece_find(e->ev, i, SYSCALL_PART_EXIT), v, came < room ? came : room);
		break;
	}
	case 'd':
		key_struct(e, &struct_keyctl_dh, p, v);
		break;
	case 'c':
		key_struct(e, &struct_keyctl_pkey, p, v);
		break;
	case 'm':
		emit_flags(e, &constants_keyctl_move, (uint32_t)v);
		break;
	case 'p':
		emit_pointer(e, v);
		break;
	case 'n':
		emit_u64(e, v);
		break;
	case 'u':
		emit_u64(e, (uint32_t)v);
		break;
	case 'e':
		if (syscall_errno_name((unsigned)v))
			emit_word(e, syscall_errno_name((unsigned)v));
		else
			emit_u64(e, (uint32_t)v);
		break;
	case 'i':
		emit_value(e, id, v);
		break;
	case 'x':
		emit_hex(e, (uint32_t)v);
		break;
	default:
		emit_hex(e, v);
		break;
	}
}

/* ---- Processes ---- */

bool kcmp_has_index(const struct syscall_event *ev, unsigned i)
{
	uint32_t type = arg32(ev, 2);
	return type == 0 || type > 6;
}

bool reboot_has_arg(const struct syscall_event *ev, unsigned i)
{
	return arg32(ev, 2) == 0xa1b2c3d4; /* LINUX_REBOOT_CMD_RESTART2 */
}

/* struct user_desc: three words and bits. get_thread_area(2) reads the first and writes the others. */
void print_user_desc(struct emit *e, unsigned i)
{
	enum { BYTES = 16, READ = 0, READ_DEFAULT = 2 };
	static const struct {
		const char *name;
		uint8_t at, bits;
	} fields[] = {
		{ "seg_32bit", 0, 1 }, { "contents", 1, 2 }, { "read_exec_only", 3, 1 }, { "limit_in_pages", 4, 1 },
		{ "seg_not_present", 5, 1 }, { "useable", 6, 1 }, { "lm", 7, 1 },
	};
	bool ldt = e->ev->desc->nargs > 1, is_get = !ldt && e->ev->desc->name[0] == 'g';
	bool others = ldt && (e->ev->arg[2] != BYTES || arg32(e->ev, 0) == READ || arg32(e->ev, 0) == READ_DEFAULT);
	struct piece p = piece_best(e->ev, i);
	if (!p.data || others || p.bytes < (is_get ? 4 : BYTES)) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	emit_struct(e);
	emit_member(e, "entry_number");
	emit_i64(e, (int32_t)value_load(e->arch, p.data, 4));
	if (p.bytes < BYTES || (is_get && (!e->ev->has_ret || syscall_failed(e->ev->ret)))) {
		emit_more(e);
		emit_struct_end(e);
		return;
	}
	emit_member(e, "base_addr");
	emit_hex(e, value_load(e->arch, p.data + 4, 4));
	emit_member(e, "limit");
	emit_hex(e, value_load(e->arch, p.data + 8, 4));
	uint64_t bits = value_load(e->arch, p.data + 12, 4);
	for (size_t k = 0; k < sizeof(fields) / sizeof(*fields) - (e->arch->pointer_bytes == 4); k++) {
		emit_member(e, fields[k].name);
		emit_u64(e, bits >> fields[k].at & ((1U << fields[k].bits) - 1));
	}
	emit_struct_end(e);
}

void print_arch_prctl(struct emit *e, unsigned i)
{
	struct piece p = piece_find(e->ev, i, SYSCALL_PART_EXIT);
	uint32_t option = arg32(e->ev, 0);
	if ((option == 0x1003 || option == 0x1004) && p.bytes >= 8) {
		emit_array(e);
		emit_item(e);
		emit_hex(e, value_load(e->arch, p.data, 8));
		emit_array_end(e);
	} else {
		emit_hex(e, e->ev->arg[i]);
	}
}

void emit_personality(struct emit *e, uint32_t v)
{
	struct out *out = emit_atom(e);
	const char *name = constant_name(&constants_personality, v & 0xff);
	if (name)
		out_str(out, name);
	else
		out_f(out, "0x%x", v & 0xff);
	if (v & ~0xffU) {
		out_ch(out, '|');
		flags_text(e, out, &constants_personality_flags, v & ~0xffU);
	}
	emit_atom_end(e);
}

void print_personality(struct emit *e, unsigned i)
{
	uint32_t v = arg32(e->ev, i);
	if (v == UINT32_MAX) /* a query */
		emit_hex(e, v);
	else
		emit_personality(e, v);
}

void emit_bits(struct emit *e, const uint8_t *p, uint64_t bits)
{
	struct out *out = emit_atom(e);
	bool first = true;
	out_ch(out, '[');
	for (uint64_t i = 0; i < bits; i++) {
		if (!(p[i / 8] >> i % 8 & 1))
			continue;
		if (!first)
			out_ch(out, ' ');
		first = false;
		out_u64(out, i);
	}
	out_ch(out, ']');
	emit_atom_end(e);
}

void print_cpu_mask(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	if (p.data)
		emit_bits(e, p.data, 8ULL * p.bytes);
	else
		emit_pointer(e, e->ev->arg[i]);
}

void emit_ioprio(struct emit *e, uint32_t v)
{
	const char *name = constant_name(&constants_ioprio_class, v >> 13);
	struct out *out = emit_atom(e);
	if (name)
		out_f(out, "IOPRIO_PRIO_VALUE(%s, %u)", name, v & 0x1fff);
	else
		out_f(out, "IOPRIO_PRIO_VALUE(%#x, %u)", v >> 13, v & 0x1fff);
	emit_atom_end(e);
}

void print_ioprio(struct emit *e, unsigned i)
{
	emit_ioprio(e, arg32(e->ev, i));
}

/* ---- seccomp(2), landlock, messages ---- */

void print_seccomp(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	size_t word = e->arch->pointer_bytes;
	if (arg32(e->ev, 0) == 1 && p.bytes >= 2 * word) {
		emit_struct(e);
		emit_member(e, "len");
		emit_u64(e, value_load(e->arch, p.data, 2));
		emit_member(e, "filter");
		emit_pointer(e, value_load(e->arch, p.data + word, word));
		emit_struct_end(e);
	} else if (arg32(e->ev, 0) == 2 && p.bytes >= 4) {
		emit_array(e);
		emit_item(e);
		emit_enum(e, &constants_seccomp_action, value_load(e->arch, p.data, 4));
		emit_array_end(e);
	} else if (arg32(e->ev, 0) == 3 && e->ev->has_ret && !syscall_failed(e->ev->ret) && p.bytes >= 6) {
		static const char *const names[] = { "seccomp_notif", "seccomp_notif_resp", "seccomp_data" };
		emit_struct(e);
		for (size_t k = 0; k < 3; k++) {
			emit_member(e, names[k]);
			emit_u64(e, value_load(e->arch, p.data + 2 * k, 2));
		}
		emit_struct_end(e);
	} else {
		emit_pointer(e, e->ev->arg[i]);
	}
}

void print_landlock_rule(struct emit *e, unsigned i)
{
	enum { PATH_BENEATH = 1, NET_PORT };
	struct piece p = piece_best(e->ev, i);
	uint32_t rule = arg32(e->ev, 1);
	if (rule == PATH_BENEATH && p.bytes >= struct_bytes(e->arch, &struct_landlock_beneath))
		emit_members(e, &struct_landlock_beneath, p.data, p.bytes);
	else if (rule == NET_PORT && p.bytes >= struct_bytes(e->arch, &struct_landlock_port))
		emit_members(e, &struct_landlock_port, p.data, p.bytes);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* A byte for each page of the range. */
void print_resident(struct emit *e, unsigned i)
{
	enum { PAGE = 4096 };
	struct piece p = piece_best(e->ev, i);
	uint64_t nr = (e->ev->arg[1] + PAGE - 1) / PAGE, k = 0;
	if (!p.data || (p.status == SYSCALL_FETCH_PARTIAL && p.bytes < nr)) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	emit_array(e);
	for (; k < nr && k < p.bytes && k < e->limit; k++) {
		emit_item(e);
		emit_u64(e, p.data[k] & 1);
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

/* A set of signals, whose size is the next argument. */
void print_sigset(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint64_t bytes = e->ev->arg[i + 1], set = 0;
	if (!p.data || bytes > 8 || p.bytes < bytes) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	for (unsigned k = 0; k < bytes; k++)
		set |= (uint64_t)p.data[k] << 8 * k;
	emit_sigset(e, set);
}
