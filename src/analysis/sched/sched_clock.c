#include "analysis/sched/sched_clock.h"

#include <string.h>

/* Right-aligned, in front of the microseconds. */
static void write_ms(struct sched_clock *c, uint64_t ms, size_t width)
{
	char *end = c->text + sizeof(c->text), *at = digits_point(end, ms / 1000, ms % 1000, 3);
	size_t least = width > 3 ? width - 3 : 0;
	while ((size_t)(end - at) < least && at > c->text)
		*--at = ' ';
	c->bytes = (size_t)(end - at);
	memmove(c->text, at, c->bytes);
	c->ms = ms;
}

void sched_clock_put(struct sched_clock *c, struct out *out, uint64_t time_ns, size_t width)
{
	uint64_t us = time_ns / 1000, ms = us / 1000;
	if (c->ms != ms || !c->bytes)
		write_ms(c, ms, width);
	char *to = out_reserve(out, sizeof(c->text) + 3);
	memcpy(to, c->text, sizeof(c->text));
	digits_three(to + c->bytes, us);
	out->len += c->bytes + 3;
}

void sched_clock_put_span(struct out *out, uint64_t ns, size_t width)
{
	uint64_t us = ns / 1000, ms = us / 1000;
	if (ms > 99 || width < 2 || width > 16) {
		out_fixed(out, us, 3, width + 4);
		return;
	}
	char *to = out_reserve(out, 16 + 4);
	memset(to, ' ', 16);
	memcpy(to + width - 2, digits_pairs + ms * 2, 2);
	if (ms < 10)
		to[width - 2] = ' ';
	to[width] = '.';
	digits_three(to + width + 1, us);
	out->len += width + 4;
}
