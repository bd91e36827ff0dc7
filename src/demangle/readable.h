/* Whether decoded text may be shown as a name: what would confuse a reader was not written by a programmer. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

/* UTF-8 without control, bidirectional and invisible characters. */
static inline bool name_is_readable(const char *s, size_t n)
{
	for (size_t size; n; s += size, n -= size) {
		uint32_t c;
		size = utf8_decode(s, n, &c);
		if (!size || utf8_steers(c))
			return false;
	}
	return true;
}
