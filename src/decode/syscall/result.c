#include <string.h>

#include "decode/syscall/emit.h"

/* Results that only tracers see: include/linux/errno.h. */
static const struct {
	unsigned number;
	const char *name, *text;
} internal[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 515, "ENOIOCTLCMD", "No ioctl command" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
	{ 517, "EPROBE_DEFER", "Driver requests probe retry" },
	{ 524, "ENOTSUPP", "Operation is not supported" },
};

const char *syscall_errno_name(unsigned errnum)
{
	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (internal[i].number == errnum)
			return internal[i].name;
	return errnum ? strerrorname_np((int)errnum) : NULL;
}

const char *syscall_errno_text(unsigned errnum)
{
	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (internal[i].number == errnum)
			return internal[i].text;
	return errnum ? strerrordesc_np((int)errnum) : NULL;
}

static void error_result(struct out *out, unsigned errnum)
{
	const char *name = syscall_errno_name(errnum), *text = syscall_errno_text(errnum);
	bool restart = (errnum >= 512 && errnum <= 514) || errnum == 516;
	out_str(out, restart ? "? " : "-1 ");
	if (name)
		out_f(out, "%s (%s)", name, text);
	else
		out_f(out, "(errno %u)", errnum);
}

static void flags_remark(struct emit *e, const struct constants *c)
{
	out_str(e->out, " (flags ");
	emit_flags(e, c, (uint64_t)e->ev->ret);
	out_ch(e->out, ')');
}

static void fcntl_result(struct emit *e)
{
	int64_t ret = e->ev->ret;
	switch ((uint32_t)e->ev->arg[1]) {
	case 0:    /* F_DUPFD */
	case 1030: /* F_DUPFD_CLOEXEC */
		emit_fd(e, (int)ret);
		break;
	case 1: /* F_GETFD */
		emit_hex(e, (uint64_t)ret);
		if (ret)
			flags_remark(e, &constants_fd_flags);
		break;
	case 3: /* F_GETFL */
		emit_hex(e, (uint64_t)ret);
		flags_remark(e, &constants_open);
		break;
	case 11: /* F_GETSIG */
		emit_i64(e, ret);
		if (ret && syscall_signal_name((unsigned)ret))
			out_f(e->out, " (%s)", syscall_signal_name((unsigned)ret));
		break;
	case 1034: /* F_GET_SEALS */
		emit_hex(e, (uint64_t)ret);
		if (ret)
			flags_remark(e, &constants_seals);
		break;
	default:
		emit_i64(e, ret);
		break;
	}
}

/* Whether a command of bpf(2) returns a descriptor. */
static bool bpf_makes_fd(uint32_t cmd)
{
	static const uint8_t cmds[] = { 0, 5, 7, 13, 14, 17, 18, 19, 28, 30, 32, 33, 36 };
	return memchr(cmds, (int)(cmd & 0xff), sizeof(cmds)) && cmd < 256;
}

static void value_result(struct emit *e)
{
	const struct syscall_event *ev = e->ev;
	const char *name;
	switch (ev->desc->ret) {
	case SYSCALL_RET_FD:
		emit_fd(e, (int)ev->ret);
		break;
	case SYSCALL_RET_PID:
		emit_pid(e, (int)ev->ret);
		break;
	case SYSCALL_RET_PTR:
		if (e->strace && !ev->ret)
			out_str(e->out, "NULL");
		else
			emit_hex(e, ev->desc->arch->pointer_bytes == 4 ? (uint32_t)ev->ret : (uint64_t)ev->ret);
		break;
	case SYSCALL_RET_HEX:
		emit_hex(e, (uint64_t)ev->ret);
		break;
	case SYSCALL_RET_OCTAL:
		emit_octal(e, (uint64_t)ev->ret);
		break;
	case SYSCALL_RET_UNSIGNED:
		emit_u64(e, (uint32_t)ev->ret);
		break;
	case SYSCALL_RET_FCNTL:
		fcntl_result(e);
		break;
	case SYSCALL_RET_BPF:
		if (bpf_makes_fd((uint32_t)ev->arg[0]))
			emit_fd(e, (int)ev->ret);
		else
			emit_i64(e, ev->ret);
		break;
	case SYSCALL_RET_SCHED:
		emit_hex(e, (uint64_t)ev->ret);
		out_str(e->out, " (");
		emit_flags(e, &constants_sched, (uint64_t)ev->ret);
		out_ch(e->out, ')');
		break;
	case SYSCALL_RET_PERSONALITY:
		emit_hex(e, (uint64_t)ev->ret);
		out_str(e->out, " (");
		emit_personality(e, (uint32_t)ev->ret);
		out_ch(e->out, ')');
		break;
	case SYSCALL_RET_IOPRIO:
		emit_hex(e, (uint64_t)ev->ret);
		out_str(e->out, " (");
		emit_ioprio(e, (uint32_t)ev->ret);
		out_ch(e->out, ')');
		break;
	case SYSCALL_RET_SHORT:
		emit_i64(e, ev->ret);
		name = (int32_t)ev->ret < 0 ? syscall_errno_name(-(uint32_t)ev->ret) : NULL;
		if (name)
			out_f(e->out, " %s (%s)", name, syscall_errno_text(-(uint32_t)ev->ret));
		break;
	case SYSCALL_RET_SIGNAL:
		emit_i64(e, ev->ret);
		name = syscall_signal_name((unsigned)ev->ret);
		if (name && ev->ret > 0)
			out_f(e->out, " (%s)", name);
		break;
	case SYSCALL_RET_TIMEX:
		emit_i64(e, ev->ret);
		name = constant_name(&constants_adjtimex_state, (uint64_t)ev->ret);
		if (name)
			out_f(e->out, " (%s)", name);
		break;
	default:
		emit_i64(e, ev->ret);
		break;
	}
}

