/* Any bytes as a perf map of a JIT. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtable t;
	char *names;
	perf_map_parse((const char *)data, size, &t, &names);
	for (size_t i = 0; i < t.segments_nr; i++) {
		uint32_t at = symtable_find(&t, t.starts[i]);
		if (at != t.owners[i])
			abort();
		if (at != SYMTABLE_NONE && strlen(symtable_name(&t, &t.entries[at])) >= size)
			abort();
	}
	symtable_deinit(&t);
	free(names);
	return 0;
}
