#include "view/trace/paper.h"

#include <string.h>

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

static bool take_line(struct trace_sink *sink, const struct trace_line *line)
{
	struct trace_paper *p = (struct trace_paper *)sink;
	p->format->line(p, line);
	return !out_failed(p->out);
}

void trace_paper_begin(struct trace_paper *p)
{
	p->sink.line = take_line;
	if (p->format->begin)
		p->format->begin(p);
}

void trace_paper_end(struct trace_paper *p)
{
	if (p->format->end)
		p->format->end(p);
}
