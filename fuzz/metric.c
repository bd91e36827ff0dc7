/* Any bytes as the expression of a metric, computed where each name is one, and where none is known. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "counter/metric_expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void see_name(void *ctx, const char *name)
{
	*(size_t *)ctx += strlen(name);
}

static bool one(void *ctx, const char *name, double *ret)
{
	(void)ctx;
	*ret = strlen(name) > 0;
	return true;
}

static bool none(void *ctx, const char *name, double *ret)
{
	(void)ctx;
	(void)name;
	(void)ret;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct metric_node *n;
	size_t bytes = 0;
	char *text = xstrndup((const char *)data, size);
	arena_init(&arena);
	struct strobe_error *err = metric_parse(&arena, text, &n);
	if (err && !*err->message)
		abort();
	if (!err) {
		metric_each_name(n, see_name, &bytes);
		(void)metric_eval(n, one, NULL);
		(void)metric_eval(n, none, NULL);
		if (bytes > size)
			abort();
	}
	error_destroy(err);
	arena_deinit(&arena);
	free(text);
	return 0;
}
