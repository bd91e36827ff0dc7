#include "decode/syscall/emit.h"

static const char
	*const names[65] =
		{
			[1] = "SIGHUP",    "SIGINT",    "SIGQUIT",         "SIGILL",    "SIGTRAP",        "SIGABRT",
			"SIGBUS",          "SIGFPE",    [9] = "SIGKILL",   "SIGUSR1",   "SIGSEGV",        "SIGUSR2",
			"SIGPIPE",         "SIGALRM",   "SIGTERM",         "SIGSTKFLT", [17] = "SIGCHLD", "SIGCONT",
			"SIGSTOP",         "SIGTSTP",   "SIGTTIN",         "SIGTTOU",   "SIGURG",         "SIGXCPU",
			[25] = "SIGXFSZ",  "SIGVTALRM", "SIGPROF",         "SIGWINCH",  "SIGIO",          "SIGPWR",
			"SIGSYS",          "SIGRTMIN",  [33] = "SIGRT_1",  "SIGRT_2",   "SIGRT_3",        "SIGRT_4",
			"SIGRT_5",         "SIGRT_6",   "SIGRT_7",         "SIGRT_8",   [41] = "SIGRT_9", "SIGRT_10",
			"SIGRT_11",        "SIGRT_12",  "SIGRT_13",        "SIGRT_14",  "SIGRT_15",       "SIGRT_16",
			[49] = "SIGRT_17", "SIGRT_18",  "SIGRT_19",        "SIGRT_20",  "SIGRT_21",       "SIGRT_22",
			"SIGRT_23",        "SIGRT_24",  [57] = "SIGRT_25", "SIGRT_26",  "SIGRT_27",       "SIGRT_28",
			"SIGRT_29",        "SIGRT_30",  "SIGRT_31",        "SIGRT_32",
};

const char *syscall_signal_name(unsigned signal)
{
	return signal < 65 ? names[signal] : NULL;
}

void emit_signal(struct emit *e, uint64_t signal)
{
	const char *name = signal < 65 ? names[signal] : NULL;
	if (!name)
		emit_i64(e, (int32_t)signal);
	else
		emit_word(e, e->strace || e->style->show_prefix || e->json ? name : name + 3);
}

/* [INT TERM]; a nearly full set is shown by its complement: ~[KILL STOP]. */
void emit_sigset(struct emit *e, uint64_t set)
{
	struct out *out = emit_atom(e);
	if (__builtin_popcountll(set) >= 64 * 2 / 3) {
		out_ch(out, '~');
		set = ~set;
	}
	out_ch(out, '[');
	bool first = true;
	for (unsigned i = 0; i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		if (!first)
			out_ch(out, ' ');
		first = false;
		out_str(out, names[i + 1] + 3);
	}
	out_ch(out, ']');
	emit_atom_end(e);
}

static const struct constants *codes_of(uint32_t signal)
{
	switch (signal) {
	case 4:
		return &constants_si_code_ill;
	case 5:
		return &constants_si_code_trap;
	case 7:
		return &constants_si_code_bus;
	case 8:
		return &constants_si_code_fpe;
	case 11:
		return &constants_si_code_segv;
	case 17:
		return &constants_si_code_chld;
	case 29:
		return &constants_si_code_poll;
	case 31:
		return &constants_si_code_sys;
	default:
		return &constants_si_code;
	}
}

static void i32(struct emit *e, const char *name, const uint8_t *p)
{
	emit_member(e, name);
	emit_i64(e, (int32_t)value_load(e->arch, p, 4));
}

static void word(struct emit *e, const char *name, const uint8_t *p, size_t n, bool pointer)
{
	uint64_t v = value_load(e->arch, p, n);
	emit_member(e, name);
	if (pointer)
		emit_pointer(e, v);
	else
		emit_u64(e, v);
}

static void value(struct emit *e, const uint8_t *p, size_t n)
{
	if (e->strace) {
		i32(e, "si_int", p);
		word(e, "si_ptr", p, n, true);
		return;
	}
	emit_member(e, "si_value");
	emit_struct(e);
	emit_member(e, "int");
	emit_i64(e, (int32_t)value_load(e->arch, p, 4));
	emit_member(e, "ptr");
	emit_pointer(e, value_load(e->arch, p, n));
	emit_struct_end(e);
}

