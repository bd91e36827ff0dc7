/* ptrace(2): its last two arguments, by the request. */
#include "decode/syscall/special/specials.h"
#include "decode/syscall/type_macros.h"

enum request {
	TRACEME,
	PEEKTEXT,
	PEEKDATA,
	PEEKUSER,
	CONT = 7,
	KILL,
	SINGLESTEP,
	ATTACH = 0x10,
	DETACH,
	SYSCALL = 0x18,
	SYSEMU = 0x1f,
	SYSEMU_SINGLESTEP,
	SINGLEBLOCK,
	SETOPTIONS = 0x4200,
	GETEVENTMSG,
	GETSIGINFO,
	SETSIGINFO,
	GETREGSET,
	SETREGSET,
	SEIZE,
	INTERRUPT,
	LISTEN,
	PEEKSIGINFO,
	GETSIGMASK,
	SETSIGMASK,
	GET_FILTER,
	GET_METADATA,
	GET_SYSCALL_INFO,
};

static uint32_t request_of(const struct syscall_event *ev)
{
	return ev->arg[0] >> 32 ? UINT32_MAX : (uint32_t)ev->arg[0];
}

bool ptrace_has_pid(const struct syscall_event *ev, unsigned i)
{
	return request_of(ev) != TRACEME;
}

bool ptrace_has_addr(const struct syscall_event *ev, unsigned i)
{
	switch (request_of(ev)) {
	case TRACEME:
	case KILL:
	case ATTACH:
	case INTERRUPT:
	case LISTEN:
		return false;
	default:
		return true;
	}
}

static bool succeeded(const struct emit *e)
{
	return e->ev->has_ret && !syscall_failed(e->ev->ret);
}

/* The struct if it was fetched completely: at entry, or at exit of a successful call. */
static const uint8_t *bytes_of(const struct emit *e, unsigned i, size_t n, bool answer)
{
	struct piece p = piece_find(e->ev, i, answer ? SYSCALL_PART_EXIT : SYSCALL_PART_WHOLE);
	return p.bytes >= n && (!answer || succeeded(e)) ? p.data : NULL;
}

static void structure(struct emit *e, unsigned i, const struct struct_type *s, bool answer)
{
	size_t n = struct_bytes(e->arch, s);
	const uint8_t *p = bytes_of(e, i, n, answer);
	if (p)
		emit_memory(e, (struct value_type)IN_STRUCT(s), p, n);
	else
		emit_pointer(e, e->ev->arg[i]);
}

void print_ptrace_addr(struct emit *e, unsigned i)
{
	switch (request_of(e->ev)) {
	case GETREGSET:
	case SETREGSET:
		emit_enum(e, &constants_nt, e->ev->arg[i]);
		break;
	case PEEKSIGINFO:
		structure(e, i, &struct_ptrace_peeksiginfo, false);
		break;
	case GETSIGMASK:
	case SETSIGMASK:
	case GET_FILTER:
	case GET_METADATA:
	case GET_SYSCALL_INFO:
		emit_u64(e, e->ev->arg[i]);
		break;
	default:
		emit_pointer(e, e->ev->arg[i]);
		break;
	}
}

static void number_in_brackets(struct emit *e, unsigned i)
{
	const uint8_t *p = bytes_of(e, i, e->arch->pointer_bytes, true);
	if (!p) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	emit_array(e);
	emit_item(e);
	emit_hex(e, value_load(e->arch, p, e->arch->pointer_bytes));
	emit_array_end(e);
}

static void mask(struct emit *e, unsigned i, bool answer)
{
	uint64_t bytes = e->ev->arg[i - 1];
	const uint8_t *p = bytes == 8 ? bytes_of(e, i, 8, answer) : NULL;
	if (p)
		emit_sigset(e, value_load(e->arch, p, 8));
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* The preceding argument is its size; the program sets the offset, the kernel the flags. */
static void metadata(struct emit *e, unsigned i)
{
	const uint8_t *p = bytes_of(e, i, 16, true);
	if (p)
		emit_members(e, &struct_ptrace_metadata, p, e->ev->ret < 16 ? (size_t)e->ev->ret : 16);
	else if (e->ev->arg[i - 1] >= 8 && (p = bytes_of(e, i, 8, false)))
		emit_members(e, &struct_ptrace_metadata, p, 8);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* The result is the size of the data, the argument that of the buffer. */
static void syscall_info(struct emit *e, unsigned i)
{
	static const struct struct_type *const by_op[] = {
		&struct_ptrace_stop, &struct_ptrace_entry, &struct_ptrace_exit, &struct_ptrace_seccomp,
	};
	struct piece p = piece_find(e->ev, i, SYSCALL_PART_EXIT);
	uint64_t room = e->ev->arg[i - 1], n = succeeded(e) ? (uint64_t)e->ev->ret : 0;
	n = n < room ? n : room;
	n = n < p.bytes ? n : p.bytes;
	if (!p.data || !n) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	emit_members(e, by_op[p.data[0] < 4 ? p.data[0] : 0], p.data, n);
}

void print_ptrace_data(struct emit *e, unsigned i)
{
	uint64_t v = e->ev->arg[i];
	switch (request_of(e->ev)) {
	case CONT:
	case SINGLESTEP:
	case DETACH:
	case SYSCALL:
	case SYSEMU:
	case SYSEMU_SINGLESTEP:
	case SINGLEBLOCK:
		emit_signal(e, v);
		break;
	case SETOPTIONS:
	case SEIZE:
		emit_flags(e, &constants_ptrace_options, v);
		break;
	case PEEKTEXT:
	case PEEKDATA:
	case PEEKUSER:
	case GETEVENTMSG:
		number_in_brackets(e, i);
		break;
	case GETSIGINFO:
	case SETSIGINFO:
		structure(e, i, &struct_siginfo, request_of(e->ev) == GETSIGINFO);
		break;
	case GETREGSET:
	case SETREGSET:
		structure(e, i, &struct_iovec, request_of(e->ev) == GETREGSET);
		break;
	case GETSIGMASK:
	case SETSIGMASK:
		mask(e, i, request_of(e->ev) == GETSIGMASK);
		break;
	case GET_METADATA:
		metadata(e, i);
		break;
	case GET_SYSCALL_INFO:
		syscall_info(e, i);
		break;
	default:
		emit_pointer(e, v);
		break;
	}
}
