/* ioctl(2): the names of requests, and the data of their third argument. */
#include "decode/syscall/special/specials.h"
#include "decode/syscall/type_macros.h"

enum ioctl_kind {
	IOCTL_POINTER,
	IOCTL_NOTHING,
	IOCTL_NUMBER,
	IOCTL_BY_VALUE,
	IOCTL_TEXT,
	IOCTL_BEFORE,
	IOCTL_AFTER,
	IOCTL_BOTH,
	IOCTL_IF_INDEX,
	IOCTL_IF_VALUE,
	IOCTL_IF_ADDRESS,
	IOCTL_IF_NAME
};

static const struct value_type u32_type = U32, u64_type = U64, dm_type = IN(dm), hex_type = HEX32;

static const struct ioctl {
	const char *name;
	uint32_t number;
	uint8_t kind;
	struct value_type type;
} ioctls[] = {
#define POINTER        \
	IOCTL_POINTER, \
	{              \
	}
#define NOTHING        \
	IOCTL_NOTHING, \
	{              \
	}
#define NUMBER        \
	IOCTL_NUMBER, \
	{             \
	}
#define TEXT        \
	IOCTL_TEXT, \
	{           \
	}
#define IF_INDEX        \
	IOCTL_IF_INDEX, \
	{               \
	}
#define IF_VALUE        \
	IOCTL_IF_VALUE, \
	{               \
	}
#define IF_ADDRESS        \
	IOCTL_IF_ADDRESS, \
	{                 \
	}
#define IF_NAME        \
	IOCTL_IF_NAME, \
	{              \
	}
#define BEFORE(...)              IOCTL_BEFORE, __VA_ARGS__
#define AFTER(...)               IOCTL_AFTER, __VA_ARGS__
#define BOTH(...)                IOCTL_BOTH, __VA_ARGS__
#define BY_VALUE(...)            IOCTL_BY_VALUE, __VA_ARGS__
#define IOCTL(name, number, ...) {#name, number, __VA_ARGS__},
#include "decode/syscall/ioctl/ioctls.def"
};

/* The sort key of the table. */
static uint32_t rank(uint32_t number)
{
	return number << 16 | number >> 16;
}

