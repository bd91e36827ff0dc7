#include "pprof/choice.h"

#include <string.h>

struct strobe_error *pprof_choose(const struct pprof_choice *choices, size_t nr, const char **value)
{
	const char *set = NULL;
	for (size_t i = 0; i < nr; i++) {
		if (choices[i].is_set && set)
			return error_create(ERROR_USAGE, "-%s and -%s cannot both be given", set, choices[i].flag);
		set = choices[i].is_set ? choices[i].flag : set;
		*value = choices[i].is_set ? choices[i].value : *value;
	}
	return NULL;
}

struct strobe_error *pprof_choose_kind(const struct pprof_choice *choices, size_t nr, const struct pprof_report_kind **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < nr; i++) {
		if (!choices[i].is_set)
			continue;
		if (*ret)
			return error_create(ERROR_USAGE, "only one report can be selected");
		*ret = pprof_kind(choices[i].flag, strlen(choices[i].flag));
	}
	return NULL;
}
