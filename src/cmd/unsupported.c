#include "cmd/unsupported.h"

#include <stddef.h>

#define UNSUPPORTED(name, message)                                                      \
	struct strobe_error *name(void *options, const char *value, bool negated)       \
	{                                                                               \
		(void)options, (void)value;                                             \
		return negated ? NULL : error_create(ERROR_UNSUPPORTED, "%s", message); \
	}
#include "cmd/unsupported.def"
#undef UNSUPPORTED

struct strobe_error *needless_helper(void *options, const char *value, bool negated)
{
	(void)options;
	return negated || (value && *value) ? NULL : error_create(ERROR_USAGE, "requires a name (which is ignored)");
}

struct strobe_error *needless_switch(void *options, const char *value, bool negated)
{
	(void)options, (void)value;
	return negated ? error_create(ERROR_UNSUPPORTED, "cannot be disabled") : NULL;
}
