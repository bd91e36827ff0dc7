#include "exchange/symbol_answers.h"

#include <string.h>

#include "base/text.h"

typedef void answer_fn(void *ctx, uint64_t address, const char *name, size_t name_bytes);

static void take_line(const char *line, size_t n, answer_fn *fn, void *ctx)
{
	size_t i, name;
	uint64_t address;
	if (n < 3 || memcmp(line, "0x", 2))
		return;
	i = 2 + text_hex(line + 2, n - 2, &address);
	for (name = i; name < n && strchr(" \t", line[name]);)
		name++;
	while (n > name && strchr(" \t\r", line[n - 1]))
		n--;
	if (i > 2 && name > i && name < n)
		fn(ctx, address, line + name, n - name);
}

void symbol_answers_each(const char *text, size_t bytes, answer_fn *fn, void *ctx)
{
	const char *at = text, *end = text + bytes;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *until = newline ? newline : end;
		take_line(at, (size_t)(until - at), fn, ctx);
		at = until + 1;
	}
}
