#include "cmd/code_options.h"

#include <string.h>

struct strobe_error *code_parse_syntax(const char *value, bool negated, enum disasm_syntax *ret)
{
	if (!negated && value && !strcmp(value, "intel"))
		*ret = DISASM_INTEL;
	else if (negated || (value && (!strcmp(value, "att") || !strcmp(value, "at&t"))))
		*ret = DISASM_ATT;
	else
		return error_create(ERROR_USAGE, "requires att or intel");
	return NULL;
}

struct strobe_error *code_parse_share(const char *value, bool negated, enum listing_share *ret)
{
	static const char *const names[][2] = {
		[LISTING_LOCAL_PERIOD] = { "local-period", "period-local" },
		[LISTING_GLOBAL_PERIOD] = { "global-period", "period-global" },
		[LISTING_LOCAL_HITS] = { "local-hits", "hits-local" },
		[LISTING_GLOBAL_HITS] = { "global-hits", "hits-global" },
	};
	for (unsigned i = 0; value && !negated && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i][0]) || !strcmp(value, names[i][1])) {
			*ret = (enum listing_share)i;
			return NULL;
		}
	return error_create(ERROR_USAGE, "requires local-period, global-period, local-hits or global-hits");
}
