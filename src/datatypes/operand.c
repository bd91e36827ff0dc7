#include "datatypes/operand.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define WIDTHS 5

/* By DWARF number: of 64, 32, 16 and 8 bits, and of the upper 8 of 16. */
static const char *const registers[][WIDTHS] = {
	{ "rax", "eax", "ax", "al", "ah" }, { "rdx", "edx", "dx", "dl", "dh" },
	{ "rcx", "ecx", "cx", "cl", "ch" }, { "rbx", "ebx", "bx", "bl", "bh" },
	{ "rsi", "esi", "si", "sil" }, { "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" }, { "rsp", "esp", "sp", "spl" },
	{ "r8", "r8d", "r8w", "r8b" }, { "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10d", "r10w", "r10b" }, { "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12d", "r12w", "r12b" }, { "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14d", "r14w", "r14b" }, { "r15", "r15d", "r15w", "r15b" },
};
#define REGISTERS (sizeof(registers) / sizeof(*registers))

/* A call keeps these. */
static const uint8_t kept_by_calls[] = { 3, 6, 7, 12, 13, 14, 15 };

/* The number of the register named at `at` (n bytes), and its width: 0 for 64 bits. False: another, such as %xmm0. */
static bool register_of(const char *at, size_t n, uint8_t *ret, unsigned *ret_width)
{
	for (size_t i = 0; i < REGISTERS; i++)
		for (unsigned width = 0; width < WIDTHS; width++) {
			const char *name = registers[i][width];
			if (!name || strlen(name) != n || memcmp(name, at, n))
				continue;
			*ret = (uint8_t)i;
			*ret_width = width;
			return true;
		}
	return false;
}

static bool begins_with_any(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (text_has_prefix(text, *prefixes))
			return true;
	return false;
}

/* These compute an address, or are padding. */
static bool is_without_access(const char *text)
{
	static const char *const mnemonics[] = { "lea", "nop", "data16 nop", "cs nop", NULL };
	return begins_with_any(text, mnemonics);
}

/* The displacement that ends where the parenthesis opens: "-0x8(", "0x10(", "(". */
static int64_t displacement_before(const char *text, const char *open)
{
	const char *from = open;
	while (from > text && !strchr(" ,:*", from[-1]))
		from--;
	return from == open ? 0 : (int64_t)strtoull(from, NULL, 0);
}

/* The operand in parentheses, of an access or of lea. */
bool operand_of_address(const char *text, struct operand *ret)
{
	const char *open = strchr(text, '(');
	unsigned width;
	*ret = (struct operand){};
	if (!open || strchr(open + 1, '('))
		return false;
	const char *end = open + 1 + strcspn(open + 1, ",)"), *segment = memchr(text, ':', (size_t)(open - text));
	if (segment || open[1] != '%')
		return false;
	if (end - open == 5 && !memcmp(open + 2, "rip", 3))
		return true;
	ret->has_base = register_of(open + 2, (size_t)(end - open - 2), &ret->base, &width) && width == 0;
	ret->has_index = *end == ',';
	ret->displacement = displacement_before(text, open);
	return ret->has_base;
}

bool operand_of_text(const struct arch *arch, const char *text, struct operand *ret)
{
	*ret = (struct operand){};
	return arch == &arch_x86_64 && !is_without_access(text) && operand_of_address(text, ret);
}

bool operand_is_stack(const char *text)
{
	static const char *const mnemonics[] = { "push", "pop", "call", "ret", "leave", "enter", NULL };
	return begins_with_any(text, mnemonics) && !text_has_prefix(text, "popcnt");
}

bool operand_is_canary(const char *text)
{
	return strstr(text, "%fs:0x28") || strstr(text, "%gs:0x28");
}

/* ---- effects ---- */

/* Instructions that write no general register but the one named last, if any. */
static bool writes_only_its_last(const char *text)
{
	static const char *const mnemonics[] = {
		"mov", "lea", "add", "sub", "and", "or", "xor", "sh", "sar", "sal", "ro", "inc", "dec", "neg", "not", "set", "cmov",
		"bt", "bs", "lzcnt", "tzcnt", "adc", "sbb", "pop",
		"lock add", "lock sub", "lock inc", "lock dec", "lock or", "lock and", NULL,
	};
	bool has_two = text_has_prefix(text, "imul") && strchr(text, ','), is_string = strchr(text, '(') != strrchr(text, '(');
	return has_two || strstr(text, "mm") /* vectors */ || *text == 'f' || (begins_with_any(text, mnemonics) && !is_string);
}

static bool reads_only(const char *text)
{
	static const char *const mnemonics[] = {
		"cmp", "test", "push", "j", "nop", "data16 nop", "cs nop", "endbr", "prefetch", "pause", "bt ", NULL };
	return begins_with_any(text, mnemonics) && !text_has_prefix(text, "cmpxchg") && !text_has_prefix(text, "cmps");
}

static bool is_kept_by_calls(uint8_t reg)
{
	return memchr(kept_by_calls, reg, sizeof(kept_by_calls)) != NULL;
}

/* The last operand; NULL: none. */
static const char *last_operand(const char *text)
{
	const char *at = text + strcspn(text, " "), *last;
	at += strspn(at, " ");
	last = *at ? at : NULL;
	for (unsigned depth = 0; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (*at == ',' && !depth)
			last = at + 1;
	}
	return last;
}

static enum effect effect_of_write(const char *text, unsigned width, uint8_t *ret_from)
{
	struct operand unused;
	unsigned from_width;
	const char *first = text + strcspn(text, " ");
	first += strspn(first, " ");
	if (width)
		return EFFECT_OTHER;
	if (text_has_prefix(text, "lea"))
		return operand_of_address(text, &unused) ? EFFECT_ADDRESS : EFFECT_OTHER;
	if (!text_has_prefix(text, "mov ") && !text_has_prefix(text, "movq "))
		return EFFECT_OTHER;
	if (*first == '%' && register_of(first + 1, strcspn(first + 1, ", "), ret_from, &from_width))
		return from_width ? EFFECT_OTHER : EFFECT_COPY;
	return operand_of_address(text, &unused) ? EFFECT_LOAD : EFFECT_OTHER;
}

enum effect effect_of_text(const char *text, uint8_t reg, uint8_t *ret_from)
{
	uint8_t written;
	unsigned width;
	if (text_has_prefix(text, "call"))
		return is_kept_by_calls(reg) ? EFFECT_NONE : EFFECT_OTHER;
	if (reads_only(text))
		return EFFECT_NONE;
	const char *last = last_operand(text);
	if (!writes_only_its_last(text))
		return EFFECT_OTHER;
	if (!last || *last != '%' || !register_of(last + 1, strcspn(last + 1, " "), &written, &width) || written != reg)
		return EFFECT_NONE;
	return effect_of_write(text, width, ret_from);
}