/* ([{fd=3, revents=POLLIN}]): printed by strace after the result of poll. */
static void polled(struct emit *e)
{
	struct piece p = piece_find(e->ev, 0, SYSCALL_PART_EXIT);
	if (!p.data)
		return;
	out_str(e->out, " (");
	emit_array(e);
	for (size_t at = 0; at + 8 <= p.bytes; at += 8) {
		uint64_t revents = value_load(e->arch, p.data + at + 6, 2);
		if (!revents)
			continue;
		emit_item(e);
		emit_struct(e);
		emit_member(e, "fd");
		emit_fd(e, (int32_t)value_load(e->arch, p.data + at, 4));
		emit_member(e, "revents");
		emit_flags(e, &constants_poll_event, revents);
		emit_struct_end(e);
	}
	emit_array_end(e);
}

/* " (" before the first remark, ", " before the others. */
static void remark(struct emit *e, unsigned *nr, const char *name)
{
	out_str(e->out, (*nr)++ ? ", " : " (");
	out_str(e->out, name);
}

static void left(struct emit *e, unsigned i, unsigned *nr)
{
	struct piece p = piece_find(e->ev, i, SYSCALL_PART_EXIT);
	if (!p.data)
		return;
	remark(e, nr, "left ");
	emit_memory(e, e->ev->desc->args[i].type, p.data, p.bytes);
}

static void selected(struct emit *e)
{
	static const char *const names[] = { NULL, "in ", "out ", "except " };
	unsigned nr = 0;
	for (unsigned i = 1; i <= 3; i++) {
		struct piece p = piece_find(e->ev, i, SYSCALL_PART_EXIT);
		bool any = false;
		for (uint32_t k = 0; k < p.bytes; k++)
			any |= p.data[k];
		if (!any)
			continue;
		remark(e, &nr, names[i]);
		emit_fdset(e, i, SYSCALL_PART_EXIT);
	}
	left(e, 4, &nr);
	if (nr)
		out_ch(e->out, ')');
}

static void timeout_remark(struct emit *e)
{
	const struct syscall_desc *d = e->ev->desc;
	if (!e->ev->ret) {
		out_str(e->out, " (Timeout)");
		return;
	}
	if (!d->described || !e->strace)
		return;
	if (d->args[0].kind == ARG_SPECIAL) { /* poll, ppoll */
		polled(e);
		unsigned nr = 1;
		if (d->nargs > 3)
			left(e, 2, &nr);
		out_ch(e->out, ')');
	} else if (d->nargs > 4 && d->args[1].kind == ARG_FDSET) {
		selected(e);
	} else if (d->nargs > 4 && d->args[1].kind == ARG_MMSGHDR) {
		unsigned nr = 0;
		left(e, 4, &nr);
		if (nr)
			out_ch(e->out, ')');
	}
}

void syscall_print_result(struct out *out, const struct syscall_style *style, const struct syscall_event *ev)
{
	struct emit e;
	if (!ev->has_ret || ev->desc->ret == SYSCALL_RET_NEVER) {
		out_ch(out, '?');
		return;
	}
	if (syscall_failed(ev->ret) && ev->desc->ret != SYSCALL_RET_UNSIGNED) {
		error_result(out, (unsigned)-ev->ret);
		return;
	}
	emit_init(&e, out, NULL, style, ev->desc->arch, ev);
	value_result(&e);
	if (ev->desc->ret == SYSCALL_RET_TIMEOUT)
		timeout_remark(&e);
	emit_deinit(&e);
}

void syscall_json_result(struct json *json, const struct syscall_style *style, const struct syscall_event *ev)
{
	json_key(json, "ret");
	if (!ev->has_ret || ev->desc->ret == SYSCALL_RET_NEVER) {
		json_null(json);
		return;
	}
	bool failed = syscall_failed(ev->ret) && ev->desc->ret != SYSCALL_RET_UNSIGNED;
	if (failed)
		json_i64(json, -1);
	else if (ev->desc->ret == SYSCALL_RET_PTR || ev->desc->ret == SYSCALL_RET_HEX)
		json_hex(json, (uint64_t)ev->ret);
	else
		json_i64(json, ev->ret);
	if (!failed)
		return;
	const char *name = syscall_errno_name((unsigned)-ev->ret);
	json_key(json, "errno");
	if (name)
		json_str(json, name);
	else
		json_i64(json, -ev->ret);
}
