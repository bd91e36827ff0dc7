#include "base/log.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"

static struct log_sink sink;

void log_set_sink(struct log_sink new_sink)
{
	sink = new_sink;
}

bool log_enabled(enum log_level level)
{
	return sink.fn && level <= sink.max_level;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	if (!log_enabled(level))
		return;
	va_list ap;
	va_start(ap, fmt);
	char *line = xvasprintf(fmt, ap);
	va_end(ap);
	sink.fn(sink.ctx, level, line);
	free(line);
}
