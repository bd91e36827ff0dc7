/* Any bytes as a list of kernel symbols. The first byte says in pieces of what size it is fed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	return 0;
}
