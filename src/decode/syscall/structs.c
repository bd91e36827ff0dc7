#include "decode/syscall/emit.h"
#include "decode/syscall/type_macros.h"

#define LONG_TYPE long_type
#define ULONG_TYPE ulong_type
#define CAPS_TYPE caps_type
#define U32_TYPE u32_type
#define HEX32_TYPE hex32_type
#define U8_TYPE u8_type
#define SMC_LINK_TYPE smc_link_type
#define HEX64_TYPE hex64_type
static const struct value_type long_type = LONG, ulong_type = ULONG, caps_type = CAPS, u32_type = U32, hex32_type = HEX32,
			       hex64_type = HEX64, u8_type = UNSIGNED(1), smc_link_type = IN(smc_diag_link);

/* The value of a scalar member; 0 if it is absent or was not fetched. */
static uint64_t member_value(const struct arch *a, const struct struct_type *s, const char *name, const uint8_t *p, size_t bytes)
{
	size_t at = 0, index = 0;
	/* One text of the compiler's, as a rule: so it need not be compared. */
	while (index < s->nr && s->members[index].name != name)
		index++;
	for (size_t i = 0; i < s->nr; i++) {
		struct value_type t = s->members[i].type;
		size_t align = value_align(a, t), n = value_bytes(a, t);
		at = (at + align - 1) & ~(align - 1); /* a power of two */
		if (index < s->nr ? i == index : !strcmp(s->members[i].name, name))
			return n <= 8 && at + n <= bytes ? value_load(a, p + at, n) : 0;
		at += n;
	}
	return 0;
}

/* A device has a device number instead of a size. */
static void print_stat(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	if (e->style->whole || e->json) {
		emit_members(e, s, p, bytes);
		return;
	}
	uint32_t mode = (uint32_t)member_value(e->arch, s, "st_mode", p, bytes);
	bool device = (mode & 0170000) == 0020000 || (mode & 0170000) == 0060000;
	emit_struct(e);
	emit_member(e, "st_mode");
	emit_mode(e, mode);
	if (device) {
		emit_member(e, "st_rdev");
		emit_value(e, (struct value_type)DEV(8), member_value(e->arch, s, "st_rdev", p, bytes));
	} else {
		emit_member(e, "st_size");
		emit_i64(e, (int64_t)member_value(e->arch, s, "st_size", p, bytes));
	}
	emit_more(e);
	emit_struct_end(e);
}

/* The owner of the lock is only returned by F_GETLK, F_OFD_GETLK and F_GETLK64. */
static void print_flock(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint32_t cmd = (uint32_t)e->ev->arg[1];
	size_t pid = struct_bytes(e->arch, s) - (e->arch->pointer_bytes == 8 ? 8 : 4);
	bool answers = cmd == 5 || cmd == 36 || cmd == 12;
	emit_members(e, s, p, answers || bytes < pid ? bytes : pid);
}

/* utimensat(2): two special values of tv_nsec replace the time. */
static void print_utimens(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint64_t ns = member_value(e->arch, s, "tv_nsec", p, bytes);
	if (ns == 0x3fffffff || ns == 0x3ffffffe)
		emit_word(e, ns & 1 ? "UTIME_NOW" : "UTIME_OMIT");
	else
		emit_members(e, s, p, bytes);
}

