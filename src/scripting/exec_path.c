#include "scripting/exec_path.h"

#include <stdlib.h>
#include <unistd.h>

#define VARIABLE "PERF_EXEC_PATH"

static const struct {
	const char *path, *scripts;
} places[] = {
	{ "/usr/libexec/perf-core", "/usr/libexec/perf-core/scripts" },
	{ "/usr/lib/perf-core", "/usr/lib/perf-core/scripts" }, /* Debian 12 */
	{ "/usr/lib/perf", "/usr/lib/perf/scripts" },
};

const char *script_exec_path(void)
{
	const char *set = getenv(VARIABLE);
	if (set && *set)
		return set;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!access(places[i].scripts, R_OK | X_OK))
			return places[i].path;
	return places[0].path;
}

void script_export_exec_path(void)
{
	setenv(VARIABLE, script_exec_path(), 1);
}
