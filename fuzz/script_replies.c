/* Any bytes as the replies of a script's interpreter about its handlers, in pieces: the first byte is their size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/handlers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Like the pipe of replies: unused bytes are passed again, with more after them. */
static void take(struct script_handlers *h, const char *text, size_t n, size_t piece)
{
	size_t start = 0;
	for (size_t end = 0; end < n && !h->complete;) {
		end = n - end < piece ? n : end + piece;
		size_t used = script_handlers_take(h, text + start, end - start);
		if (used > end - start)
			abort();
		start += used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script_handlers whole, pieces;
	unsigned a, b;
	if (!size)
		return 0;
	script_handlers_init(&whole);
	script_handlers_init(&pieces);
	take(&whole, (const char *)data + 1, size - 1, size);
	take(&pieces, (const char *)data + 1, size - 1, data[0] + 1u);
	if (whole.complete != pieces.complete || whole.arguments.len != pieces.arguments.len)
		abort();
	for (str_id i = 1; i < whole.arguments.len; i++) {
		const char *name = strtab_get(&whole.names, i);
		if (script_handlers_find(&whole, name, &a) != script_handlers_find(&pieces, name, &b) || (*name && a != b))
			abort();
	}
	script_handlers_deinit(&whole);
	script_handlers_deinit(&pieces);
	return 0;
}
