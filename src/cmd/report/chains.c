/* report -g: the reference's parameters of call graphs. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/report/run.h"

struct word {
	const char *name;
	void (*apply)(struct report_options *o, int value);
	int value;
};

static void set_mode(struct report_options *o, int v) { o->grouping.chains.mode = (enum calltree_mode)v; }
static void set_value(struct report_options *o, int v) { o->grouping.chains.value = (enum calltree_value)v; }
static void set_by_address(struct report_options *o, int v) { o->grouping.chains.by_address = v; }
static void set_branches(struct report_options *o, int v) { o->selection.branch_history = v; }
static void set_order(struct report_options *o, int callee_first)
{
	o->grouping.chains.callee_first = callee_first;
	o->grouping.chain_order_set = true;
}

/* A word may be shortened; the first that begins with it is meant. */
static const struct word words[] = {
	{ "graph", set_mode, CALLTREE_GRAPH },
	{ "flat", set_mode, CALLTREE_FLAT },
	{ "fractal", set_mode, CALLTREE_FRACTAL },
	{ "folded", set_mode, CALLTREE_FOLDED },
	{ "none", set_mode, CALLTREE_NONE },
	{ "caller", set_order, false },
	{ "callee", set_order, true },
	{ "function", set_by_address, false },
	{ "address", set_by_address, true },
	{ "branch", set_branches, true },
	{ "percent", set_value, CALLTREE_PERCENT },
	{ "period", set_value, CALLTREE_PERIOD },
	{ "count", set_value, CALLTREE_COUNT },
};

static bool apply_word(struct report_options *o, const char *word, size_t n)
{
	for (size_t i = 0; n && i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i].name, word, n)) {
			words[i].apply(o, words[i].value);
			return true;
		}
	return false;
}

struct strobe_error *report_parse_chains(struct report_options *o, const char *value)
{
	bool threshold_set = false;
	for (const char *at = value; *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ",");
		char number[32];
		if (!n || apply_word(o, at, n)) {
			at += n;
			continue;
		}
		snprintf(number, sizeof(number), "%.*s", (int)n, at);
		double v;
		if (n >= sizeof(number) || !text_to_f64(number, &v) || v < 0)
			return error_create(ERROR_USAGE,
					    "unknown value '%.*s': expected graph, flat, fractal, folded, none, caller, "
					    "callee, function, address, branch, percent, period, count or a number",
					    (int)n, at);
		if (threshold_set)
			o->grouping.chains.print_limit = v > UINT32_MAX ? 0 : (uint32_t)v;
		else
			o->grouping.chains.min_percent = v;
		threshold_set = true;
		at += n;
	}
	o->grouping.chains_asked = o->grouping.chains.mode != CALLTREE_NONE;
	return NULL;
}