/* The receiver, by the kind of notification: a thread, or a function that the C library calls in a new thread. */
static void print_sigevent(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { THREAD = 2, THREAD_ID = 4 };
	const struct arch *a = e->arch;
	size_t word = a->pointer_bytes, at = word + 8;
	uint64_t notify = member_value(a, s, "sigev_notify", p, bytes), value = member_value(a, s, "sigev_value", p, bytes);
	emit_struct(e);
	if (value) {
		emit_member(e, "sigev_value");
		emit_value(e, s->members[0].type, value);
	}
	emit_member(e, "sigev_signo");
	emit_signal(e, member_value(a, s, "sigev_signo", p, bytes));
	emit_member(e, "sigev_notify");
	emit_enum(e, &constants_sigev, notify);
	if (notify == THREAD && at + 2 * word <= bytes) {
		emit_member(e, "sigev_notify_function");
		emit_pointer(e, value_load(a, p + at, word));
		emit_member(e, "sigev_notify_attributes");
		emit_pointer(e, value_load(a, p + at + word, word));
	} else if (notify == THREAD_ID && at + 4 <= bytes) {
		emit_member(e, "sigev_notify_thread_id");
		emit_i64(e, (int32_t)value_load(a, p + at, 4));
	}
	emit_struct_end(e);
}

/* A mode of 0 is shown if the call creates a file. */
static void print_open_how(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { CREAT = 0100, TMPFILE = 020000000 };
	bool makes = member_value(e->arch, s, "flags", p, bytes) & (CREAT | TMPFILE);
	emit_members(e, makes && bytes >= 16 ? &struct_open_how_mode : s, p, bytes);
}

/* Three sets of 32 bits, and since the second version three more for the upper bits. */
static void print_cap_data(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	static const char *const names[] = { "effective", "permitted", "inheritable" };
	struct piece head = piece_best(e->ev, 0);
	bool wide = head.bytes >= 4 && value_load(e->arch, head.data, 4) != 0x19980330 && bytes >= 24;
	emit_struct(e);
	for (size_t i = 0; i < 3 && 4 * (i + 1) <= bytes; i++) {
		uint64_t v = value_load(e->arch, p + 4 * i, 4);
		if (wide)
			v |= value_load(e->arch, p + 12 + 4 * i, 4) << 32;
		emit_member(e, names[i]);
		emit_value(e, (struct value_type){ VALUE_CAPS, 8, 0, NULL }, v);
	}
	emit_struct_end(e);
}

static void print_sched_param(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	emit_array(e);
	emit_item(e);
	emit_i64(e, (int32_t)value_load(e->arch, p, bytes < 4 ? bytes : 4));
	emit_array_end(e);
}

/* SIG_DFL and SIG_IGN are shown by name; the restorer is only valid with its flag. */
static void print_sigaction(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint64_t handler = member_value(e->arch, s, "sa_handler", p, bytes);
	uint64_t flags = member_value(e->arch, s, "sa_flags", p, bytes);
	emit_struct(e);
	emit_member(e, flags & 4 && handler > 1 && e->json ? "sa_sigaction" : "sa_handler");
	if (handler <= 1)
		emit_word(e, handler ? "SIG_IGN" : "SIG_DFL");
	else
		emit_pointer(e, handler);
	emit_member(e, "sa_mask");
	emit_sigset(e, member_value(e->arch, s, "sa_mask", p, bytes));
	emit_member(e, "sa_flags");
	emit_flags(e, &constants_sigaction, flags);
	if (flags & 0x04000000) {
		emit_member(e, "sa_restorer");
		emit_pointer(e, member_value(e->arch, s, "sa_restorer", p, bytes));
	}
	emit_struct_end(e);
}

/* Bits that are not set are types that pass. */
static void print_icmp_filter(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint32_t v = bytes < 4 ? 0 : (uint32_t)value_load(e->arch, p, 4);
	bool most = __builtin_popcount(v) > 16, any = false;
	struct out *out = emit_atom(e);
	out_str(out, most ? "~[" : "[");
	for (unsigned i = 0; i < 32; i++) {
		if (!((most ? ~v : v) >> i & 1))
			continue;
		const char *name = constant_name(&constants_icmp_type, i);
		out_str(out, any ? " " : "");
		if (name)
			out_str(out, name);
		else
			out_u64(out, i);
		any = true;
	}
	out_ch(out, ']');
	emit_atom_end(e);
}

static void print_sockaddr_in(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	emit_sockaddr(e, p, bytes);
}

