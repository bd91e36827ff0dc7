/* The arguments of a call, and its result. */
#include "decode/syscall/special/specials.h"

#define PATH_LIMIT 4096
#define PERF_ATTR_LEAST 64 /* PERF_ATTR_SIZE_VER0 */

static uint64_t count_of(const struct syscall_event *ev, const struct syscall_arg *arg)
{
	uint64_t n;
	switch (arg->len) {
	case SYSCALL_LEN_ARG:
		n = ev->arg[arg->len_arg];
		/* The upper half of a register is undefined for an int. */
		return ev->desc->arch->pointer_bytes == 4 || ev->desc->args[arg->len_arg].type.bytes == 4 ? (uint32_t)n : n;
	case SYSCALL_LEN_RET:
		return ev->has_ret && ev->ret > 0 ? (uint64_t)ev->ret : 0;
	case SYSCALL_LEN_BITS:
		n = ev->arg[arg->len_arg];
		if (arg->kind == ARG_LIST && n) /* NUMA nodes: the kernel uses one bit less than passed */
			n--;
		return (n + 63) / 64;
	default:
		return 1;
	}
}

static uint64_t pointer_of(const struct emit *e, unsigned i)
{
	return e->arch->pointer_bytes == 4 ? (uint32_t)e->ev->arg[i] : e->ev->arg[i];
}

static bool is_whole(struct value_type t)
{
	return t.format == VALUE_STRUCT || t.format == VALUE_ARRAY || t.format == VALUE_SIGSET ||
	       t.format == VALUE_STATUS;
}

/* A number that the program set and the kernel changed: [128 => 16]. */
static void changed(struct emit *e, const struct syscall_arg *arg, struct piece in, struct piece out_piece)
{
	size_t n = value_bytes(e->arch, arg->type);
	bool both = in.data && out_piece.data && in.bytes >= n && out_piece.bytes >= n &&
		    memcmp(in.data, out_piece.data, n);
	struct piece p = out_piece.data ? out_piece : in;
	if (e->json) {
		emit_memory(e, arg->type, p.data, p.bytes);
		return;
	}
	out_ch(e->out, '[');
	if (both) {
		emit_memory(e, arg->type, in.data, in.bytes);
		out_str(e->out, n == 8 ? "] => [" : " => ");
	}
	emit_memory(e, arg->type, p.data, p.bytes);
	out_ch(e->out, ']');
}

/* _LINUX_CAPABILITY_VERSION_1 has only half of the sets. */
static bool is_old_cap(const struct emit *e)
{
	struct piece head = piece_best(e->ev, 0);
	return head.bytes >= 4 && value_load(e->arch, head.data, 4) == 0x19980330;
}

/* The minimum size of a struct. */
static size_t least_bytes(const struct emit *e, const struct syscall_arg *arg, struct piece p)
{
	size_t n = value_bytes(e->arch, arg->type);
	if (arg->type.of == &struct_perf_event_attr && p.bytes >= 8) { /* the attr contains its size */
		size_t said = (size_t)value_load(e->arch, p.data + 4, 4);
		said = said < PERF_ATTR_LEAST ? PERF_ATTR_LEAST : said;
		n = said < n ? said : n;
	}
	if (arg->type.of == &struct_sigevent) /* only SIGEV_THREAD_ID uses the rest */
		n = e->arch->pointer_bytes + 8;
	if (arg->type.of == &struct_cap_data && is_old_cap(e))
		n /= 2;
	return n;
}

/* A piece too short for the kernel, too. Structs whose size is an argument may be short. */
static bool is_cut(const struct emit *e, const struct syscall_arg *arg, struct piece p)
{
	return p.status == SYSCALL_FETCH_PARTIAL && arg->len == SYSCALL_LEN_FIXED && p.bytes < least_bytes(e, arg, p);
}

static void pointee(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece in = piece_find(e->ev, i, SYSCALL_PART_WHOLE), at_exit = piece_find(e->ev, i, SYSCALL_PART_EXIT);
	/* The remaining time of a timeout is printed after the result. */
	struct piece p = at_exit.data && !(in.data && e->ev->desc->ret == SYSCALL_RET_TIMEOUT) ? at_exit : in;
	bool untouched = arg->type.format == VALUE_STATUS && e->ev->ret == 0; /* WNOHANG, and no child has ended */
	/* The remaining time of a sleep is only written if it was interrupted. */
	untouched |= arg->at & SYSCALL_FETCH_ON_ERROR && e->ev->has_ret && e->ev->ret == 0;
	if (!p.data || untouched || is_cut(e, arg, p))
		emit_pointer(e, pointer_of(e, i));
	else if (arg->type.format == VALUE_STATUS && !e->json) {
		out_ch(e->out, '[');
		emit_memory(e, arg->type, p.data, p.bytes);
		out_ch(e->out, ']');
	} else if (is_whole(arg->type)) {
		e->sized = arg->len == SYSCALL_LEN_ARG ? count_of(e->ev, arg) : 0;
		emit_memory(e, arg->type, p.data, p.bytes);
	} else {
		changed(e, arg, in, at_exit);
	}
}

