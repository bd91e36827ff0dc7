#include "view/html/letters.h"

#define LETTERS 91
#define BITS 13 /* 1 << 13 is no more than 91 * 91 */

static char letter(uint32_t digit)
{
	char c = (char)('#' + digit);
	return c < '<' ? c : (char)(c + 1);
}

static void write_pair(uint32_t bits, struct out *out)
{
	char *to = out_reserve(out, 2);
	to[0] = letter(bits / LETTERS);
	to[1] = letter(bits % LETTERS);
	out->len += 2;
}

void letters_write(const uint8_t *p, size_t n, struct out *out)
{
	uint32_t held = 0;
	unsigned bits = 0;
	for (size_t i = 0; i < n; i++) {
		held |= (uint32_t)p[i] << bits;
		bits += 8;
		if (bits >= BITS) {
			write_pair(held & ((1u << BITS) - 1), out);
			held >>= BITS;
			bits -= BITS;
		}
	}
	if (bits)
		write_pair(held, out);
}
