/* The file form: header, attrs, feature sections, and the records after them. */
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	walk_all(data, size, false);
	return 0;
}
