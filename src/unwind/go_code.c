#include "unwind/go_code.h"

#include <string.h>

enum { SECTION_PROGBITS = 1, SECTION_CODE = 4 };

static const struct object_section *table_of(const struct object *o)
{
	const struct object_section *s = object_find_section(o, ".gopclntab");
	return s ? s : object_find_section(o, ".data.rel.ro.gopclntab");
}

bool go_code_is_in(const struct object *o)
{
	/* Other linkers than Go's give the table no section of its own in code at any address. */
	return table_of(o) || object_find_section(o, ".go.buildinfo");
}

bool go_code_find(const struct object *o, uint64_t *ret_start, uint64_t *ret_end)
{
	enum { MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1, ENTRY_BYTES = 8 };
	const struct object_section *s = table_of(o);
	if (!s || !object_header(o)->is_64bit)
		return false;
	size_t n;
	const void *raw = object_section_raw(o, s, &n);
	struct cursor c = cursor_make(raw, n, object_header(o)->swap);
	uint32_t magic = cursor_u32(&c);
	cursor_skip(&c, 4);
	uint64_t functions = cursor_u64(&c), bytes = n;
	cursor_skip(&c, 8); /* files */
	*ret_start = cursor_u64(&c);
	cursor_skip(&c, 4 * 8); /* where names, units, names of files and values of addresses are */
	uint64_t table = cursor_u64(&c), at = cursor_offset(&c);
	if ((magic != MAGIC_1_18 && magic != MAGIC_1_20) || !*ret_start || table < at || table > bytes ||
	    functions >= (bytes - table) / ENTRY_BYTES)
		return false;
	cursor_skip(&c, table - at + functions * ENTRY_BYTES); /* what comes after the last is where that ends */
	*ret_end = *ret_start + cursor_u32(&c);
	return !c.bad && *ret_end > *ret_start;
}

/* An instruction with a word of the stack as operand: its two bytes, then ModRM and SIB with an offset of a byte, or with none. */
static size_t match_slot(const uint8_t *code, size_t n, const uint8_t opcode[2], uint8_t modrm, int32_t *ret_at)
{
	bool has_offset = n > 4 && code[2] == (modrm | 0x40);
	if (n < 4 || memcmp(code, opcode, 2) != 0 || code[3] != 0x24 /* SIB: rsp */ || !(has_offset || code[2] == modrm))
		return 0;
	*ret_at = has_offset ? (int8_t)code[4] : 0;
	return has_offset ? 5 : 4;
}

/* What follows the call: mov G(%rsp),%rdi; mov 8(%rdi),%rsi; sub DEPTH(%rsp),%rsi. */
static size_t match_return(const uint8_t *code, size_t n, struct go_switch *ret)
{
	static const uint8_t load[] = { 0x48, 0x8b }, high[] = { 0x48, 0x8b, 0x77, 0x08 },
			     sub[] = { 0x48, 0x2b };
	/* In code at any address the place of the thread's g is loaded first: mov …(%rip),%rcx or mov $…,%rcx. */
	static const uint8_t tls[][3] = { { 0x48, 0x8b, 0x0d }, { 0x48, 0xc7, 0xc1 } };
	bool has_tls = n > 7 && (!memcmp(code, tls[0], 3) || !memcmp(code, tls[1], 3));
	size_t at = has_tls ? 7 : 0;
	size_t bytes = match_slot(code + at, n - at, load, 0x3c, &ret->g_at);
	at += bytes;
	if (!bytes || n - at < sizeof(high) || memcmp(code + at, high, sizeof(high)) != 0)
		return 0;
	at += sizeof(high);
	bytes = match_slot(code + at, n - at, sub, 0x34, &ret->depth_at);
	return bytes ? at + bytes : 0;
}

bool go_switch_find_in(const uint8_t *code, size_t n, uint64_t vaddr, struct go_switch *ret)
{
	static const uint8_t call[] = { 0xff, 0xd0 }; /* call *%rax */
	const uint8_t *end = code + n;
	for (const uint8_t *at = code; (at = memmem(at, (size_t)(end - at), call, sizeof(call))); at++) {
		size_t bytes = match_return(at + sizeof(call), (size_t)(end - at) - sizeof(call), ret);
		if (!bytes)
			continue;
		ret->start = vaddr + (uint64_t)(at - code);
		ret->end = ret->start + sizeof(call) + bytes;
		return true;
	}
	return false;
}

bool go_switch_find(const struct object *o, struct go_switch *ret)
{
	if (!go_code_is_in(o) || object_header(o)->arch != &arch_x86_64)
		return false;
	for (size_t i = 0; i < object_sections_count(o); i++) {
		const struct object_section *s = object_section(o, i);
		size_t n;
		const uint8_t *code = s->type == SECTION_PROGBITS && s->flags & SECTION_CODE ? object_section_raw(o, s, &n) : NULL;
		if (code && go_switch_find_in(code, n, s->addr, ret))
			return true;
	}
	return false;
}
