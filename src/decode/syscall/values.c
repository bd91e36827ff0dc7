/* Prints scalars, flags and structs. */
#include "decode/syscall/emit.h"

/* ---- Flags and enums ---- */

static const char *shown_name(struct emit *e, const struct constants *c, const char *name)
{
	return e->strace || e->style->show_prefix || e->json ? name : constant_short(c, name);
}

static void unknown(struct emit *e, struct out *out, const struct constants *c, uint64_t v)
{
	out_str(out, "0x");
	out_hex(out, v);
	if (e->strace && *c->prefix)
		out_f(out, " /* %s??? */", c->prefix);
}

#define HUGE_SHIFT 26
#define HUGE_MOST  63
/* The shift of the six upper bits that are the logarithm of the huge page size; NULL: none. */
static const char *huge_shift(const struct constants *c)
{
	return c == &constants_map ? "MAP_HUGE_SHIFT" : c == &constants_memfd ? "MFD_HUGE_SHIFT" :
	       c == &constants_shm_get ? "SHM_HUGE_SHIFT" : NULL;
}

void flags_text(struct emit *e, struct out *out, const struct constants *c, uint64_t v)
{
	uint64_t left = v;
	bool any = false;
	for (size_t i = 0; i < c->nr; i++) {
		const struct constant *f = &c->list[i];
		bool field = f->mask != f->value; /* an enum within the set, whose zero has a name, too */
		if ((v & f->mask) != f->value || (field ? f->mask == UINT64_MAX && v : !(f->value & left)))
			continue;
		if (any)
			out_ch(out, '|');
		out_str(out, shown_name(e, c, f->name));
		left &= ~f->mask;
		any = true;
		if (!left && f->mask == UINT64_MAX)
			return;
	}
	const char *shift = left >> HUGE_SHIFT ? huge_shift(c) : NULL;
	if (shift && left >> HUGE_SHIFT <= HUGE_MOST) {
		out_f(out, "%s%u<<%s", any ? "|" : "", (unsigned)(left >> HUGE_SHIFT), shift);
		left &= (1U << HUGE_SHIFT) - 1;
		any = true;
	}
	if (!any && !v)
		out_ch(out, '0');
	else if (!any)
		unknown(e, out, c, left);
	else if (left) {
		out_str(out, "|0x");
		out_hex(out, left);
	}
}

void emit_flags(struct emit *e, const struct constants *c, uint64_t v)
{
	c = constants_on(e->arch, c);
	if (!v && !constants_zero(c)) {
		emit_u64(e, 0);
		return;
	}
	flags_text(e, emit_atom(e), c, v);
	emit_atom_end(e);
}

void emit_enum(struct emit *e, const struct constants *c, uint64_t v)
{
	c = constants_on(e->arch, c);
	const char *name = constant_name(c, v);
	struct out *out = emit_atom(e);
	if (name)
		out_str(out, shown_name(e, c, name));
	else if (v)
		unknown(e, out, c, v);
	else
		out_ch(out, '0');
	emit_atom_end(e);
}

/* ---- Numbers with a meaning ---- */

void emit_fd(struct emit *e, int fd)
{
	emit_i64(e, fd);
	if (e->json || !e->style->fd_text || fd < 0)
		return;
	const char *text = e->style->fd_text(e->style->ctx, e->ev->pid, fd);
	if (!text)
		return;
	out_ch(e->out, '<');
	out_text(e->out, text, strlen(text));
	out_ch(e->out, '>');
}

static void emit_dirfd(struct emit *e, int fd)
{
	if (fd == -100)
		emit_word(e, e->strace || e->style->show_prefix || e->json ? "AT_FDCWD" : "CWD");
	else
		emit_fd(e, fd);
}

void emit_pid(struct emit *e, int pid)
{
	emit_i64(e, pid);
	if (e->json || e->strace || !e->style->pid_text || pid <= 0)
		return;
	const char *text = e->style->pid_text(e->style->ctx, pid);
	if (!text)
		return;
	out_str(e->out, " (");
	out_text(e->out, text, strlen(text));
	out_ch(e->out, ')');
}

static void octal(struct out *out, uint64_t v)
{
	char digits[24];
	size_t n = 0;
	do
		digits[n++] = (char)('0' + (v & 7));
	while (v >>= 3);
	while (n < 3)
		digits[n++] = '0';
	if (n > 3 || digits[n - 1] != '0')
		out_ch(out, '0');
	while (n)
		out_ch(out, digits[--n]);
}

