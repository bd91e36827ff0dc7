#include "ftrace/answer.h"

#include <string.h>

#include "base/out.h"
#include "ftrace/duration.h"

void ftrace_answer_init(struct ftrace_answer *a)
{
	ftrace_functions_init(&a->functions);
}

void ftrace_answer_deinit(struct ftrace_answer *a)
{
	ftrace_functions_deinit(&a->functions);
}

/* Names of tasks are arbitrary: only tabs are printed unescaped. */
static void print_line(struct out *out, const char *line, size_t n)
{
	for (const char *tab; (tab = memchr(line, '\t', n)); n -= (size_t)(tab + 1 - line), line = tab + 1) {
		out_text(out, line, (size_t)(tab - line));
		out_ch(out, '\t');
	}
	out_text(out, line, n);
	out_ch(out, '\n');
}

bool ftrace_answer_line(void *ctx, const char *line, size_t bytes)
{
	struct ftrace_answer *a = ctx;
	struct ftrace_duration d;
	if (a->kind == FTRACE_TRACE)
		print_line(a->out, line, bytes);
	else if (!ftrace_duration_parse(line, bytes, &d))
		return true;
	else if (a->kind == FTRACE_LATENCY)
		ftrace_histogram_add(a->histogram, d.us);
	else if (d.function_bytes)
		ftrace_functions_add(&a->functions, d.function, d.function_bytes, d.us);
	return !a->out || !out_failed(a->out);
}

void ftrace_answer_table(struct ftrace_answer *a, enum ftrace_sort by, struct table *t)
{
	ftrace_functions_sort(&a->functions, by);
	if (a->kind == FTRACE_LATENCY)
		ftrace_histogram_table(t, a->histogram);
	else
		ftrace_functions_table(t, &a->functions);
}