static const struct ioctl *find(uint32_t number)
{
	size_t low = 0, high = sizeof(ioctls) / sizeof(*ioctls);
	uint32_t key = rank(number);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (rank(ioctls[middle].number) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof(ioctls) / sizeof(*ioctls) && ioctls[low].number == number ? &ioctls[low] : NULL;
}

const char *syscall_ioctl_name(uint32_t number)
{
	const struct ioctl *io = find(number);
	return io ? io->name : NULL;
}

/* Requests whose number contains a size, or an item of a device: EVIOCGNAME(256), EVIOCGBIT(EV_KEY, 96). */
static const struct sized {
	uint8_t type, first, last, direction;
	const char *name;
	const struct constants *things; /* NULL: only the size */
	bool fixed;                     /* only the item */
} sized[] = {
	{ 'E', 0x06, 0x06, 2, "EVIOCGNAME", NULL, false },   { 'E', 0x07, 0x07, 2, "EVIOCGPHYS", NULL, false },
	{ 'E', 0x08, 0x08, 2, "EVIOCGUNIQ", NULL, false },   { 'E', 0x09, 0x09, 2, "EVIOCGPROP", NULL, false },
	{ 'E', 0x0a, 0x0a, 2, "EVIOCGMTSLOTS", NULL, false }, { 'E', 0x18, 0x18, 2, "EVIOCGKEY", NULL, false },
	{ 'E', 0x19, 0x19, 2, "EVIOCGLED", NULL, false },    { 'E', 0x1a, 0x1a, 2, "EVIOCGSND", NULL, false },
	{ 'E', 0x1b, 0x1b, 2, "EVIOCGSW", NULL, false },     { 'E', 0x20, 0x3f, 2, "EVIOCGBIT", &constants_ioctl_ev, false },
	{ 'E', 0x40, 0x7f, 2, "EVIOCGABS", &constants_ioctl_abs, true },
	{ 'E', 0xc0, 0xff, 1, "EVIOCSABS", &constants_ioctl_abs, true },
	{ 'H', 0x04, 0x04, 2, "HIDIOCGRAWNAME", NULL, false }, { 'H', 0x05, 0x05, 2, "HIDIOCGRAWPHYS", NULL, false },
	{ 'H', 0x06, 0x06, 2, "HIDIOCGNAME", NULL, false },  { 'H', 0x12, 0x12, 2, "HIDIOCGPHYS", NULL, false },
};

static const struct sized *find_sized(uint32_t cmd)
{
	for (size_t i = 0; i < sizeof(sized) / sizeof(*sized); i++)
		if (sized[i].direction == cmd >> 30 && sized[i].type == (cmd >> 8 & 0xff) && (cmd & 0xff) >= sized[i].first &&
		    (cmd & 0xff) <= sized[i].last)
			return &sized[i];
	return NULL;
}

static void print_sized(struct out *out, const struct sized *s, uint32_t cmd)
{
	uint32_t size = cmd >> 16 & 0x3fff, thing = (cmd & 0xff) - s->first;
	const char *name = s->things ? constant_name(s->things, thing) : NULL;
	out_f(out, "%s(", s->name);
	if (name)
		out_str(out, name);
	else if (s->things)
		out_f(out, "%#x", thing);
	if (s->things && !s->fixed)
		out_str(out, ", ");
	if (!s->fixed)
		out_u64(out, size);
	out_ch(out, ')');
}

/* A request without a name is shown by its parts: _IOC(_IOC_READ, 0x54, 0x30, 0x4). */
void print_ioctl_cmd(struct emit *e, unsigned i)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	uint32_t cmd = (uint32_t)e->ev->arg[i];
	const char *name = syscall_ioctl_name(cmd);
	if (name) {
		emit_word(e, name);
		return;
	}
	const struct sized *s = find_sized(cmd);
	struct out *out = emit_atom(e);
	if (s)
		print_sized(out, s, cmd);
	else
		out_f(out, "_IOC(%s, 0x%x, 0x%x, 0x%x)", directions[cmd >> 30], cmd >> 8 & 0xff, cmd & 0xff,
		      cmd >> 16 & 0x3fff);
	emit_atom_end(e);
}

bool ioctl_has_arg(const struct syscall_event *ev, unsigned i)
{
	const struct ioctl *io = find((uint32_t)ev->arg[1]);
	return !io || io->kind != IOCTL_NOTHING;
}

/* SIOCGIFFLAGS, SIOCSIFFLAGS */
static bool is_flags(uint32_t cmd)
{
	return cmd == 0x8913 || cmd == 0x8914;
}

static const char *ifreq_member(uint32_t cmd)
{
	if (is_flags(cmd))
		return "ifr_flags";
	switch (cmd) {
	case 0x8933:
		return "ifr_ifindex";
	case 0x8921:
	case 0x8922:
		return "ifr_mtu";
	case 0x891d:
	case 0x891e:
		return "ifr_metric";
	case 0x8942:
	case 0x8943:
		return "ifr_qlen";
	default:
		return "ifr_value";
	}
}

/* Requests that get a value: before the call only the name of the interface is set. */
static bool ifreq_is_get(uint32_t cmd)
{
	uint32_t nr = cmd & 0xff;
	return cmd >> 8 == 0x89 ? (nr >= 0x10 && nr < 0x22 && nr & 1) || nr == 0x27 || nr == 0x33 || nr == 0x42 : cmd >> 31;
}

/* SIOCSIFHWADDR, SIOCGIFHWADDR, SIOCADDMULTI, SIOCDELMULTI, SIOCSIFHWBROADCAST */
static bool is_hardware(uint32_t cmd)
{
	return cmd == 0x8924 || cmd == 0x8927 || cmd == 0x8931 || cmd == 0x8932 || cmd == 0x8937;
}

