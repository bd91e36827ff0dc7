/* Structs of ioctl(2): printers of structs whose members depend on each other, and the tables of all. */
#include "decode/syscall/emit.h"
#include "decode/syscall/type_macros.h"

#define ULONG_TYPE ulong_type
#define U8_TYPE	   u8_type
#define U32_TYPE   u32_type
#define U64_TYPE   u64_type
#define HEX64_TYPE hex64_type
static const struct value_type ulong_type = ULONG, u8_type = UNSIGNED(1), u32_type = U32, u64_type = U64, hex64_type = HEX64;

static uint64_t number_at(const struct emit *e, const uint8_t *p, size_t bytes, size_t at, size_t n)
{
	return at + n <= bytes ? value_load(e->arch, p + at, n) : 0;
}

static bool has_succeeded(const struct emit *e)
{
	return e->ev->has_ret && !syscall_failed(e->ev->ret);
}

/* Up to its NUL, which may follow the fetched part. */
static void btrfs_name(struct emit *e, const uint8_t *p, size_t bytes)
{
	size_t n = strnlen((const char *)p, bytes);
	uint32_t limit = e->limit;
	e->limit = (uint32_t)bytes;
	emit_member(e, "name");
	emit_string(e, p, n, n == bytes);
	e->limit = limit;
}

static void print_btrfs_volume(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	emit_struct(e);
	emit_member(e, "fd");
	emit_fd(e, (int)number_at(e, p, bytes, 0, 8));
	if (bytes > 8)
		btrfs_name(e, p + 8, bytes - 8);
	emit_struct_end(e);
}

/* Quota groups to inherit; a name, or the number of a device or subvolume, by the flags. */
static void print_btrfs_volume_v2(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { INHERIT = 4, DEVICE = 8, SUBVOLUME = 16, NAME = 56 };
	uint64_t flags = number_at(e, p, bytes, 16, 8), id = number_at(e, p, bytes, NAME, 8);
	emit_struct(e);
	emit_member(e, "fd");
	emit_fd(e, (int)number_at(e, p, bytes, 0, 8));
	emit_member(e, "flags");
	emit_flags(e, &constants_ioctl_btrfs_volume, flags);
	if (flags & INHERIT) {
		emit_member(e, "size");
		emit_u64(e, number_at(e, p, bytes, 24, 8));
		emit_member(e, "qgroup_inherit");
		emit_pointer(e, number_at(e, p, bytes, 32, 8));
	}
	if (flags & (DEVICE | SUBVOLUME)) {
		emit_member(e, flags & DEVICE ? "devid" : "subvolid");
		emit_u64(e, id);
	} else if (bytes > NAME) {
		btrfs_name(e, p + NAME, bytes - NAME);
	}
	emit_struct_end(e);
}

/* The kernel stops reading at an unknown version, or at a size that ends before the data. */
static void print_dm(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { INTERFACE = 4, DATA = 305 };
	bool begins = number_at(e, p, bytes, 0, 4) != INTERFACE || number_at(e, p, bytes, 12, 4) < DATA;
	emit_members(e, begins ? &struct_dm_begin : s, p, bytes);
}

static void gpio_attribute(struct emit *e, const uint8_t *p)
{
	enum { FLAGS = 1, VALUES = 2, DEBOUNCE = 3 };
	static const struct value_type flags = FLAGS64(ioctl_gpio_line);
	uint64_t id = value_load(e->arch, p, 4), v = value_load(e->arch, p + 8, 8);
	emit_struct(e);
	if (id == FLAGS) {
		emit_member(e, "flags");
		emit_value(e, flags, v);
	} else if (id == VALUES) {
		emit_member(e, "values");
		emit_hex(e, v);
	} else if (id == DEBOUNCE) {
		emit_member(e, "debounce_period_us");
		emit_u64(e, (uint32_t)v);
	} else {
		emit_member(e, "id");
		emit_enum(e, &constants_ioctl_gpio_attr, id);
		emit_member(e, "data");
		emit_hex(e, v);
	}
	emit_member(e, "mask");
	emit_hex(e, value_load(e->arch, p + 16, 8));
	emit_struct_end(e);
}

/* num_attrs attributes, at most ten. */
static void print_gpio_config(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { ATTRIBUTES = 10, ATTRIBUTE_BYTES = 24, HEAD_BYTES = 32 };
	uint64_t nr = number_at(e, p, bytes, 8, 4);
	emit_struct(e);
	emit_member(e, "flags");
	emit_flags(e, &constants_ioctl_gpio_line, number_at(e, p, bytes, 0, 8));
	emit_member(e, "num_attrs");
	emit_u64(e, nr);
	if (nr) {
		emit_member(e, "attrs");
		emit_array(e);
		for (size_t i = 0; i < nr && i < ATTRIBUTES && HEAD_BYTES + (i + 1) * ATTRIBUTE_BYTES <= bytes; i++) {
			emit_item(e);
			gpio_attribute(e, p + HEAD_BYTES + i * ATTRIBUTE_BYTES);
		}
		emit_array_end(e);
	}
	emit_struct_end(e);
}