/* The address of a SIGBUS or SIGSEGV, and members that depend on the code. */
static void fault(struct emit *e, uint32_t signal, int32_t code, const uint8_t *u, size_t word_bytes)
{
	enum { MCEERR_AR = 4, MCEERR_AO, BNDERR = 3, PKUERR };
	word(e, "si_addr", u, word_bytes, true);
	if (signal == 7 && (code == MCEERR_AR || code == MCEERR_AO)) {
		emit_member(e, "si_addr_lsb");
		emit_hex(e, value_load(e->arch, u + word_bytes, 2));
	} else if (signal == 11 && code == BNDERR) {
		word(e, "si_lower", u + 2 * word_bytes, word_bytes, true);
		word(e, "si_upper", u + 3 * word_bytes, word_bytes, true);
	} else if (signal == 11 && code == PKUERR) {
		word(e, "si_pkey", u + 2 * word_bytes, 4, false);
	}
}

static void poll_band(struct emit *e, const uint8_t *u, size_t word_bytes)
{
	uint64_t band = value_load(e->arch, u, word_bytes);
	emit_member(e, "si_band");
	emit_i64(e, word_bytes == 4 ? (int32_t)band : (int64_t)band);
	i32(e, "si_fd", u + word_bytes);
}

/* The union after the first three ints: by the signal if the kernel sent it, by the code if a program did. */
static void details(struct emit *e, uint32_t signal, int32_t code, const uint8_t *u, size_t word_bytes)
{
	if (signal == 17 && code > 0) {
		i32(e, "si_pid", u);
		i32(e, "si_uid", u + 4);
		emit_member(e, "si_status");
		if (code == 1)
			emit_i64(e, (int32_t)value_load(e->arch, u + 8, 4));
		else
			emit_signal(e, value_load(e->arch, u + 8, 4));
		size_t at = word_bytes == 8 ? 16 : 12;
		word(e, "si_utime", u + at, word_bytes, false);
		word(e, "si_stime", u + at + word_bytes, word_bytes, false);
	} else if (code == -2) { /* SI_TIMER */
		emit_member(e, "si_timerid");
		emit_hex(e, value_load(e->arch, u, 4));
		i32(e, "si_overrun", u + 4);
		value(e, u + 8, word_bytes);
	} else if (code == -5) { /* SI_SIGIO */
		poll_band(e, u, word_bytes);
	} else if (code <= 0) {
		i32(e, "si_pid", u);
		i32(e, "si_uid", u + 4);
		if (code != 0 && code != -6)
			value(e, u + 8, word_bytes);
	} else if (signal == 4 || signal == 5 || signal == 7 || signal == 8 || signal == 11) {
		if (code != 128)
			fault(e, signal, code, u, word_bytes);
	} else if (signal == 29) {
		poll_band(e, u, word_bytes);
	} else if (signal == 31) {
		word(e, "si_call_addr", u, word_bytes, true);
		i32(e, "si_syscall", u + word_bytes);
		emit_member(e, "si_arch");
		emit_enum(e, &constants_audit_arch, value_load(e->arch, u + word_bytes + 4, 4));
	}
}

void emit_siginfo(struct emit *e, const uint8_t *p, size_t bytes)
{
	size_t word_bytes = e->arch->pointer_bytes;
	size_t head = word_bytes == 8 ? 16 : 12;
	emit_struct(e);
	if (bytes >= head + 32) {
		uint32_t signal = (uint32_t)value_load(e->arch, p, 4);
		int32_t error = (int32_t)value_load(e->arch, p + 4, 4), code = (int32_t)value_load(e->arch, p + 8, 4);
		emit_member(e, "si_signo");
		emit_signal(e, signal);
		emit_member(e, "si_code");
		const struct constants *codes = code > 0 && code != 128 ? codes_of(signal) : &constants_si_code;
		const char *name = constant_name(codes, (uint64_t)(int64_t)code);
		if (name)
			emit_word(e, name);
		else
			emit_i64(e, code);
		const char *error_name = error > 0 ? syscall_errno_name((unsigned)error) : NULL;
		if (error) {
			emit_member(e, "si_errno");
			if (error_name)
				emit_word(e, error_name);
			else
				emit_i64(e, error);
		}
		details(e, signal, code, p + head, word_bytes);
	}
	emit_struct_end(e);
}

void syscall_print_siginfo(struct out *out, const struct syscall_style *style, const struct arch *a, const void *info,
			   size_t bytes)
{
	struct emit e;
	emit_init(&e, out, NULL, style, a, NULL);
	emit_siginfo(&e, info, bytes);
	emit_deinit(&e);
}
