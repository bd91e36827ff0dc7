/* prctl(2): the number and types of arguments of each option. */
#include "decode/syscall/special/specials.h"

enum prctl_kind {
	PRCTL_HEX,
	PRCTL_SIGNED,
	PRCTL_UNSIGNED,
	PRCTL_SIGNAL,
	PRCTL_NAME,        /* a name of at most 15 bytes, read by the call */
	PRCTL_NAME_OUT,    /* the same, returned by the call */
	PRCTL_INT_OUT,
	PRCTL_UNSIGNED_OUT,
	PRCTL_SIGNAL_OUT,
	PRCTL_POINTER_OUT,
	PRCTL_ENUM,
	PRCTL_ENUM_OUT,
	PRCTL_FLAGS,
	PRCTL_FLAGS_OUT,
	PRCTL_LENGTH, /* 16 bits, with flags above */
};

enum { DUMPABLE_GET = 3, SECUREBITS_GET = 27, MCE_KILL = 33, CAP_AMBIENT = 47, PAC_SET_ENABLED_KEYS = 60, SCHED_CORE = 62,
       SET_VMA = 0x53564d41, DISPATCH = 59 };

/* Options that are not here have four arguments in hexadecimal. */
static const struct prctl_option {
	uint32_t option;
	uint8_t nargs; /* besides the option */
	uint8_t kind;  /* of the first */
	const struct constants *names;
} options[] = {
	{ 1, 1, PRCTL_SIGNAL, NULL },
	{ 2, 1, PRCTL_SIGNAL_OUT, NULL },
	{ DUMPABLE_GET, 0, 0, NULL },
	{ 4, 1, PRCTL_ENUM, &constants_suid_dump },
	{ 5, 1, PRCTL_FLAGS_OUT, &constants_prctl_unalign },
	{ 6, 1, PRCTL_FLAGS, &constants_prctl_unalign },
	{ 7, 0, 0, NULL },
	{ 8, 1, PRCTL_UNSIGNED, NULL },
	{ 9, 1, PRCTL_UNSIGNED_OUT, NULL },
	{ 10, 1, PRCTL_HEX, NULL },
	{ 11, 1, PRCTL_UNSIGNED_OUT, NULL },
	{ 12, 1, PRCTL_HEX, NULL },
	{ 13, 0, 0, NULL },
	{ 14, 1, PRCTL_UNSIGNED, NULL },
	{ 15, 1, PRCTL_NAME, NULL },
	{ 16, 1, PRCTL_NAME_OUT, NULL },
	{ 19, 1, PRCTL_UNSIGNED_OUT, NULL },
	{ 20, 1, PRCTL_UNSIGNED, NULL },
	{ 21, 0, 0, NULL },
	{ 22, 2, PRCTL_ENUM, &constants_seccomp_mode },
	{ 23, 1, PRCTL_ENUM, &constants_capability },
	{ 24, 1, PRCTL_ENUM, &constants_capability },
	{ 25, 1, PRCTL_ENUM_OUT, &constants_prctl_tsc },
	{ 26, 1, PRCTL_ENUM, &constants_prctl_tsc },
	{ SECUREBITS_GET, 0, 0, NULL },
	{ 28, 1, PRCTL_FLAGS, &constants_secbits },
	{ 29, 1, PRCTL_UNSIGNED, NULL },
	{ 30, 0, 0, NULL },
	{ 31, 0, 0, NULL },
	{ 32, 0, 0, NULL },
	{ MCE_KILL, 4, PRCTL_ENUM, &constants_prctl_mce_kill },
	{ 35, 4, PRCTL_ENUM, &constants_prctl_mm },
	{ 36, 1, PRCTL_UNSIGNED, NULL },
	{ 37, 1, PRCTL_INT_OUT, NULL },
	{ 38, 4, PRCTL_UNSIGNED, NULL },
	{ 40, 1, PRCTL_POINTER_OUT, NULL },
	{ 41, 4, PRCTL_UNSIGNED, NULL },
	{ CAP_AMBIENT, 4, PRCTL_ENUM, &constants_cap_ambient },
	{ 50, 1, PRCTL_LENGTH, &constants_prctl_sve },
	{ 51, 0, 0, NULL },
	{ 54, 4, PRCTL_FLAGS, &constants_prctl_pac },
	{ 55, 4, PRCTL_FLAGS, &constants_prctl_tagged },
	{ DISPATCH, 4, PRCTL_ENUM, &constants_prctl_dispatch },
	{ PAC_SET_ENABLED_KEYS, 4, PRCTL_FLAGS, &constants_prctl_pac },
	{ SCHED_CORE, 4, PRCTL_ENUM, &constants_prctl_sched_core },
	{ 63, 1, PRCTL_LENGTH, &constants_prctl_sme },
	{ 64, 0, 0, NULL },
	{ SET_VMA, 4, PRCTL_ENUM, &constants_prctl_vma },
	{ 0x59616d61, 1, PRCTL_SIGNED, NULL },
};

static const struct prctl_option *option_of(const struct syscall_event *ev)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].option == (uint32_t)ev->arg[0])
			return &options[i];
	return NULL;
}

/* PR_SET_VMA can only set a name. */
static bool names_memory(const struct syscall_event *ev)
{
	return (uint32_t)ev->arg[0] == SET_VMA && !ev->arg[1];
}

static bool has(const struct syscall_event *ev, unsigned i)
{
	const struct prctl_option *o = option_of(ev);
	return !o || i <= o->nargs;
}

