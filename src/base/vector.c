#include "base/vector.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

void *vec_grow(void *data, size_t *cap, size_t min, size_t elem_bytes)
{
	size_t n = *cap ? *cap : 8;
	while (n < min)
		n = n > SIZE_MAX / 2 ? min : n * 2;
	data = xreallocarray(data, n, elem_bytes);
	*cap = n;
	return data;
}

void vec_free(void *data)
{
	free(data);
}