/* mr_alen bytes of the address. */
static void print_packet_mreq(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	size_t n = (size_t)member_value(e->arch, s, "mr_alen", p, bytes);
	struct out *out;
	emit_struct(e);
	emit_member(e, "mr_ifindex");
	emit_i64(e, (int32_t)value_load(e->arch, p, 4));
	emit_member(e, "mr_type");
	emit_enum(e, &constants_packet_mr, value_load(e->arch, p + 4, 2));
	emit_member(e, "mr_alen");
	emit_u64(e, n);
	emit_member(e, "mr_address");
	out = emit_atom(e);
	for (size_t k = 0; k < n && k < 8; k++) {
		out_str(out, k ? ":" : "");
		out_hex_width(out, p[8 + k], 2, '0');
	}
	emit_atom_end(e);
	emit_struct_end(e);
}

/* The members that the operation uses. */
static void print_iocb(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { PREAD, PWRITE, POLL = 5, PREADV = 7, PWRITEV = 8, IOCB_IOPRIO = 2 };
	uint64_t op = member_value(e->arch, s, "aio_lio_opcode", p, bytes), data = member_value(e->arch, s, "aio_data", p, bytes);
	uint64_t flags = member_value(e->arch, s, "aio_flags", p, bytes), key = member_value(e->arch, s, "aio_key", p, bytes);
	uint64_t prio = member_value(e->arch, s, "aio_reqprio", p, bytes), buf = member_value(e->arch, s, "aio_buf", p, bytes);
	bool moves = op == PREAD || op == PWRITE || op == PREADV || op == PWRITEV;
	emit_struct(e);
	emit_member(e, "aio_data");
	emit_hex(e, data);
	if (key) {
		emit_member(e, "aio_key");
		emit_u64(e, key);
	}
	emit_member(e, "aio_lio_opcode");
	emit_enum(e, &constants_iocb_cmd, op);
	if (prio) {
		emit_member(e, "aio_reqprio");
		if (flags & IOCB_IOPRIO)
			emit_ioprio(e, (uint16_t)prio);
		else
			emit_i64(e, (int16_t)prio);
	}
	emit_member(e, "aio_fildes");
	emit_fd(e, (int)member_value(e->arch, s, "aio_fildes", p, bytes));
	if (moves) {
		emit_member(e, "aio_buf");
		emit_pointer(e, buf);
		emit_member(e, "aio_nbytes");
		emit_u64(e, member_value(e->arch, s, "aio_nbytes", p, bytes));
		emit_member(e, "aio_offset");
		emit_i64(e, (int64_t)member_value(e->arch, s, "aio_offset", p, bytes));
	} else if (op == POLL) {
		emit_member(e, "aio_buf");
		emit_flags(e, &constants_poll_event, buf);
	}
	if (flags) {
		emit_member(e, "aio_flags");
		emit_flags(e, &constants_iocb_flags, flags);
		emit_member(e, "aio_resfd");
		emit_fd(e, (int)member_value(e->arch, s, "aio_resfd", p, bytes));
	}
	emit_struct_end(e);
}

static void print_siginfo(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	emit_siginfo(e, p, bytes);
}

/* The options of a socket that are set, a bit each. */
static void print_inet_diag_sockopt(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	static const char *const names[] = {
		"recverr", "is_icsk", "freebind", "hdrincl", "mc_loop", "transparent", "mc_all", "nodefrag",
		"bind_address_no_port", "recverr_rfc4884", "defer_connect",
	};
	enum { NAMES = sizeof(names) / sizeof(*names) };
	uint64_t bits = member_value(e->arch, s, "bits", p, bytes);
	emit_struct(e);
	for (size_t i = 0; i < NAMES; i++)
		if (bits >> i & 1) {
			emit_member(e, names[i]);
			emit_u64(e, 1);
		}
	if (bits >> NAMES) {
		emit_member(e, "unused");
		emit_hex(e, bits >> NAMES);
	}
	emit_struct_end(e);
}

