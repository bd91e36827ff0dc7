/* The formats that lines of trace are written in. */
#include <string.h>

#include "cmd/trace/line.h"

static const struct trace_format *const trace_formats[] = {
	&trace_format_text,
	&trace_format_json,
	&trace_format_chrome,
};

const struct trace_format *trace_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(trace_formats) / sizeof(*trace_formats); i++)
		if (!strcmp(trace_formats[i]->name, name))
			return trace_formats[i];
	return NULL;
}

const char *trace_format_names(void)
{
	return "text, json or chrome";
}
