#include "record/record.h"

#include <string.h>

#include "base/cursor.h"

/* The build-id length byte and its flag were added to the pid in the tools' BUILD_ID and the kernel's MMAP2. */
#define MMAP2_ID_BYTES 24

#define U8(n) { #n, RECORD_FIELD_U8, 1 },
#define U16(n) { #n, RECORD_FIELD_U16, 2 },
#define U32(n) { #n, RECORD_FIELD_U32, 4 },
#define U64(n) { #n, RECORD_FIELD_U64, 8 },
#define CHARS(n, count) { #n, RECORD_FIELD_CHARS, count },
#define STRING(n) { #n, RECORD_FIELD_STRING, 0 },
#define MMAP2_ID(n) { #n, RECORD_FIELD_MMAP2_ID, MMAP2_ID_BYTES },
#define REPEAT { NULL, RECORD_FIELD_REPEAT, 0 },
#define REST(n) { #n, RECORD_FIELD_REST, 0 },
#define RECORD(name, type, fields) \
	[type] = { #name, (const struct record_field[]){ fields { NULL, RECORD_FIELD_END, 0 } } },

static const struct {
	const char *name;
	const struct record_field *fields;
} types[RECORD_TYPE_LIMIT] = {
#include "record/records.def"
};

const char *record_type_name(uint32_t type)
{
	return type < RECORD_TYPE_LIMIT ? types[type].name : NULL;
}

const struct record_field *record_fields(uint32_t type)
{
	return type < RECORD_TYPE_LIMIT ? types[type].fields : NULL;
}

uint32_t record_least_bytes(uint32_t type)
{
	const struct record_field *f = type < RECORD_USER_FIRST ? record_fields(type) : NULL;
	uint32_t n = sizeof(struct perf_event_header);
	if (!f)
		return 0;
	for (; f->kind != RECORD_FIELD_END && f->kind != RECORD_FIELD_REPEAT; f++)
		n += f->kind == RECORD_FIELD_STRING ? 1 : f->bytes; /* a string has an end */
	return n;
}

struct record_walk record_walk(struct record r, uint32_t trailer_bytes)
{
	uint32_t size = r.hdr->size, begin = sizeof(*r.hdr);
	return (struct record_walk){
		.r = r,
		.at = record_fields(r.hdr->type),
		.offset = begin,
		.end = size >= begin + trailer_bytes ? size - trailer_bytes : begin,
	};
}

static uint64_t number_at(const uint8_t *p, unsigned bytes)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (bytes) {
	case 1:
		return *p;
	case 2:
		memcpy(&u16, p, 2);
		return u16;
	case 4:
		memcpy(&u32, p, 4);
		return u32;
	default:
		memcpy(&u64, p, 8);
		return u64;
	}
}

bool record_walk_next(struct record_walk *w, struct record_value *ret)
{
	if (!w->at)
		return false;
	if (w->at->kind == RECORD_FIELD_REPEAT)
		w->repeat = ++w->at;
	if (w->at->kind == RECORD_FIELD_END && w->repeat)
		w->at = w->repeat;
	const struct record_field *f = w->at;
	const uint8_t *data = (const uint8_t *)w->r.hdr + w->offset;
	uint32_t left = w->end - w->offset, step = f->bytes;

	*ret = (struct record_value){ .field = f, .data = data };
	switch (f->kind) {
	case RECORD_FIELD_END:
		return false;
	case RECORD_FIELD_STRING:
		ret->bytes = strnlen((const char *)data, left);
		if (!left || ret->bytes == left)
			return false;
		step = (uint32_t)(ret->bytes + 8) & ~7u;
		if (step > left)
			step = left;
		break;
	case RECORD_FIELD_REST:
		if (!left)
			return false;
		ret->bytes = step = left;
		break;
	default:
		if (left < step)
			return false;
		ret->bytes = step;
		if (f->kind <= RECORD_FIELD_U64)
			ret->number = number_at(data, step);
	}
	w->offset += step;
	w->at++;
	return true;
}

/* Decoding: a cursor over the body; fields after the end of a short record stay 0. */

static struct cursor body(struct record r)
{
	return cursor_make((const char *)r.hdr + sizeof(*r.hdr),
			   r.hdr->size >= sizeof(*r.hdr) ? r.hdr->size - sizeof(*r.hdr) : 0, false);
}

#define MMAP2_ID_BYTES 24

/*
 * Whether the record has a build ID in place of device and inode. The flag is not reliable: the kernel, which passes one
 * record to all events, leaves it set for those after an event with build IDs (perf_event_mmap_output() in
 * kernel/events/core.c). With a build ID the bytes between length and ID, and those after it, are 0; device numbers are
 * either larger than the length of any build ID, or followed by an inode generation.
 */
