/* Parses the parameters of call graphs: -g of report and top. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/query.h"

struct word {
	const char *name;
	void (*apply)(struct report_grouping *g, int value); /* NULL: branch history */
	int value;
};

static void set_mode(struct report_grouping *g, int v) { g->chains.mode = (enum calltree_mode)v; }
static void set_value(struct report_grouping *g, int v) { g->chains.value = (enum calltree_value)v; }
static void set_by_address(struct report_grouping *g, int v) { g->chains.by_address = v; }
static void set_order(struct report_grouping *g, int callee_first)
{
	g->chains.callee_first = callee_first;
	g->chain_order_set = true;
}

/* A word may be abbreviated; the first match counts. */
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
	{ "branch", NULL, 0 },
	{ "percent", set_value, CALLTREE_PERCENT },
	{ "period", set_value, CALLTREE_PERIOD },
	{ "count", set_value, CALLTREE_COUNT },
};

static bool apply_word(const char *word, size_t n, struct report_grouping *g, bool *branch_history)
{
	for (size_t i = 0; n && i < sizeof(words) / sizeof(*words); i++) {
		if (strncmp(words[i].name, word, n) != 0)
			continue;
		if (words[i].apply)
			words[i].apply(g, words[i].value);
		else
			*branch_history = true;
		return true;
	}
	return false;
}

struct strobe_error *report_chains_parse(const char *value, struct report_grouping *g, bool *branch_history)
{
	bool threshold_set = false;
	for (const char *at = value; *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ",");
		char number[32];
		if (!n || apply_word(at, n, g, branch_history)) {
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
			g->chains.print_limit = v > UINT32_MAX ? 0 : (uint32_t)v;
		else
			g->chains.min_percent = v;
		threshold_set = true;
		at += n;
	}
	g->chains_requested = g->chains.mode != CALLTREE_NONE;
	return NULL;
}