/* num_lines offsets, at most 64. */
static void print_gpio_request(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { LINES = 64, CONSUMER = 256, CONFIG = 288, NUM_LINES = 560, BUFFER = 564, REQUEST_FD = 588, BYTES = 592 };
	static const struct value_type consumer = CHARS(32), config = IN(gpio_v2_line_config);
	if (bytes < BYTES) {
		emit_members(e, s, p, bytes);
		return;
	}
	uint64_t nr = value_load(e->arch, p + NUM_LINES, 4);
	struct value_type offsets = ARRAY((uint16_t)(nr < LINES ? nr : LINES), u32_type);
	emit_struct(e);
	emit_member(e, "num_lines");
	emit_u64(e, nr);
	emit_member(e, "offsets");
	emit_memory(e, offsets, p, CONSUMER);
	emit_member(e, "consumer");
	emit_memory(e, consumer, p + CONSUMER, 32);
	emit_member(e, "config");
	emit_memory(e, config, p + CONFIG, NUM_LINES - CONFIG);
	emit_member(e, "event_buffer_size");
	emit_u64(e, value_load(e->arch, p + BUFFER, 4));
	if (has_succeeded(e)) {
		emit_member(e, "fd");
		emit_fd(e, (int)value_load(e->arch, p + REQUEST_FD, 4));
	}
	emit_struct_end(e);
}

/* The elements follow the struct, and are not fetched. */
static void print_kvm_cpuid(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint64_t nr = number_at(e, p, bytes, 0, 4);
	emit_struct(e);
	emit_member(e, "nent");
	emit_u64(e, nr);
	emit_member(e, "entries");
	emit_array(e);
	if (nr)
		emit_more(e);
	emit_array_end(e);
	emit_struct_end(e);
}

/* The parameter decides the meaning of the value, which RTC_PARAM_GET returns. */
static void print_rtc_param(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	enum { FEATURES, CORRECTION, BACKUP_SWITCH_MODE, GET = 0x40187013 };
	static const struct value_type features = BITS(8, ioctl_rtc_feature);
	uint64_t param = number_at(e, p, bytes, 0, 8), v = number_at(e, p, bytes, 8, 8), pad = number_at(e, p, bytes, 20, 4);
	emit_struct(e);
	emit_member(e, "param");
	emit_enum(e, &constants_ioctl_rtc_param, param);
	if ((uint32_t)e->ev->arg[1] != GET || has_succeeded(e)) {
		emit_member(e, param == CORRECTION ? "svalue" : "uvalue");
		if (param == FEATURES)
			emit_value(e, features, v);
		else if (param == CORRECTION)
			emit_i64(e, (int64_t)v);
		else if (param == BACKUP_SWITCH_MODE)
			emit_enum(e, &constants_ioctl_rtc_bsm, v);
		else
			emit_hex(e, v);
	}
	emit_member(e, "index");
	emit_u64(e, number_at(e, p, bytes, 16, 4));
	if (pad) {
		emit_member(e, "__pad");
		emit_hex(e, pad);
	}
	emit_struct_end(e);
}

/* The first member is a letter that selects one of two structs. */
static void print_sg_io(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	uint64_t letter = number_at(e, p, bytes, 0, 4);
	const struct struct_type *which = letter == 'S' ? &struct_sg_io_v3 : letter == 'Q' ? &struct_sg_io_v4 : NULL;
	if (which) {
		emit_members(e, which, p, bytes);
		return;
	}
	emit_array(e);
	emit_item(e);
	emit_i64(e, (int32_t)letter);
	emit_array_end(e);
}

/* ifc_len bytes of requests: the size of the buffer before the call, the size of the data after it. */
static void print_ifconf(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	struct piece before = piece_find(e->ev, 2, SYSCALL_PART_WHOLE);
	size_t word = e->arch->pointer_bytes;
	int32_t len = (int32_t)number_at(e, p, bytes, 0, 4), requested = len;
	uint64_t buffer = number_at(e, p, bytes, word, word);
	if (before.bytes >= 4)
		requested = (int32_t)value_load(e->arch, before.data, 4);
	emit_struct(e);
	emit_member(e, "ifc_len");
	if (e->json || len == requested) {
		emit_i64(e, len);
	} else {
		out_i64(e->out, requested);
		out_str(e->out, " => ");
		out_i64(e->out, len);
	}
	emit_member(e, "ifc_buf");
	if (has_succeeded(e) && buffer && !len) {
		emit_array(e);
		emit_array_end(e);
	} else {
		emit_pointer(e, buffer);
	}
	emit_struct_end(e);
}

/* The requested and the available features. */
static void print_uffdio_api(struct emit *e, const struct struct_type *s, const uint8_t *p, size_t bytes)
{
	struct piece before = piece_find(e->ev, 2, SYSCALL_PART_WHOLE);
	uint64_t features = number_at(e, p, bytes, 8, 8), requested = features;
	if (e->json || before.bytes < 16 || (requested = value_load(e->arch, before.data + 8, 8)) == features) {
		emit_members(e, s, p, bytes);
		return;
	}
	emit_struct(e);
	emit_member(e, "api");
	emit_hex(e, number_at(e, p, bytes, 0, 8));
	emit_member(e, "features");
	emit_flags(e, &constants_ioctl_uffd_feature, requested);
	out_str(e->out, " => ");
	emit_flags(e, &constants_ioctl_uffd_feature, features);
	emit_member(e, "ioctls");
	emit_value(e, s->members[2].type, number_at(e, p, bytes, 16, 8));
	emit_struct_end(e);
}

#include "decode/syscall/struct_tables.h"
#include "decode/syscall/ioctl/structs_ioctl.def"
