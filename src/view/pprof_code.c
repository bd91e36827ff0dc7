#include "view/pprof_code.h"

#include <string.h>

void code_value(const struct code_values *v, int64_t value, char ret[static PPROF_LABEL_MAX])
{
	const struct profile *p = v->p;
	const char *unit = profile_str(p, p->events.data[v->event].unit);
	pprof_label(v->divide_by == 1 ? value : (int64_t)((double)value / v->divide_by), unit, v->unit, ret);
}

void code_out_value(const struct code_values *v, struct out *out, int64_t value)
{
	char text[PPROF_LABEL_MAX] = ".";
	if (value)
		code_value(v, value, text);
	out_f(out, "%10s", text);
}

void code_out_sum(const struct code_values *v, struct out *out, struct code_sum sum)
{
	char flat[PPROF_LABEL_MAX], cum[PPROF_LABEL_MAX], share[PPROF_LABEL_MAX];
	code_value(v, sum.flat, flat);
	code_value(v, sum.cum, cum);
	pprof_percentage(sum.cum, v->total, share);
	out_f(out, "%10s %10s (flat, cum) %s of Total\n", flat, cum, share);
}

void code_out_source(struct out *out, const char *s, size_t n, void (*write)(struct out *out, const char *s, size_t n))
{
	for (size_t at = 0; at < n;) {
		const char *tab = memchr(s + at, '\t', n - at);
		size_t part = tab ? (size_t)(tab - s) - at : n - at;
		write(out, s + at, part);
		at += part;
		if (tab) {
			out_ch(out, '\t');
			at++;
		}
	}
}

struct strobe_error *code_no_match(const char *pattern)
{
	return error_create(ERROR_NOT_FOUND, "no matches found for regexp: %s", pattern);
}
