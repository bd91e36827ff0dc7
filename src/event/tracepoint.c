#include "event/tracepoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/tracefs.h"

bool tracepoint_is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* Keeps the names for which <dir>/<name>/<file> exists. */
static void keep_those_with(const struct sys *sys, const char *dir, const char *file, sys_names *names)
{
	size_t kept = 0;
	for (size_t i = 0; i < names->len; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s/%s", dir, names->data[i], file);
		if (sys_exists(sys, path))
			names->data[kept++] = names->data[i];
		else
			free(names->data[i]);
	}
	names->len = kept;
}

struct strobe_error *tracepoint_systems(const struct sys *sys, const char *tracefs, sys_names *ret)
{
	_cleanup_free_ char *dir = xasprintf("%s/events", tracefs);
	TRY(sys_list(sys, dir, ret));
	/* The directory also contains files such as "enable" and "header_page". */
	keep_those_with(sys, dir, ".", ret);
	return NULL;
}

struct strobe_error *tracepoint_events(const struct sys *sys, const char *tracefs, const char *system, sys_names *ret)
{
	_cleanup_free_ char *dir = xasprintf("%s/events/%s", tracefs, system);
	TRY(sys_list(sys, dir, ret));
	keep_those_with(sys, dir, "id", ret);
	return NULL;
}

struct strobe_error *tracepoint_id(const struct sys *sys, const char *tracefs, const char *system, const char *name,
				   uint64_t *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/events/%s/%s/id", tracefs, system, name);
	int64_t id;
	TRY(sys_read_i64(sys, path, &id));
	if (id < 0)
		return error_create(ERROR_FORMAT, "%s does not contain a number: '%lld'", path, (long long)id);
	*ret = (uint64_t)id;
	return NULL;
}

bool tracepoint_exists(const struct sys *sys, const char *system, const char *name)
{
	_cleanup_free_ char *tracefs = NULL;
	uint64_t id;
	_cleanup_error_ struct strobe_error *err = sys_tracefs(sys, &tracefs);
	if (!err)
		err = tracepoint_id(sys, tracefs, system, name, &id);
	return !err;
}