void emit_octal(struct emit *e, uint64_t v)
{
	octal(emit_atom(e), v);
	emit_atom_end(e);
}

void emit_mode(struct emit *e, uint32_t mode)
{
	static const struct {
		uint32_t type;
		const char *name;
	} types[] = {
		{ 0140000, "S_IFSOCK" }, { 0120000, "S_IFLNK" }, { 0100000, "S_IFREG" }, { 0060000, "S_IFBLK" },
		{ 0040000, "S_IFDIR" },  { 0020000, "S_IFCHR" }, { 0010000, "S_IFIFO" },
	};
	static const struct {
		uint32_t bit;
		const char *name;
	} bits[] = { { 04000, "S_ISUID" }, { 02000, "S_ISGID" }, { 01000, "S_ISVTX" } };
	struct out *out = emit_atom(e);
	const char *type = NULL;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if ((mode & 0170000) == types[i].type)
			type = types[i].name;
	if (type) {
		out_str(out, type);
		out_ch(out, '|');
		mode &= ~0170000U;
	}
	for (size_t i = 0; i < 3 && type; i++)
		if (mode & bits[i].bit) {
			out_str(out, bits[i].name);
			out_ch(out, '|');
			mode &= ~bits[i].bit;
		}
	octal(out, mode);
	emit_atom_end(e);
}

/* In the kernel's encoding: 12 bits of major in the middle of the minor. */
static void device(struct emit *e, uint64_t dev)
{
	uint64_t major = (dev >> 8 & 0xfff) | (dev >> 32 & ~0xfffULL);
	uint64_t minor = (dev & 0xff) | (dev >> 12 & 0xffffff00);
	struct out *out = emit_atom(e);
	out_str(out, major ? "makedev(0x" : "makedev(");
	out_hex(out, major);
	out_str(out, minor ? ", 0x" : ", ");
	out_hex(out, minor);
	out_ch(out, ')');
	emit_atom_end(e);
}

static void limit(struct emit *e, uint64_t v, size_t bytes)
{
	if (v == (bytes == 8 ? UINT64_MAX : UINT32_MAX))
		emit_word(e, bytes == 8 ? "RLIM64_INFINITY" : "RLIM_INFINITY");
	else if (v > 1024 && v % 1024 == 0 && !e->json)
		out_f(e->out, "%llu*1024", (unsigned long long)(v / 1024));
	else
		emit_u64(e, v);
}

