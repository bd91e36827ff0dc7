#include "unwind/go_code.h"

#include <string.h>

#include "object/gopclntab.h"

enum { SECTION_PROGBITS = 1, SECTION_CODE = 4 };

bool go_code_is_in(const struct object *o)
{
	/* Other linkers than Go's give the table no section of its own in code at any address. */
	return object_find_section(o, ".gopclntab") || object_find_section(o, ".data.rel.ro.gopclntab") ||
	       object_find_section(o, ".go.buildinfo");
}

bool go_code_find(const struct object *o, uint64_t *ret_start, uint64_t *ret_end)
{
	struct gopclntab t;
	return go_code_is_in(o) && gopclntab_open(o, &t) && gopclntab_code(&t, ret_start, ret_end);
}

static bool expect(struct cursor *c, const void *bytes, size_t n)
{
	const void *there = cursor_bytes(c, n);
	return there && !memcmp(there, bytes, n);
}

/* The same, where it may be left out. */
static bool pass(struct cursor *c, const void *bytes, size_t n)
{
	if (cursor_left(c) < n || memcmp(c->at, bytes, n) != 0)
		return false;
	cursor_skip(c, n);
	return true;
}

/* An instruction with a word of the stack as operand: two bytes, ModRM, SIB, and an offset of a byte or none. */
static bool take_slot(struct cursor *c, const char opcode[2], uint8_t modrm, int32_t *ret_at)
{
	if (!expect(c, opcode, 2))
		return false;
	uint8_t form = cursor_u8(c), sib = cursor_u8(c);
	*ret_at = form == (modrm | 0x40) ? (int8_t)cursor_u8(c) : 0;
	return sib == 0x24 /* rsp */ && (form == modrm || form == (modrm | 0x40));
}

/*
 * The place of the thread's g is in the instruction, or, in code at any address, is loaded before: mov …(%rip),%rcx or, by the linker,
 * mov $…,%rcx.
 */
static void pass_place(struct cursor *c, bool *ret_is_known, int32_t *ret_place)
{
	*ret_is_known = pass(c, "\x48\xc7\xc1", 3);
	if (*ret_is_known || pass(c, "\x48\x8b\x0d", 3))
		*ret_place = (int32_t)cursor_u32(c);
}

/* After the call: mov G(%rsp),%rdi; mov 8(%rdi),%rsi; sub DEPTH(%rsp),%rsi. */
static bool match_c_return(struct cursor *c, struct go_switch *ret)
{
	bool unused;
	int32_t place;
	pass_place(c, &unused, &place);
	return take_slot(c, "\x48\x8b", 0x3c, &ret->addend) && expect(c, "\x48\x8b\x77\x08", 4) &&
	       take_slot(c, "\x48\x2b", 0x34, &ret->value);
}

/* Perhaps mov %rdi,%fs:PLACE; mov %rsi,%rsp; and then mov %eax,…(%rsp); ret. */
static void match_c_end(struct cursor c, uint64_t after, struct go_switch *ret)
{
	ret->end = ret->left = after + cursor_offset(&c);
	if (pass(&c, "\x64\x48\x89\x3c\x25", 5))
		cursor_skip(&c, 4);
	else
		pass(&c, "\x64\x48\x89\x39", 4);
	if (!expect(&c, "\x48\x89\xf4", 3))
		return;
	ret->end = ret->left = after + cursor_offset(&c);
	if (expect(&c, "\x89\x44\x24", 3) && cursor_skip(&c, 1) && expect(&c, "\xc3", 1))
		ret->left = after + cursor_offset(&c);
}

/*
 * After the call: mov %fs:PLACE,%rax; mov M(%rax),%rbx; mov CURG(%rbx),%rax; mov %rax,%fs:PLACE; mov SP(%rax),%rsp; perhaps
 * mov …(%rax),%rbp; movq $0,SP(%rax); perhaps movq $0,…(%rax); ret.
 */
static bool match_system_return(struct cursor *c, struct go_switch *ret)
{
	bool is_known;
	int32_t place = 0;
	pass_place(c, &is_known, &place);
	if (!is_known && !expect(c, "\x64\x48\x8b\x04\x25", 5))
		return false;
	if (is_known && !expect(c, "\x64\x48\x8b\x01", 4))
		return false;
	if (!is_known)
		place = (int32_t)cursor_u32(c);
	if (!expect(c, "\x48\x8b\x58", 3))
		return false;
	uint32_t m_at = cursor_u8(c);
	if (!expect(c, "\x48\x8b\x83", 3))
		return false;
	uint32_t curg_at = cursor_u32(c);
	if (is_known ? !expect(c, "\x64\x48\x89\x01", 4) : !expect(c, "\x64\x48\x89\x04\x25", 5) || (int32_t)cursor_u32(c) != place)
		return false;
	if (!expect(c, "\x48\x8b\x60", 3))
		return false;
	uint32_t sp_at = cursor_u8(c);
	ret->end = cursor_offset(c);
	if (pass(c, "\x48\x8b\x68", 3))
		cursor_skip(c, 1);
	if (!expect(c, "\x48\xc7\x40", 3) || cursor_u8(c) != sp_at || cursor_u32(c))
		return false;
	if (pass(c, "\x48\xc7\x40", 3))
		cursor_skip(c, 5);
	ret->value = place;
	ret->addend = (int32_t)(m_at | curg_at << 8 | sp_at << 24);
	return expect(c, "\xc3", 1) && m_at < 0x80 && curg_at < 0x8000 && sp_at < 0x80;
}

bool go_switch_find_in(const uint8_t *code, size_t n, uint64_t vaddr, bool is_system, struct go_switch *ret)
{
	const char *call = is_system ? "\xff\xd7" : "\xff\xd0"; /* call *%rdi, *%rax */
	const uint8_t *end = code + n;
	for (const uint8_t *at = code; (at = memmem(at, (size_t)(end - at), call, 2)); at++) {
		struct cursor c = cursor_make(at + 2, (size_t)(end - at) - 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		if (!(is_system ? match_system_return(&c, ret) : match_c_return(&c, ret)) || c.bad)
			continue;
		uint64_t start = vaddr + (uint64_t)(at - code), after = start + 2;
		ret->is_system = is_system;
		ret->start = start;
		if (!is_system) {
			match_c_end(c, after, ret);
			return true;
		}
		/* mov %rdi,%rdx; mov (%rdi),%rdi: the stack is already the other. */
		if (at - code >= 6 && !memcmp(at - 6, "\x48\x89\xfa\x48\x8b\x3f", 6))
			ret->start -= 6;
		ret->end += after;
		ret->left = after + cursor_offset(&c);
		return true;
	}
	return false;
}

unsigned go_switches_find(const struct object *o, struct go_switch ret[GO_SWITCHES_MAX])
{
	unsigned nr = 0;
	bool has[2] = {};
	if (!go_code_is_in(o) || object_header(o)->arch != &arch_x86_64)
		return 0;
	for (size_t i = 0; i < object_sections_count(o); i++) {
		const struct object_section *s = object_section(o, i);
		size_t n;
		const uint8_t *code = s->type == SECTION_PROGBITS && s->flags & SECTION_CODE ? object_section_raw(o, s, &n) : NULL;
		for (unsigned kind = 0; code && kind < 2; kind++)
			if (!has[kind] && go_switch_find_in(code, n, s->addr, kind == 1, &ret[nr])) {
				has[kind] = true;
				nr++;
			}
	}
	if (nr == 2 && ret[1].start < ret[0].start) {
		struct go_switch first = ret[1];
		ret[1] = ret[0];
		ret[0] = first;
	}
	return nr;
}
