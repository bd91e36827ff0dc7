/* Any bytes as a list of kernel symbols. The first byte is the size of the pieces in which it is read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kallsyms.h"
#include "symbol/kallsyms_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names that lists have, and none: no symbol is called so. */
static void find_names(const char *text, size_t bytes)
{
	static const char *const names[] = { "_text", "a", "" };
	kallsyms_places places = {};
	kallsyms_find_names(text, bytes, names, 3, &places);
	for (size_t i = 0; i < places.len; i++)
		if (places.data[i].name_index > 1 || places.data[i].end < places.data[i].start)
			abort();
	vec_deinit(&places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	struct kallsyms k = { .cache.slot = -1 };
	struct kallsyms_parser *p = kallsyms_parser_create(&k);
	size_t piece = data[0] ? data[0] : size;
	for (size_t at = 1; at < size; at += piece)
		kallsyms_parser_feed(p, (const char *)data + at, size - at < piece ? size - at : piece);
	kallsyms_parser_finish(p);
	for (uint32_t i = 0; i < k.list.count; i++) {
		uint64_t start, end;
		char type;
		const char *name = kallsyms_symbol(&k.list, i, &start, &end, &type);
		uint32_t found = kallsyms_find(&k.list, start);
		if (type ? found != i || end <= start || !*name || strlen(name) >= size : found != KALLSYMS_NONE)
			abort();
	}
	kallsyms_deinit(&k);
	find_names((const char *)data + 1, size - 1);
	return 0;
}
