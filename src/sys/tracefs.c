#include "sys/tracefs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

static const char *const usual_places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* 0 if path/events can be listed, else errno. */
static int look(const struct sys *sys, const char *path)
{
	_cleanup_free_ char *events = xasprintf("%s%s/events", sys->root, path);
	return access(events, R_OK | X_OK) ? errno : 0;
}

/* A tracefs (or a debugfs that contains one) mounted elsewhere; owned, or NULL. */
static char *find_mounted(const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/mounts", &text, 0);
	if (err)
		return NULL;
	/* source target type options …; blanks in target are escaped as \040, which no tracefs has */
	char *save_line, *save_field;
	for (char *line = strtok_r(text.data ? text.data : (char[]){ 0 }, "\n", &save_line); line;
	     line = strtok_r(NULL, "\n", &save_line)) {
		strtok_r(line, " ", &save_field);
		const char *target = strtok_r(NULL, " ", &save_field), *type = strtok_r(NULL, " ", &save_field);
		if (!target || !type)
			continue;
		bool debug = !strcmp(type, "debugfs");
		if (!debug && strcmp(type, "tracefs"))
			continue;
		_cleanup_free_ char *path = xasprintf("%s%s", target, debug ? "/tracing" : "");
		if (!look(sys, path))
			return take_ptr(path);
	}
	return NULL;
}

static struct strobe_error *find_tracefs(const struct sys *sys, char **ret)
{
	bool forbidden = false;
	for (size_t i = 0; i < sizeof(usual_places) / sizeof(*usual_places); i++) {
		int errnum = look(sys, usual_places[i]);
		if (!errnum) {
			*ret = xstrdup(usual_places[i]);
			return NULL;
		}
		forbidden |= errnum == EACCES || errnum == EPERM;
	}
	if ((*ret = find_mounted(sys)))
		return NULL;
	if (forbidden)
		return error_create(ERROR_PERMISSION,
				    "not permitted to read the tracepoints in %s/events; run as root, or as root: mount -o "
				    "remount,mode=755 %s",
				    usual_places[0], usual_places[0]);
	if (!sys_exists(sys, usual_places[0]))
		return error_create(ERROR_UNSUPPORTED,
				    "no tracepoints: %s is not there (a kernel without CONFIG_TRACING, or "
				    "a container without its sysfs)",
				    usual_places[0]);
	_cleanup_free_ char *target = sys_path(sys, usual_places[0]);
	int failed = sys->ops->mount(sys->ctx, "nodev", target, "tracefs");
	if (!failed && !look(sys, usual_places[0])) {
		*ret = xstrdup(usual_places[0]);
		return NULL;
	}
	if (failed == -ENODEV)
		return error_create(ERROR_UNSUPPORTED,
				    "no tracepoints: this kernel has no tracefs (CONFIG_TRACING is off)");
	return error_create(ERROR_PERMISSION,
			    "no tracepoints: tracefs is not mounted and cannot be (%s); as root: "
			    "mount -t tracefs nodev %s",
			    failed ? strerrordesc_np(-failed) : "it stays empty", usual_places[0]);
}

struct strobe_error *sys_tracefs(const struct sys *sys, char **ret)
{
	return error_with_check("tracefs", find_tracefs(sys, ret));
}
