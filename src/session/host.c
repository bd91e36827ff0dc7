#include "session/host.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"

struct strobe_error *session_buildid_dir(const struct session_host *host, const char **ret)
{
	*ret = NULL;
	return host->buildid_dir ? host->buildid_dir(host->ctx, ret) : NULL;
}

struct debuginfod *session_servers(const struct session_host *host)
{
	return host->servers ? host->servers(host->ctx) : NULL;
}

static void say_with(void (*say)(void *ctx, const char *line), void *ctx, const char *fmt, va_list ap)
{
	if (!say)
		return;
	char *line = xvasprintf(fmt, ap);
	say(ctx, line);
	free(line);
}

void session_say(const struct session_host *host, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say_with(host->say, host->ctx, fmt, ap);
	va_end(ap);
}

void session_progress(const struct session_host *host, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say_with(host->progress, host->ctx, fmt, ap);
	va_end(ap);
}

void session_damage(const struct session_host *host, struct strobe_error *err)
{
	if (host->damage) {
		host->damage(host->ctx, err);
		return;
	}
	session_say(host, "%s", err->message);
	error_destroy(err);
}