static bool has_build_id(const struct perf_event_header *hdr, const uint8_t id[MMAP2_ID_BYTES])
{
	uint8_t n = id[0], rest = 0;
	if (!(hdr->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || !n || n > RECORD_BUILD_ID_MAX)
		return false;
	for (unsigned i = 1; i < MMAP2_ID_BYTES; i++)
		rest |= i < 4 || i >= 4u + n ? id[i] : 0;
	return !rest;
}

/* The string at the cursor. If the record ends before it, *ret is unchanged. */
static bool take_text(struct cursor *c, const char **ret)
{
	const char *text = cursor_cstr(c);
	if (!c->bad)
		*ret = text;
	return !c->bad;
}

bool record_decode_mmap(struct record r, struct record_mmap *ret)
{
	struct cursor c = body(r);

	*ret = (struct record_mmap){
		.is_mmap2 = r.hdr->type == PERF_RECORD_MMAP2,
		.is_data = r.hdr->misc & PERF_RECORD_MISC_MMAP_DATA,
		.filename = "",
	};
	ret->pid = cursor_u32(&c);
	ret->tid = cursor_u32(&c);
	ret->start = cursor_u64(&c);
	ret->len = cursor_u64(&c);
	ret->pgoff = cursor_u64(&c);
	if (ret->is_mmap2 && cursor_left(&c) >= MMAP2_ID_BYTES && has_build_id(r.hdr, c.at)) {
		ret->build_id_len = cursor_u8(&c);
		cursor_skip(&c, 3);
		cursor_copy(&c, ret->build_id, sizeof(ret->build_id));
	} else if (ret->is_mmap2) {
		ret->maj = cursor_u32(&c);
		ret->min = cursor_u32(&c);
		ret->ino = cursor_u64(&c);
		ret->ino_generation = cursor_u64(&c);
	}
	if (ret->is_mmap2) {
		ret->prot = cursor_u32(&c);
		ret->flags = cursor_u32(&c);
	}
	return take_text(&c, &ret->filename);
}

bool record_decode_comm(struct record r, struct record_comm *ret)
{
	struct cursor c = body(r);

	*ret = (struct record_comm){ .exec = r.hdr->misc & PERF_RECORD_MISC_COMM_EXEC, .comm = "" };
	ret->pid = cursor_u32(&c);
	ret->tid = cursor_u32(&c);
	return take_text(&c, &ret->comm);
}

bool record_decode_task(struct record r, struct record_task *ret)
{
	struct cursor c = body(r);

	ret->pid = cursor_u32(&c);
	ret->ppid = cursor_u32(&c);
	ret->tid = cursor_u32(&c);
	ret->ptid = cursor_u32(&c);
	ret->time = cursor_u64(&c);
	return !c.bad;
}

bool record_decode_ksymbol(struct record r, struct record_ksymbol *ret)
{
	struct cursor c = body(r);

	*ret = (struct record_ksymbol){ .name = "" };
	ret->addr = cursor_u64(&c);
	ret->len = cursor_u32(&c);
	ret->ksym_type = cursor_u16(&c);
	ret->flags = cursor_u16(&c);
	return take_text(&c, &ret->name);
}

bool record_decode_namespaces(struct record r, struct record_namespaces *ret)
{
	struct cursor c = body(r);

	*ret = (struct record_namespaces){};
	ret->pid = cursor_u32(&c);
	ret->tid = cursor_u32(&c);
	uint64_t nr = cursor_u64(&c);
	if (c.bad || nr > cursor_left(&c) / sizeof(*ret->links))
		return false;
	ret->nr = nr;
	ret->links = (const void *)c.at;
	return true;
}

bool record_decode_cgroup(struct record r, struct record_cgroup *ret)
{
	struct cursor c = body(r);

	*ret = (struct record_cgroup){ .path = "" };
	ret->id = cursor_u64(&c);
	return take_text(&c, &ret->path);
}

bool record_decode_lost(struct record r, struct record_lost *ret)
{
	struct cursor c = body(r);

	ret->id = r.hdr->type == PERF_RECORD_LOST ? cursor_u64(&c) : 0;
	ret->lost = cursor_u64(&c);
	return !c.bad;
}

bool record_decode_switch(struct record r, struct record_switch *ret)
{
	struct cursor c = body(r);

	*ret = (struct record_switch){
		.cpu_wide = r.hdr->type == PERF_RECORD_SWITCH_CPU_WIDE,
		.out = r.hdr->misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempt = r.hdr->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	};
	if (ret->cpu_wide) {
		ret->next_prev_pid = cursor_u32(&c);
		ret->next_prev_tid = cursor_u32(&c);
	}
	return !c.bad;
}

/* Byte order. */

static void swap16(uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static void swap32(uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static void swap64(uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

void record_swap_header(struct perf_event_header *hdr)
{
	hdr->type = __builtin_bswap32(hdr->type);
	hdr->misc = __builtin_bswap16(hdr->misc);
	hdr->size = __builtin_bswap16(hdr->size);
}

static uint64_t mirror64(uint64_t v)
{
	v = (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
	v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
	return __builtin_bswap64(v);
}

/* Sizes of the numbers of an attr, in the order of struct perf_event_attr; only u64 fields follow so far. */
static const uint8_t attr_widths[] = {
	4, 4, 8, 8, 8, 8,       /* type size config sample_period sample_type read_format */
	0,                      /* the bit-fields */
	4, 4, 8, 8, 8, 8,       /* wakeup_events bp_type config1 config2 branch_sample_type sample_regs_user */
	4, 4, 8, 4, 2, 2, 4, 4, /* sample_stack_user clockid sample_regs_intr aux_watermark max_stack - aux_sample_size - */
};

void record_swap_attr(void *attr, size_t n)
{
	uint8_t *p = attr, *end = p + n;

	for (size_t i = 0; p < end; i++) {
		size_t width = i < sizeof(attr_widths) ? attr_widths[i] : 8;
		size_t step = width ? width : 8;
		if ((size_t)(end - p) < step)
			return;
		if (width == 2)
			swap16(p);
		else if (width == 4)
			swap32(p);
		else
			swap64(p);
		if (!width) {
			/*
			 * The first bit-field is the top bit of big-endian machines and the lowest of others; precise_ip, the 16th
			 * and 17th, is a number.
			 */
			unsigned low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 63 - 16 : 15;
			uint64_t v;
			memcpy(&v, p, sizeof(v));
			v = mirror64(v);
			v = (v & ~(3ull << low)) | (v >> low & 1) << (low + 1) | (v >> (low + 1) & 1) << low;
			memcpy(p, &v, sizeof(v));
		}
		p += step;
	}
}

/* CPU_MAP's content, which an EVENT_UPDATE of kind CPUS carries too. */
static void swap_cpu_map(uint8_t *p, size_t n)
{
	uint16_t type, long_bytes;

	if (n < 4)
		return;
	swap16(p);
	memcpy(&type, p, sizeof(type));
	if (type == 1 && n >= 6) { /* mask: u16 nr, u16 bytes of a long, then longs: packed after the type's 2 bytes */
		swap16(p + 2);
		swap16(p + 4);
		memcpy(&long_bytes, p + 4, sizeof(long_bytes));
		for (size_t at = 10; long_bytes == 8 && at + 8 <= n; at += 8)
			swap64(p + at);
		for (size_t at = 6; long_bytes == 4 && at + 4 <= n; at += 4)
			swap32(p + at);
	} else if (type == 2) { /* range: u8 any, u8 -, u16 first, u16 last */
		for (size_t at = 4; at + 2 <= n && at < 8; at += 2)
			swap16(p + at);
	} else {
		for (size_t at = 2; at + 2 <= n; at += 2)
			swap16(p + at);
	}
}

static void swap_attr_record(uint8_t *p, size_t n)
{
	if (n < PERF_ATTR_SIZE_VER0)
		return;
	uint32_t size;
	memcpy(&size, p + 4, sizeof(size));
	size = __builtin_bswap32(size);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size > n)
		size = (uint32_t)n;
	record_swap_attr(p, size);
	for (size_t at = size; at + 8 <= n; at += 8)
		swap64(p + at);
}

void record_swap(void *bytes, uint32_t trailer_bytes)
{
	struct record r = { .hdr = bytes };
	struct record_walk w = record_walk(r, trailer_bytes);
	struct record_value v;
	uint64_t update_kind = 0;

	if (r.hdr->type == RECORD_HEADER_ATTR)
		return swap_attr_record((uint8_t *)bytes + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr));
	if (r.hdr->type == RECORD_CPU_MAP)
		return swap_cpu_map((uint8_t *)bytes + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr));
	while (record_walk_next(&w, &v)) {
		uint8_t *p = (uint8_t *)v.data;
		switch (v.field->kind) {
		case RECORD_FIELD_U16:
			swap16(p);
			break;
		case RECORD_FIELD_U32:
			swap32(p);
			break;
		case RECORD_FIELD_U64:
			swap64(p);
			if (r.hdr->type == RECORD_EVENT_UPDATE && p == (uint8_t *)bytes + sizeof(*r.hdr))
				update_kind = __builtin_bswap64(v.number);
			break;
		case RECORD_FIELD_MMAP2_ID:
			if (has_build_id(r.hdr, p))
				break;
			swap32(p);
			swap32(p + 4);
			swap64(p + 8);
			swap64(p + 16);
			break;
		case RECORD_FIELD_REST:
			if (r.hdr->type == RECORD_EVENT_UPDATE && update_kind == 1 && v.bytes >= 8)
				swap64(p);
			else if (r.hdr->type == RECORD_EVENT_UPDATE && update_kind == 3)
				swap_cpu_map(p, v.bytes);
			break;
		}
	}
}

struct record_id_index record_decode_id_index(struct record r)
{
	struct record_id_index x = { 0 };
	size_t head = sizeof(*r.hdr) + sizeof(x.nr), bytes = r.hdr->size < head ? 0 : r.hdr->size - head;
	const char *p = (const char *)r.hdr;
	if (r.hdr->size >= head)
		memcpy(&x.nr, p + sizeof(*r.hdr), sizeof(x.nr));
	if (x.nr > bytes / sizeof(*x.entries))
		x.nr = bytes / sizeof(*x.entries);
	x.entries = (const void *)(p + head);
	if (bytes - x.nr * sizeof(*x.entries) >= x.nr * sizeof(*x.guests))
		x.guests = (const void *)(p + head + x.nr * sizeof(*x.entries));
	if (!x.nr)
		x.guests = NULL;
	return x;
}
