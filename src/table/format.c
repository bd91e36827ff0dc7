#include "table/format.h"

#include <string.h>

struct strobe_error *table_format_parse(const char *name, enum table_format *ret)
{
	static const char *const names[] = { [TABLE_AS_TEXT] = "text", [TABLE_AS_JSON] = "json", [TABLE_AS_CSV] = "csv" };
	*ret = TABLE_AS_TEXT;
	if (!name)
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			*ret = (enum table_format)i;
			return NULL;
		}
	return error_create(ERROR_USAGE, "unknown format '%s': expected text, json or csv", name);
}