/* A struct sockaddr; the family of a hardware address is its type, and six bytes of Ethernet are shown as a MAC address. */
static void ifreq_address(struct emit *e, uint32_t cmd, const uint8_t *p)
{
	enum { ETHER = 1, LOOPBACK = 772, ETHER_BYTES = 6, DATA_BYTES = 14 };
	uint64_t hardware = value_load(e->arch, p, 2);
	struct out *out;
	emit_member(e, is_hardware(cmd) ? "ifr_hwaddr" : "ifr_addr");
	if (!is_hardware(cmd)) {
		emit_sockaddr(e, p, 16);
		return;
	}
	emit_struct(e);
	emit_member(e, "sa_family");
	emit_enum(e, &constants_arp_hardware, hardware);
	emit_member(e, "sa_data");
	if (hardware == ETHER || hardware == LOOPBACK) {
		out = emit_atom(e);
		for (size_t i = 0; i < ETHER_BYTES; i++) {
			out_str(out, i ? ":" : "");
			out_hex_width(out, p[2 + i], 2, '0');
		}
		emit_atom_end(e);
	} else {
		emit_bytes(e, p + 2, DATA_BYTES, false);
	}
	emit_struct_end(e);
}

/* struct ifreq: 16 bytes of name, then a union. */
static void ifreq(struct emit *e, uint8_t kind, uint32_t cmd, struct piece p, bool answered)
{
	bool is_get = ifreq_is_get(cmd);
	emit_struct(e);
	emit_member(e, "ifr_name");
	emit_string(e, p.data, strnlen((const char *)p.data, 16), false);
	if (kind == IOCTL_IF_ADDRESS && (answered || !is_get)) {
		ifreq_address(e, cmd, p.data + 16);
	} else if (kind == IOCTL_IF_NAME) {
		emit_member(e, "ifr_newname");
		emit_string(e, p.data + 16, strnlen((const char *)p.data + 16, 16), false);
	} else if (kind == IOCTL_IF_VALUE && (answered || !is_get)) {
		emit_member(e, ifreq_member(cmd));
		if (is_flags(cmd))
			emit_flags(e, &constants_iff, value_load(e->arch, p.data + 16, 2));
		else
			emit_i64(e, (int32_t)value_load(e->arch, p.data + 16, 4));
	}
	emit_struct_end(e);
}

static void pointee(struct emit *e, struct value_type t, struct piece p)
{
	if (t.format == VALUE_STRUCT || t.format == VALUE_ARRAY) {
		emit_memory(e, t, p.data, p.bytes);
		return;
	}
	emit_array(e);
	emit_item(e);
	emit_memory(e, t, p.data, p.bytes);
	emit_array_end(e);
}

static void text(struct emit *e, struct piece p)
{
	size_t n = strnlen((const char *)p.data, p.bytes);
	emit_string(e, p.data, n, n == p.bytes);
}

/* The minimum size: less than the table's for a struct with two forms, and for one that is fetched in part. */
static size_t least(const struct emit *e, struct value_type t)
{
	size_t n = value_bytes(e->arch, t);
	return t.of == &struct_sg_io ? 4 : n;
}

void print_ioctl_arg(struct emit *e, unsigned i)
{
	uint32_t cmd = (uint32_t)e->ev->arg[1];
	const struct ioctl *io = find(cmd);
	struct piece in = piece_find(e->ev, i, SYSCALL_PART_WHOLE), after = piece_find(e->ev, i, SYSCALL_PART_EXIT);
	struct piece best = after.data ? after : in;
	uint8_t kind = io ? io->kind : IOCTL_POINTER;
	if (kind == IOCTL_NUMBER)
		emit_i64(e, (int32_t)e->ev->arg[i]);
	else if (kind == IOCTL_BY_VALUE)
		emit_value(e, io->type, e->ev->arg[i]);
	else if (kind == IOCTL_BEFORE && in.bytes >= value_bytes(e->arch, io->type))
		pointee(e, io->type, in);
	else if (kind == IOCTL_AFTER && after.data)
		pointee(e, io->type, after);
	else if (kind == IOCTL_BOTH && best.bytes >= least(e, io->type))
		pointee(e, io->type, best);
	else if (kind == IOCTL_TEXT && in.data)
		text(e, in);
	else if (kind >= IOCTL_IF_INDEX && best.bytes >= 32)
		ifreq(e, kind, cmd, best, after.data != NULL);
	else if (kind == IOCTL_POINTER && !e->ev->arg[i] && !e->strace)
		emit_u64(e, 0);
	else
		emit_hex(e, e->ev->arg[i]);
}
