/* Parses figures and limits, as given by users. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "diff/table.h"

static struct strobe_error *parse_weights(const char *text, struct diff_layout *l)
{
	char *end;
	l->weight_base = strtoll(text, &end, 10);
	if (end == text || *end != ',')
		return error_create(ERROR_USAGE, "wdiff requires two weights: wdiff:1,2");
	text = end + 1;
	l->weight = strtoll(text, &end, 10);
	return end == text || *end ? error_create(ERROR_USAGE, "wdiff requires two weights: wdiff:1,2") : NULL;
}

struct strobe_error *diff_figure_parse(const char *text, struct diff_layout *ret)
{
	static const struct {
		const char *name;
		enum diff_figure figure;
	} names[] = { { "delta", DIFF_DELTA }, { "delta-abs", DIFF_DELTA_ABS }, { "ratio", DIFF_RATIO }, { "cycles", DIFF_CYCLES } };
	if (!text)
		return error_create(ERROR_USAGE, "requires delta, delta-abs, ratio, wdiff:W1,W2 or cycles");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i].name)) {
			ret->figure = names[i].figure;
			return NULL;
		}
	if (!text_has_prefix(text, "wdiff"))
		return error_create(ERROR_USAGE, "unknown value '%s': expected delta, delta-abs, ratio, wdiff:W1,W2 or cycles", text);
	ret->figure = DIFF_WEIGHTED;
	return parse_weights(text + strlen("wdiff") + (text[strlen("wdiff")] == ':'), ret);
}

struct strobe_error *diff_limit_parse(const char *text, double *ret_percent)
{
	if (!text)
		return NULL;
	_cleanup_free_ char *number = xstrdup(text);
	if (text_has_suffix(number, "%"))
		number[strlen(number) - 1] = 0;
	if (!text_to_f64(number, ret_percent) || !(*ret_percent > 0))
		return error_create(ERROR_USAGE, "--fail-over: invalid value '%s': expected a percentage such as 3%%", text);
	return NULL;
}