/* An address of the family, and the bytes of the key up to its length. */
static void print_tcp_diag_md5sig(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { FAMILY_INET = 2, FAMILY_INET6 = 10, ADDRESS = 4, KEY_AT = 20, KEY_MAX = 80 };
	uint64_t family = member_value(e->arch, s, "tcpm_family", p, bytes), n = member_value(e->arch, s, "tcpm_keylen", p, bytes);
	emit_struct(e);
	emit_member(e, "tcpm_family");
	emit_enum(e, &constants_family, family);
	emit_member(e, "tcpm_prefixlen");
	emit_u64(e, member_value(e->arch, s, "tcpm_prefixlen", p, bytes));
	emit_member(e, "tcpm_keylen");
	emit_u64(e, n);
	if (family == FAMILY_INET6 && e->strace) {
		emit_inet6_member(e, "tcpm_addr", p + ADDRESS);
	} else {
		emit_member(e, "tcpm_addr");
		if (family == FAMILY_INET || family == FAMILY_INET6)
			emit_inet(e, p + ADDRESS, family == FAMILY_INET6);
		else
			emit_bytes(e, p + ADDRESS, KEY_AT - ADDRESS, false);
	}
	emit_member(e, "tcpm_key");
	uint32_t limit = e->limit;
	e->limit = limit < KEY_MAX ? KEY_MAX : limit;
	emit_string(e, p + KEY_AT, n < KEY_MAX ? (size_t)n : KEY_MAX, false);
	e->limit = limit;
	emit_struct_end(e);
}

/* The bytes of the address up to its length. */
static void print_packet_diag_mclist(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { ADDRESS = 12, ADDRESS_MAX = 32 };
	uint64_t n = member_value(e->arch, s, "pdmc_alen", p, bytes);
	emit_struct(e);
	for (size_t i = 0; i + 1 < s->nr; i++) {
		emit_member(e, s->members[i].name);
		emit_value(e, s->members[i].type, member_value(e->arch, s, s->members[i].name, p, bytes));
	}
	emit_member(e, "pdmc_addr");
	emit_bytes(e, p + ADDRESS, n < ADDRESS_MAX ? (size_t)n : ADDRESS_MAX, false);
	emit_struct_end(e);
}

/* With nr 0 the pointers are meaningless. */
static void print_uring_resources(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint64_t nr = member_value(e->arch, s, "nr", p, bytes);
	size_t sized = e->sized, known = struct_bytes(e->arch, s);
	e->sized = 0;
	emit_struct(e);
	for (size_t i = 0, at = 0; i < s->nr && at < bytes; at += value_bytes(e->arch, s->members[i++].type)) {
		const struct member *m = &s->members[i];
		uint64_t v = member_value(e->arch, s, m->name, p, bytes);
		if (m->flags & MEMBER_NONZERO && !v)
			continue;
		emit_member(e, m->name);
		if (m->type.format == VALUE_POINTER && v && !nr) {
			emit_array(e);
			emit_array_end(e);
		} else {
			emit_value(e, m->type, v);
		}
	}
	if (sized > known && e->strace)
		emit_newer(e, p, known, sized, bytes);
	emit_struct_end(e);
}

/* A byte whose meaning depends on the opcode. */
static void print_uring_restriction(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint64_t opcode = member_value(e->arch, s, "opcode", p, bytes), op = member_value(e->arch, s, "register_op", p, bytes);
	emit_struct(e);
	emit_member(e, "opcode");
	emit_enum(e, &constants_uring_restriction, opcode);
	emit_member(e, opcode == 0 ? "register_op" : opcode == 1 ? "sqe_op" : "sqe_flags");
	if (opcode == 0)
		emit_enum(e, &constants_uring_register, op);
	else if (opcode == 1)
		emit_enum(e, &constants_uring_op, op);
	else
		emit_flags(e, &constants_uring_sqe, op);
	if (member_value(e->arch, s, "resv", p, bytes)) {
		emit_member(e, "resv");
		emit_hex(e, member_value(e->arch, s, "resv", p, bytes));
	}
	emit_struct_end(e);
}

