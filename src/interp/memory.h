/* Memory of a running process, which is hostile. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interp_memory {
	bool (*read)(void *ctx, uint64_t at, void *to, size_t n); /* all or nothing */
	void *ctx;
};