bool prctl_has_2(const struct syscall_event *ev, unsigned i)
{
	return has(ev, i);
}
bool prctl_has_3(const struct syscall_event *ev, unsigned i)
{
	return has(ev, i);
}
bool prctl_has_4(const struct syscall_event *ev, unsigned i)
{
	return has(ev, i);
}
bool prctl_has_5(const struct syscall_event *ev, unsigned i)
{
	return has(ev, i);
}

static void name(struct emit *e, uint64_t v, struct piece p)
{
	const uint8_t *end = p.data ? memchr(p.data, 0, p.bytes) : NULL;
	if (end)
		emit_string(e, p.data, (size_t)(end - p.data), false);
	else if (p.bytes >= 15) /* the kernel's limit */
		emit_string(e, p.data, 15, true);
	else
		emit_pointer(e, v);
}

/* The data that the kernel wrote. */
static void written(struct emit *e, const struct prctl_option *o, uint64_t v, struct piece p)
{
	size_t n = o->kind == PRCTL_POINTER_OUT ? e->arch->pointer_bytes : 4;
	if (p.bytes < n) {
		emit_pointer(e, v);
		return;
	}
	uint64_t got = value_load(e->arch, p.data, n);
	emit_array(e);
	emit_item(e);
	if (o->kind == PRCTL_SIGNAL_OUT)
		emit_signal(e, got);
	else if (o->kind == PRCTL_POINTER_OUT)
		emit_pointer(e, got);
	else if (o->kind == PRCTL_ENUM_OUT)
		emit_enum(e, o->names, got);
	else if (o->kind == PRCTL_FLAGS_OUT)
		emit_flags(e, o->names, got);
	else if (o->kind == PRCTL_INT_OUT)
		emit_i64(e, (int32_t)got);
	else
		emit_u64(e, got);
	emit_array_end(e);
}

static void length(struct emit *e, const struct constants *c, uint32_t v)
{
	struct out *out = emit_atom(e);
	if (v & ~0xffffU) {
		flags_text(e, out, c, v & ~0xffffU);
		out_ch(out, '|');
	}
	out_f(out, v & 0xffff ? "0x%x" : "%x", v & 0xffff);
	emit_atom_end(e);
}

void print_prctl_arg2(struct emit *e, unsigned i)
{
	uint64_t v = e->ev->arg[i];
	const struct prctl_option *o = option_of(e->ev);
	switch (o ? o->kind : PRCTL_HEX) {
	case PRCTL_SIGNED:
		emit_i64(e, (int32_t)v);
		break;
	case PRCTL_UNSIGNED:
		emit_u64(e, v);
		break;
	case PRCTL_SIGNAL:
		if (v < 65)
			emit_signal(e, v);
		else
			emit_u64(e, v);
		break;
	case PRCTL_NAME:
		name(e, v, piece_find(e->ev, i, SYSCALL_PART_WHOLE));
		break;
	case PRCTL_NAME_OUT:
		name(e, v, piece_find(e->ev, i, SYSCALL_PART_EXIT));
		break;
	case PRCTL_ENUM:
		/* An int to the kernel, except for these options. */
		emit_enum(e, o->names, o->option == 4 || o->option == DISPATCH || o->option == SET_VMA ? v : (uint32_t)v);
		break;
	case PRCTL_FLAGS:
		emit_flags(e, o->names, v);
		break;
	case PRCTL_LENGTH:
		length(e, o->names, (uint32_t)v);
		break;
	case PRCTL_HEX:
		emit_hex(e, v);
		break;
	default:
		written(e, o, v, piece_find(e->ev, i, SYSCALL_PART_EXIT));
		break;
	}
}

void print_prctl_arg3(struct emit *e, unsigned i)
{
	uint64_t v = e->ev->arg[i];
	uint32_t option = (uint32_t)e->ev->arg[0];
	if (option == CAP_AMBIENT)
		emit_enum(e, &constants_capability, v);
	else if (option == MCE_KILL && (uint32_t)e->ev->arg[1] == 1)
		emit_enum(e, &constants_prctl_mce_policy, v);
	else if (option == PAC_SET_ENABLED_KEYS)
		emit_flags(e, &constants_prctl_pac, v);
	else if (option == SCHED_CORE)
		emit_pid(e, (int)v);
	else if (names_memory(e->ev))
		emit_pointer(e, v);
	else
		emit_hex(e, v);
}

void print_prctl_arg4(struct emit *e, unsigned i)
{
	uint64_t v = e->ev->arg[i];
	uint32_t option = (uint32_t)e->ev->arg[0];
	if (names_memory(e->ev))
		emit_u64(e, v);
	else
		emit_hex(e, option == SCHED_CORE ? (uint32_t)v : v);
}

void print_prctl_arg5(struct emit *e, unsigned i)
{
	uint64_t v = e->ev->arg[i];
	uint32_t option = (uint32_t)e->ev->arg[0];
	struct piece p = piece_best(e->ev, i);
	if (names_memory(e->ev) && p.data && !(p.status == SYSCALL_FETCH_PARTIAL && p.bytes <= e->limit))
		emit_string(e, p.data, p.bytes, p.status != SYSCALL_FETCH_OK);
	else if (option == SET_VMA || option == SCHED_CORE || option == DISPATCH)
		emit_pointer(e, v);
	else
		emit_hex(e, v);
}
