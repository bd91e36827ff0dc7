/* Takes the place of pfm.c in a build without libpfm4. */
#include "event/pfm.h"

static struct strobe_error *without(void)
{
	return error_create(ERROR_UNSUPPORTED, "vendor event names require libpfm4, which is not built in (Debian: libpfm4-dev)");
}

struct strobe_error *pfm_encode(const char *text, struct perf_event_attr *attr)
{
	return without();
}

struct strobe_error *pfm_names_each(bool (*fn)(void *ctx, const struct pfm_name *name), void *ctx)
{
	return without();
}
