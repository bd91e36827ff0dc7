/* Any bytes as a server's answer about addresses: each name lies within it and contains no newline. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/symbol_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *ctx, uint64_t address, const char *name, size_t bytes)
{
	uint64_t *sum = ctx;
	if (!bytes || memchr(name, '\n', bytes))
		abort();
	*sum += address;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	symbol_answers_each((const char *)data, size, take, &sum);
	return 0;
}