static const char *const perf_bits[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle", "mmap",
	"comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark", NULL /* precise_ip, two bits */, NULL,
	"mmap_data", "sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user",
	"mmap2", "comm_exec", "use_clockid", "context_switch", "write_backward", "namespaces", "ksymbol", "bpf_event",
	"aux_output", "cgroup", "text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap",
};

/* A cache, an operation and a result in a byte each; the bytes above are unused. */
static void cache_config(struct emit *e, uint64_t config)
{
	static const struct {
		const struct constants *names;
		uint8_t shift;
	} parts[] = { { &constants_perf_cache_result, 16 }, { &constants_perf_cache_op, 8 }, { &constants_perf_cache, 0 } };
	struct out *out = emit_atom(e);
	if (config >> 24)
		out_f(out, "%#llx<<24|", (unsigned long long)(config >> 24));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint8_t v = (uint8_t)(config >> parts[i].shift);
		const char *name = constant_name(parts[i].names, v);
		if (name)
			out_str(out, name);
		else
			out_f(out, "0x%x", v);
		if (parts[i].shift)
			out_f(out, "<<%u|", parts[i].shift);
	}
	emit_atom_end(e);
}

static void perf_config(struct emit *e, uint32_t type, uint64_t config)
{
	emit_member(e, "config");
	if (type == 0 && config >> 32 && constant_name(&constants_perf_hardware, (uint32_t)config)) {
		struct out *out = emit_atom(e); /* the upper half is the type of the PMU, if there are several */
		out_f(out, "%#x<<32|%s", (uint32_t)(config >> 32), constant_name(&constants_perf_hardware, (uint32_t)config));
		emit_atom_end(e);
	} else if (type == 0)
		emit_enum(e, &constants_perf_hardware, config);
	else if (type == 1)
		emit_enum(e, &constants_perf_software, config);
	else if (type == 3)
		cache_config(e, config);
	else if (e->json || !config)
		emit_u64(e, config);
	else
		emit_hex(e, config);
}

static void print_perf_event_attr(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	const struct arch *a = e->arch;
	uint32_t type = (uint32_t)member_value(a, s, "type", p, bytes);
	uint64_t bits = member_value(a, s, "bits", p, bytes);
	emit_struct(e);
	emit_member(e, "type");
	emit_enum(e, &constants_perf_type, type);
	emit_member(e, "size");
	uint64_t size = member_value(a, s, "size", p, bytes);
	if (e->strace && constant_name(&constants_perf_attr_size, size))
		emit_enum(e, &constants_perf_attr_size, size);
	else
		emit_u64(e, size);
	perf_config(e, type, member_value(a, s, "config", p, bytes));
	emit_member(e, bits & 1 << 10 ? "sample_freq" : "sample_period");
	emit_u64(e, member_value(a, s, "sample_period", p, bytes));
	emit_member(e, "sample_type");
	emit_flags(e, &constants_perf_sample, member_value(a, s, "sample_type", p, bytes));
	emit_member(e, "read_format");
	emit_flags(e, &constants_perf_read, member_value(a, s, "read_format", p, bytes));
	for (size_t i = 0; i < sizeof(perf_bits) / sizeof(*perf_bits); i++)
		if (perf_bits[i] && bits >> i & 1) {
			emit_member(e, perf_bits[i]);
			emit_u64(e, 1);
		}
	emit_member(e, "precise_ip");
	emit_u64(e, bits >> 15 & 3);
	if (bits >> 38) { /* those without a name */
		emit_member(e, "__reserved_1");
		emit_hex(e, bits >> 38);
	}
	emit_more(e);
	emit_struct_end(e);
}

#include "decode/syscall/struct_tables.h"
#include "decode/syscall/structs.def"