static void wait_status(struct emit *e, uint32_t status)
{
	struct out *out = emit_atom(e);
	uint32_t low = status & 0x7f, high = status >> 8 & 0xff;
	const char *name;
	if (status == 0xffff)
		out_str(out, "{WIFCONTINUED(s)}");
	else if (!low)
		out_f(out, "{WIFEXITED(s) && WEXITSTATUS(s) == %u}", high);
	else if (low == 0x7f) {
		uint32_t event = status >> 16;
		name = syscall_signal_name(high & 0x7f);
		out_f(out, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		if (name)
			out_str(out, name);
		else
			out_u64(out, high);
		out_str(out, high & 0x80 ? " | 0x80}" : "}");
		if (event)
			out_f(out, " | PTRACE_EVENT_%u<<16", event);
	} else {
		name = syscall_signal_name(low);
		out_str(out, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		if (name)
			out_str(out, name);
		else
			out_u64(out, low);
		out_str(out, status & 0x80 ? " && WCOREDUMP(s)}" : "}");
	}
	emit_atom_end(e);
}

static void socket_type(struct emit *e, uint32_t v)
{
	struct out *out = emit_atom(e);
	const char *name = constant_name(&constants_sock_type, v & 0xf);
	if (name)
		out_str(out, shown_name(e, &constants_sock_type, name));
	else
		unknown(e, out, &constants_sock_type, v & 0xf);
	if (v & ~0xfU) {
		out_ch(out, '|');
		flags_text(e, out, &constants_sock_flags, v & ~0xfU);
	}
	emit_atom_end(e);
}

static void clock_id(struct emit *e, int32_t v)
{
	const char *name = v >= 0 ? constant_name(&constants_clock, (uint32_t)v) : NULL;
	struct out *out = emit_atom(e);
	if (name) {
		out_str(out, shown_name(e, &constants_clock, name));
	} else if (v < 0) {
		/* pid and kind packed by the C library: clock_getcpuclockid(3) */
		static const char *const kinds[] = { "PROF", "VIRT", "SCHED" };
		int32_t pid = ~(v >> 3);
		if ((v & 3) == 3)
			out_f(out, "FD_TO_CLOCKID(%d)", pid);
		else
			out_f(out, "MAKE_%s_CPUCLOCK(%d, CPUCLOCK_%s)", v & 4 ? "THREAD" : "PROCESS", pid,
			      kinds[v & 3]);
	} else {
		unknown(e, out, &constants_clock, (uint32_t)v);
	}
	emit_atom_end(e);
}

static void id(struct emit *e, uint64_t v, size_t bytes)
{
	uint64_t none = bytes == 2 ? UINT16_MAX : UINT32_MAX;
	if (v == none)
		emit_i64(e, -1);
	else
		emit_u64(e, v);
}

static void capabilities(struct emit *e, uint64_t v)
{
	if (!v) {
		emit_u64(e, 0);
		return;
	}
	struct out *out = emit_atom(e);
	bool any = false;
	for (unsigned i = 0; i < 64; i++) {
		if (!(v >> i & 1))
			continue;
		const char *name = constant_name(&constants_capability, i);
		if (name)
			out_f(out, "%s1<<%s", any ? "|" : "", name);
		else
			out_f(out, "%s1<<%u", any ? "|" : "", i);
		any = true;
	}
	emit_atom_end(e);
}

/* 1<<X|1<<Y, of the bits that have a name; with a count: 1<<(X-count). */
static void bits(struct emit *e, struct value_type t, uint64_t v)
{
	struct out *out = emit_atom(e);
	const char *sep = "";
	uint64_t left = v;
	for (unsigned i = 0; i < 64; i++) {
		const char *name = v >> i & 1 ? constant_name(t.of, i + t.count) : NULL;
		if (!name)
			continue;
		if (t.count)
			out_f(out, "%s1<<(%s-%u)", sep, name, t.count);
		else
			out_f(out, "%s1<<%s", sep, name);
		left &= ~(1ULL << i);
		sep = "|";
	}
	if (left)
		out_f(out, "%s%#llx", sep, (unsigned long long)left);
	else if (!v)
		out_ch(out, '0');
	emit_atom_end(e);
}

/* names: NULL, or names of numbers. */
static void port(struct emit *e, const struct constants *names, uint16_t v)
{
	struct out *out = emit_atom(e);
	v = e->arch->big_endian ? v : (uint16_t)(v >> 8 | v << 8);
	const char *name = names ? constant_name(names, v) : NULL;
	if (e->strace && name)
		out_f(out, "htons(%s)", name);
	else if (name)
		out_str(out, name);
	else if (e->strace)
		out_f(out, "htons(%u)", v);
	else
		out_u64(out, v);
	emit_atom_end(e);
}

static void two(struct emit *e, const char *first, const char *second, int32_t low, uint64_t all, bool pointer)
{
	emit_struct(e);
	emit_member(e, first);
	if (pointer)
		emit_i64(e, low);
	else
		emit_u64(e, (uint32_t)low);
	emit_member(e, second);
	if (pointer)
		emit_pointer(e, all);
	else
		emit_u64(e, all);
	emit_struct_end(e);
}

void emit_negative_errno(struct emit *e, int64_t v)
{
	const char *name = v < 0 && v >= -4095 ? syscall_errno_name((unsigned)-v) : NULL;
	struct out *out = emit_atom(e);
	if (name)
		out_f(out, "-%s", name);
	else
		out_i64(out, v);
	emit_atom_end(e);
}

static void letter(struct emit *e, uint64_t v)
{
	struct out *out = emit_atom(e);
	if (v >= 'A' && v <= 'Z')
		out_f(out, "'%c'", (char)v);
	else
		out_u64(out, v);
	emit_atom_end(e);
}

static void flags_and_mode(struct emit *e, const struct constants *flags, uint64_t v)
{
	struct out *out = emit_atom(e);
	if (v & ~0777ULL) {
		flags_text(e, out, flags, v & ~0777ULL);
		out_ch(out, '|');
	}
	octal(out, v & 0777);
	emit_atom_end(e);
}

static void kernel_version(struct emit *e, uint64_t v)
{
	struct out *out = emit_atom(e);
	out_f(out, "KERNEL_VERSION(%u, %u, %u)", (unsigned)(v >> 16), (unsigned)(v >> 8 & 0xff), (unsigned)(v & 0xff));
	emit_atom_end(e);
}

/* Cuts to the width of the type, sign-extended if the type is signed. */
static int64_t extend(uint64_t v, size_t bytes)
{
	unsigned shift = bytes < 8 ? (unsigned)(64 - 8 * bytes) : 0;
	return (int64_t)(v << shift) >> shift;
}

void emit_value(struct emit *e, struct value_type t, uint64_t v)
{
	size_t bytes = t.bytes ? t.bytes : e->arch->pointer_bytes;
	uint64_t u = bytes < 8 ? v & ((1ULL << 8 * bytes) - 1) : v;
	int64_t s = extend(v, bytes);
	switch (t.format) {
	case VALUE_SIGNED:
		emit_i64(e, s);
		break;
	case VALUE_UNSIGNED:
		emit_u64(e, u);
		break;
	case VALUE_POINTER:
		emit_pointer(e, u);
		break;
	case VALUE_OCTAL:
		emit_octal(e, u);
		break;
	case VALUE_MODE:
		emit_mode(e, (uint32_t)u);
		break;
	case VALUE_FLAGS:
		emit_flags(e, t.of, u);
		break;
	case VALUE_FLAGS_MODE:
		flags_and_mode(e, t.of, u);
		break;
	case VALUE_ENUM:
		if (t.count && !constant_name(t.of, u))
			emit_hex(e, u);
		else
			emit_enum(e, t.of, u);
		break;
	case VALUE_ENUM_NUMBER:
		if (constant_name(t.of, u))
			emit_enum(e, t.of, u);
		else
			emit_i64(e, s);
		break;
	case VALUE_FD:
		emit_fd(e, (int)s);
		break;
	case VALUE_DIRFD:
		if (t.count && s == -1 && e->strace)
			emit_word(e, "FAN_NOFD");
		else
			emit_dirfd(e, (int)s);
		break;
	case VALUE_PID:
		emit_pid(e, (int)s);
		break;
	case VALUE_ID:
		id(e, u, bytes);
		break;
	case VALUE_SIGNAL:
		if (bytes == 8 && u > 64)
			emit_u64(e, u);
		else
			emit_signal(e, u);
		break;
	case VALUE_DEVICE:
		device(e, u);
		break;
	case VALUE_CLOCK:
		clock_id(e, (int32_t)s);
		break;
	case VALUE_LIMIT:
		limit(e, u, bytes);
		break;
	case VALUE_SIGSET:
		emit_sigset(e, u);
		break;
	case VALUE_STATUS:
		wait_status(e, (uint32_t)u);
		break;
	case VALUE_SOCKET_TYPE:
		socket_type(e, (uint32_t)u);
		break;
	case VALUE_EPOLL_DATA:
		two(e, "u32", "u64", (int32_t)u, u, false);
		break;
	case VALUE_SIGVAL:
		two(e, "sival_int", "sival_ptr", (int32_t)u, u, true);
		break;
	case VALUE_CAPS:
		capabilities(e, u);
		break;
	case VALUE_BITS:
		bits(e, t, u);
		break;
	case VALUE_VERSION:
		kernel_version(e, u);
		break;
	case VALUE_ERRNO:
		emit_negative_errno(e, s);
		break;
	case VALUE_LETTER:
		letter(e, u);
		break;
	case VALUE_PORT:
		port(e, t.of, (uint16_t)u);
		break;
	default:
		emit_hex(e, u);
		break;
	}
}

/* ---- Memory ---- */

static void chars(struct emit *e, const uint8_t *p, size_t n)
{
	size_t len = strnlen((const char *)p, n);
	uint32_t limit = e->limit;
	e->limit = (uint32_t)n > limit ? (uint32_t)n : limit; /* names in structs are short: never cut */
	emit_string(e, p, len, false);
	e->limit = limit;
}

void emit_mac(struct emit *e, const uint8_t *p, size_t n)
{
	struct out *out = emit_atom(e);
	for (size_t i = 0; i < n; i++) {
		out_str(out, i ? ":" : "");
		out_hex_width(out, p[i], 2, '0');
	}
	emit_atom_end(e);
}

static void fsid(struct emit *e, const uint8_t *p)
{
	emit_struct(e);
	emit_member(e, "val");
	emit_array(e);
	for (size_t i = 0; i < 2; i++) {
		emit_item(e);
		emit_hex(e, value_load(e->arch, p + 4 * i, 4));
	}
	emit_array_end(e);
	emit_struct_end(e);
}

static void array(struct emit *e, struct value_type t, const uint8_t *p, size_t bytes)
{
	struct value_type one = *(const struct value_type *)t.of;
	size_t n = value_bytes(e->arch, one);
	emit_array(e);
	for (size_t i = 0; i < t.count && (i + 1) * n <= bytes; i++) {
		emit_item(e);
		emit_memory(e, one, p + i * n, n);
	}
	emit_array_end(e);
}

void emit_memory(struct emit *e, struct value_type t, const uint8_t *p, size_t bytes)
{
	if (t.format == VALUE_STRUCT) {
		const struct struct_type *s = struct_on(e->arch, t.of);
		if (s->print)
			s->print(e, s, p, bytes);
		else
			emit_members(e, s, p, bytes);
		return;
	}
	if (t.format == VALUE_ARRAY) {
		array(e, t, p, bytes);
		return;
	}
	size_t n = value_bytes(e->arch, t);
	if (bytes < n) {
		emit_word(e, "?");
	} else if (t.format == VALUE_CHARS) {
		chars(e, p, n);
	} else if (t.format == VALUE_MAC) {
		emit_mac(e, p, n);
	} else if (t.format == VALUE_BYTES) {
		emit_bytes(e, p, n, false);
	} else if (t.format == VALUE_INET6) {
		emit_inet(e, p, true);
	} else if (t.format == VALUE_SOCKADDR) {
		emit_sockaddr(e, p, n);
	} else if (t.format == VALUE_INET4) {
		emit_inet(e, p, false);
	} else if (t.format == VALUE_FSID) {
		fsid(e, p);
	} else if (n <= 8) {
		emit_value(e, t, value_load(e->arch, p, n));
	} else {
		emit_bytes(e, p, n, false);
	}
}

void emit_index(struct emit *e, const struct constants *names, uint64_t i, bool less1)
{
	const char *name = constant_name(names, i);
	if (e->json)
		return;
	out_ch(e->out, '[');
	if (name)
		out_str(e->out, e->strace || e->style->show_prefix ? name : constant_short(names, name));
	else
		out_u64(e->out, i);
	out_str(e->out, less1 ? "-1" : "");
	out_str(e->out, e->strace ? "]=" : "]: ");
}

static bool any_byte(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return true;
	return false;
}

static bool is_shown(const struct emit *e, const struct member *m, const uint8_t *p, size_t n)
{
	if (m->flags & MEMBER_HIDDEN || (m->flags & MEMBER_VERBOSE && !e->style->whole && !e->json))
		return false;
	if (m->flags & MEMBER_ANSWER && (!e->ev->has_ret || syscall_failed(e->ev->ret)))
		return false;
	return !(m->flags & MEMBER_NONZERO) || any_byte(p, m->type.format == VALUE_CHARS ? 1 : n);
}

void emit_newer(struct emit *e, const uint8_t *p, size_t at, size_t sized, size_t bytes)
{
	size_t end = sized < bytes ? sized : bytes;
	bool any = false;
	for (size_t i = at; i < end; i++)
		any |= p[i];
	if (!any && end == sized)
		return;
	emit_item(e);
	if (end < sized && end - at < e->limit) { /* the memory ends there */
		out_str(e->out, "???");
		return;
	}
	out_f(e->out, "/* bytes %zu..%zu */ ", at, sized - 1);
	emit_bytes(e, p + at, end - at, end < sized);
}

void emit_members(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	size_t at = 0, sized = e->sized;
	bool more = false, in_part = e->in_part;
	e->sized = 0;
	e->in_part = false;
	emit_struct(e);
	for (size_t i = 0; i < s->nr; i++) {
		const struct member *m = &s->members[i];
		size_t align = s->packed ? 1 : value_align(e->arch, m->type), n = value_bytes(e->arch, m->type);
		at = (at + align - 1) & ~(align - 1); /* a power of two */
		if (at + n > bytes) { /* an older, shorter struct, or a truncated piece */
			if (in_part && at < bytes && is_shown(e, m, p + at, bytes - at)) {
				emit_member(e, m->name);
				emit_bytes(e, p + at, bytes - at, false);
			}
			break;
		}
		if (is_shown(e, m, p + at, n)) {
			if (e->strace && m->type.format == VALUE_INET6) {
				emit_inet6_member(e, m->name, p + at);
				at += n;
				continue;
			}
			emit_member(e, m->name);
			emit_memory(e, m->type, p + at, n);
		} else {
			more |= m->flags & MEMBER_VERBOSE;
		}
		at += n;
	}
	if (more)
		emit_more(e);
	if (sized > at && e->strace)
		emit_newer(e, p, at, sized, bytes);
	emit_struct_end(e);
}
