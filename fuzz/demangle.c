/* Any bytes as a mangled name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "demangle/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = xstrndup((const char *)data, size);
	free(demangle_name(name));
	free(demangle_whole_name(name));
	free(name);
	return 0;
}
