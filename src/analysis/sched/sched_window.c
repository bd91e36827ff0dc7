#include "analysis/sched/sched_window.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

struct strobe_error *sched_window_parse(const char *text, struct sched_window *ret)
{
	_cleanup_free_ char *copy = text ? xstrdup(text) : NULL;
	char *comma = copy ? strchr(copy, ',') : NULL;
	uint64_t *const ends[] = { &ret->start_ns, &ret->end_ns };
	const char *words[2] = { copy, comma ? comma + 1 : NULL };
	*ret = (struct sched_window){};
	if (comma)
		*comma = '\0';
	for (size_t i = 0; i < 2 && copy; i++) {
		double seconds;
		if (!words[i] || !*words[i])
			continue;
		if (!text_to_f64(words[i], &seconds) || seconds < 0 || seconds > 1e10)
			return error_create(ERROR_USAGE, "--time: '%s' is not a range of seconds: e.g. 663.1,664.5", text);
		*ends[i] = (uint64_t)(seconds * 1e9 + 0.5);
	}
	if (ret->start_ns && ret->end_ns && ret->start_ns > ret->end_ns)
		return error_create(ERROR_USAGE, "--time: '%s' ends before it begins", text);
	return NULL;
}
