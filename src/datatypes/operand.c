#include "datatypes/operand.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* By DWARF number. */
static const char *const registers[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
					 "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
#define REGISTERS (sizeof(registers) / sizeof(*registers))

static bool is_register(const char *at, size_t n, uint8_t *ret)
{
	for (size_t i = 0; i < REGISTERS; i++) {
		if (strlen(registers[i]) != n || memcmp(registers[i], at, n))
			continue;
		*ret = (uint8_t)i;
		return true;
	}
	return false;
}

/* These compute an address, or are padding. */
static bool is_without_access(const char *text)
{
	return text_has_prefix(text, "lea") || text_has_prefix(text, "nop") || text_has_prefix(text, "data16 nop");
}

/* The displacement that ends where the parenthesis opens: "-0x8(", "0x10(", "(". */
static int64_t displacement_before(const char *text, const char *open)
{
	const char *from = open;
	while (from > text && !strchr(" ,:*", from[-1]))
		from--;
	return from == open ? 0 : (int64_t)strtoull(from, NULL, 0);
}

bool operand_of_text(const struct arch *arch, const char *text, struct operand *ret)
{
	const char *open = strchr(text, '(');
	*ret = (struct operand){};
	if (arch != &arch_x86_64 || !open || strchr(open + 1, '(') || is_without_access(text))
		return false;
	const char *end = open + 1 + strcspn(open + 1, ",)"), *segment = memchr(text, ':', (size_t)(open - text));
	if (segment || open[1] != '%')
		return false;
	if (end - open == 5 && !memcmp(open + 2, "rip", 3))
		return true;
	ret->has_base = is_register(open + 2, (size_t)(end - open - 2), &ret->base);
	ret->has_index = *end == ',';
	ret->displacement = displacement_before(text, open);
	return ret->has_base;
}
