/* Names of mappings for frames of scripts in recordings (interp/script_table.h). */
#pragma once
#include <stdbool.h>
#include <string.h>

static inline bool script_is_mapping(const char *name)
{
	return !strcmp(name, "[python]") || !strcmp(name, "[php]") || !strcmp(name, "[ruby]") || !strcmp(name, "[perl]") ||
	       !strcmp(name, "[v8]") || !strcmp(name, "[java]") || !strcmp(name, "[lua]");
}
