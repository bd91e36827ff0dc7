#include "cmd/refused.h"

#include <stddef.h>

struct strobe_error *refused_trace_decoder(void *options, const char *value, bool negated)
{
	(void)options, (void)value;
	return negated ? NULL :
			 error_create(ERROR_UNSUPPORTED, "traces of instructions (Intel PT, Arm CoreSight and SPE) are carried along, but "
							 "not decoded by this version");
}

struct strobe_error *refused_guests(void *options, const char *value, bool negated)
{
	(void)options, (void)value;
	return negated ? NULL :
			 error_create(ERROR_UNSUPPORTED, "recordings of guests are not joined, nor their addresses named, by this "
							 "version");
}

struct strobe_error *needless_program(void *options, const char *value, bool negated)
{
	(void)options;
	return negated || (value && *value) ? NULL : error_create(ERROR_USAGE, "names a program, which is then not run");
}
