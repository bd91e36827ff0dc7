/* The pipe form: everything comes as records. The stream's own 16 bytes are put in front, in the order that byte 0 says. */
#include <string.h>

#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t heads[2][16] = { "PERFILE2\x10", "2ELIFREP\0\0\0\0\0\0\0\x10" };

	if (!size)
		return 0;
	uint8_t *stream = malloc(16 + size - 1);
	if (!stream)
		abort();
	memcpy(stream, heads[data[0] & 1], 16);
	memcpy(stream + 16, data + 1, size - 1);
	walk_all(stream, 16 + size - 1, true);
	free(stream);
	return 0;
}