static void list(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint64_t nr = count_of(e->ev, arg), k = 0;
	size_t n = value_bytes(e->arch, arg->type);
	bool mine = e->ev->has_ret &&
		    !syscall_failed(e->ev->ret); /* nothing to fetch: an empty list, not a pointer */
	bool none = !nr && pointer_of(e, i) && (arg->len == SYSCALL_LEN_ARG || (mine && arg->len == SYSCALL_LEN_RET));
	if (!p.data && !none) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	emit_array(e);
	for (; k < nr && (k + 1) * n <= p.bytes; k++) {
		emit_item(e);
		emit_memory(e, arg->type, p.data + k * n, n);
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

static void string(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint32_t limit = e->limit;
	if (!p.data) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	if (arg->kind == ARG_PATH && limit < PATH_LIMIT)
		e->limit = PATH_LIMIT;
	bool endless = p.status == SYSCALL_FETCH_PARTIAL; /* up to the end of the memory */
	if (endless && p.bytes <= e->limit)
		emit_pointer(e, pointer_of(e, i));
	else
		emit_string(e, p.data, strnlen((const char *)p.data, p.bytes), endless || p.status == SYSCALL_FETCH_TRUNCATED);
	e->limit = limit;
}

static void buffer(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint64_t nr = count_of(e->ev, arg);
	bool empty = arg->len == SYSCALL_LEN_RET && e->ev->has_ret && e->ev->ret == 0 && pointer_of(e, i);
	if (!p.data && !empty) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	size_t n = p.bytes < nr ? p.bytes : (size_t)nr;
	int netlink = arg->kind == ARG_PACKET ? netlink_protocol(e) : -1;
	if (netlink >= 0 && emit_netlink(e, p.data, n, nr, pointer_of(e, i), netlink))
		return;
	if (arg->kind == ARG_RANDOM)
		emit_bytes(e, p.data, n, n < nr);
	else
		emit_string(e, p.data, n, n < nr);
}

static void messages(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	bool received = arg->at & SYSCALL_AT_EXIT && e->ev->has_ret && e->ev->ret >= 0;
	size_t head = e->arch->pointer_bytes == 4 ? 28 : 56, n = head + (e->arch->pointer_bytes == 4 ? 4 : 8);
	bool awaited = arg->at & SYSCALL_AT_EXIT && !received; /* nothing was received */
	if (!p.data || (arg->kind == ARG_MSGHDR && p.bytes < head) || (arg->kind == ARG_MMSGHDR && awaited)) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	if (arg->kind == ARG_MSGHDR) {
		emit_msghdr(e, i, p.data, received ? (uint64_t)e->ev->ret : UINT64_MAX);
		return;
	}
	uint64_t nr = count_of(e->ev, arg), k = 0;
	emit_array(e);
	for (; k < nr && k < 1 && (k + 1) * n <= p.bytes; k++) {
		emit_item(e);
		emit_struct(e);
		emit_member(e, "msg_hdr");
		uint64_t bytes = value_load(e->arch, p.data + k * n + head, 4);
		emit_msghdr(e, i, p.data + k * n, received ? bytes : UINT64_MAX);
		if (received) {
			emit_member(e, "msg_len");
			emit_u64(e, bytes);
		}
		emit_struct_end(e);
	}
	if (k < nr)
		emit_more(e); /* the buffers of the others were not fetched */
	emit_array_end(e);
}

static void strings(struct emit *e, unsigned i)
{
	struct piece count = piece_best(e->ev, i);
	uint64_t nr = count.bytes >= 4 ? value_load(&arch_x86_64, count.data, 4) : 0;
	if (!count.data) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	emit_array(e);
	uint64_t k = 0;
	for (; k < nr && k < SYSCALL_DATA_PARTS; k++) {
		struct piece p = piece_find(e->ev, i, SYSCALL_PART_DATA + (unsigned)k);
		if (!p.data)
			break;
		emit_item(e);
		emit_string(e, p.data, strnlen((const char *)p.data, p.bytes), p.status == SYSCALL_FETCH_TRUNCATED);
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

static void environ_count(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	emit_pointer(e, pointer_of(e, i));
	if (e->json || p.bytes < 4)
		return;
	uint64_t nr = value_load(&arch_x86_64, p.data, 4);
	out_f(e->out, " /* %llu var%s%s */", (unsigned long long)nr, nr == 1 ? "" : "s",
	      p.status == SYSCALL_FETCH_TRUNCATED ? " or more" : "");
}

void emit_fdset(struct emit *e, unsigned i, unsigned part)
{
	struct piece p = piece_find(e->ev, i, part);
	if (!p.data) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	uint64_t bits = e->ev->arg[0] < 8ULL * p.bytes ? e->ev->arg[0] : 8ULL * p.bytes;
	emit_bits(e, p.data, bits);
}

static void sockaddr(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint32_t bytes = p.bytes;
	bool cut = p.status == SYSCALL_FETCH_PARTIAL;
	if (arg->len == SYSCALL_LEN_DEREF) { /* the size of the buffer, then the size of the data */
		struct piece room = piece_find(e->ev, arg->len_arg, SYSCALL_PART_WHOLE);
		struct piece is = piece_find(e->ev, arg->len_arg, SYSCALL_PART_EXIT);
		uint32_t most = room.bytes >= 4 ? (uint32_t)value_load(e->arch, room.data, 4) : bytes;
		uint32_t there = is.bytes >= 4 ? (uint32_t)value_load(e->arch, is.data, 4) : bytes;
		most = most < there ? most : there;
		cut = cut && bytes < most;
		bytes = bytes < most ? bytes : most;
	}
	if (!p.data || cut)
		emit_pointer(e, pointer_of(e, i));
	else
		emit_sockaddr(e, p.data, bytes);
}

/* An array of pointers, each to one of the type. */
static void pointers(struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint64_t nr = count_of(e->ev, arg), k = 0;
	size_t word = e->arch->pointer_bytes, n = value_bytes(e->arch, arg->type);
	if (!p.data || (int64_t)nr < 0) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	emit_array(e);
	for (; k < nr && (k + 1) * word <= p.bytes && k < SYSCALL_DATA_PARTS; k++) {
		struct piece one = piece_find(e->ev, i, SYSCALL_PART_DATA + (unsigned)k);
		emit_item(e);
		if (one.bytes >= n)
			emit_memory(e, arg->type, one.data, one.bytes);
		else
			emit_pointer(e, value_load(e->arch, p.data + k * word, word));
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

static void sigmask(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i), set = piece_find(e->ev, i, SYSCALL_PART_DATA);
	size_t word = e->arch->pointer_bytes;
	if (p.bytes < 2 * word) {
		emit_pointer(e, pointer_of(e, i));
		return;
	}
	uint64_t bytes = value_load(e->arch, p.data + word, word);
	emit_struct(e);
	emit_member(e, "sigmask");
	if (set.bytes == 8 && bytes == 8)
		emit_sigset(e, value_load(e->arch, set.data, 8));
	else
		emit_pointer(e, value_load(e->arch, p.data, word));
	emit_member(e, "sigsetsize");
	emit_u64(e, bytes);
	emit_struct_end(e);
}

static void print_arg(struct emit *e, unsigned i)
{
	const struct syscall_arg *arg = &e->ev->desc->args[i];
	uint64_t total;
	switch (arg->kind) {
	case ARG_VALUE:
		emit_value(e, arg->type, e->ev->arg[i]);
		break;
	case ARG_POINTEE:
		pointee(e, arg, i);
		break;
	case ARG_LIST:
		list(e, arg, i);
		break;
	case ARG_PATH:
	case ARG_STRING:
		string(e, arg, i);
		break;
	case ARG_BUFFER:
	case ARG_PACKET:
	case ARG_RANDOM:
		buffer(e, arg, i);
		break;
	case ARG_IOVEC:
		total = arg->at & SYSCALL_AT_EXIT && e->ev->has_ret && e->ev->ret >= 0 ? (uint64_t)e->ev->ret
										       : UINT64_MAX;
		emit_iovec(e, i, count_of(e->ev, arg), total);
		break;
	case ARG_MSGHDR:
	case ARG_MMSGHDR:
		messages(e, arg, i);
		break;
	case ARG_STRINGS:
		strings(e, i);
		break;
	case ARG_ENVIRON:
		environ_count(e, i);
		break;
	case ARG_SOCKADDR:
		sockaddr(e, arg, i);
		break;
	case ARG_FDSET:
		emit_fdset(e, i, SYSCALL_PART_WHOLE);
		break;
	case ARG_PAIR:
		emit_i64(e, (int64_t)((e->ev->arg[i + 1] & UINT32_MAX) << 32 | (e->ev->arg[i] & UINT32_MAX)));
		break;
	case ARG_PAIR_HIGH:
		emit_i64(e, (int64_t)((e->ev->arg[i] & UINT32_MAX) << 32 | (e->ev->arg[i + 1] & UINT32_MAX)));
		break;
	case ARG_POINTERS:
		pointers(e, arg, i);
		break;
	case ARG_SIGMASK:
		sigmask(e, i);
		break;
	case ARG_SPECIAL:
		arg->print(e, i);
		break;
	default:
		emit_hex(e, e->ev->arg[i]);
		break;
	}
}

/* Whether a zero is meaningful: a descriptor, or a value with a name for 0. */
static bool is_shown_as_zero(const struct syscall_arg *arg)
{
	if (arg->kind == ARG_SPECIAL)
		return !arg->at; /* others are pointers */
	if (arg->kind != ARG_VALUE)
		return false;
	switch (arg->type.format) {
	case VALUE_FD:
	case VALUE_DIRFD:
	case VALUE_CLOCK:
		return true;
	case VALUE_ENUM:
		return constant_name(arg->type.of, 0);
	case VALUE_FLAGS:
		return constants_zero(arg->type.of);
	default:
		return false;
	}
}

uint8_t shown_zeros_of(const struct syscall_desc *d)
{
	uint8_t bits = 0;
	for (unsigned i = 0; d->described && i < d->nargs; i++)
		bits |= (uint8_t)(is_shown_as_zero(&d->args[i]) << i);
	return bits;
}

uint8_t fd_args_of(const struct syscall_desc *d)
{
	uint8_t bits = 0;
	for (unsigned i = 0; d->described && i < d->nargs; i++) {
		const struct syscall_arg *arg = &d->args[i];
		bool fd = arg->kind == ARG_VALUE && (arg->type.format == VALUE_FD || arg->type.format == VALUE_DIRFD);
		bits |= (uint8_t)(fd << i);
	}
	return bits;
}

/* The NAMED layout omits zeros without a meaning, as perf does. */
static bool is_silent(const struct emit *e, const struct syscall_arg *arg, unsigned i)
{
	if (e->strace || e->json || e->style->show_zeros || e->ev->arg[i])
		return false;
	if (arg->kind == ARG_PAIR || arg->kind == ARG_PAIR_HIGH)
		return !e->ev->arg[i + 1];
	return !(e->ev->desc->shown_zeros >> i & 1);
}

static bool is_shown(const struct emit *e, unsigned i)
{
	const struct syscall_arg *arg = &e->ev->desc->args[i];
	if (arg->kind == ARG_HIDDEN || (arg->shown && !arg->shown(e->ev, i)))
		return false;
	return !is_silent(e, arg, i);
}

static void print_raw(struct emit *e)
{
	bool first = true;
	for (unsigned i = 0; i < e->ev->desc->nargs; i++) {
		const char *name = syscall_arg_name(e->ev->desc, i);
		if (e->json) {
			json_key(e->json, name);
		} else {
			if (!first)
				out_str(e->out, ", ");
			if (!e->strace && !e->style->hide_names) {
				out_str(e->out, name);
				out_str(e->out, ": ");
			}
		}
		first = false;
		emit_hex(e, e->ev->arg[i]);
	}
}

/* strace gives the arguments of clone names, because their order differs between architectures. */
static const char *clone_name(const char *name)
{
	static const char *const names[][2] = { { "clone_flags", "flags=" },
					       { "newsp", "child_stack=" },
					       { "parent_tidptr", "parent_tid=" },
					       { "child_tidptr", "child_tidptr=" },
					       { "tls", "tls=" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return "";
}

static void print_all(struct emit *e)
{
	const struct syscall_desc *d = e->ev->desc;
	bool clone = e->strace && !strcmp(d->name, "clone"), first = true;
	for (unsigned k = 0; k < d->nargs; k++) {
		unsigned i = clone && k < 2 ? 1 - k : k;
		if (!is_shown(e, i))
			continue;
		const struct syscall_arg *arg = &d->args[i];
		unsigned comma = first ? 2 : 0; /* bytes of the label to skip */
		if (e->json)
			json_key(e->json, arg->name);
		else if (!e->strace && !e->style->hide_names)
			out_write(e->out, arg->label + comma, arg->label_bytes - comma);
		else if (!first)
			out_str(e->out, ", ");
		if (clone && !e->json)
			out_str(e->out, clone_name(arg->name));
		first = false;
		print_arg(e, i);
	}
}

void syscall_print_args(struct out *out, const struct syscall_style *style, const struct syscall_event *ev)
{
	struct emit e;
	emit_init(&e, out, NULL, style, ev->desc->arch, ev);
	if (style->raw || !ev->desc->described)
		print_raw(&e);
	else
		print_all(&e);
	emit_deinit(&e);
}

void syscall_json_args(struct json *json, const struct syscall_style *style, const struct syscall_event *ev)
{
	struct emit e;
	emit_init(&e, NULL, json, style, ev->desc->arch, ev);
	json_object(json);
	if (style->raw || !ev->desc->described)
		print_raw(&e);
	else
		print_all(&e);
	json_end(json);
	emit_deinit(&e);
}
