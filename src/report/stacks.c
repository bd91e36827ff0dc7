/* Properties of stacks by regular expressions: --parent and --ignore-callees. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/query.h"

static struct strobe_error *compile(const char *pattern, const char *option, regex_t *ret)
{
	int bad = regcomp(ret, pattern, REG_EXTENDED | REG_NOSUB);
	if (!bad)
		return NULL;
	char why[128];
	regerror(bad, ret, why, sizeof(why));
	return error_create(ERROR_USAGE, "%s '%s': %s", option, pattern, why);
}

/* One byte per function: 1 if its name matches. */
static uint8_t *match_functions(const struct profile *p, const regex_t *re)
{
	uint8_t *matches = xcalloc(p->functions.len + 1, 1);
	for (size_t i = 0; i < p->functions.len; i++)
		matches[i] = !regexec(re, profile_str(p, p->functions.data[i].name), 0, NULL, 0);
	return matches;
}

static bool stack_matches(const struct profile *p, const uint8_t *functions, stack_id s)
{
	const struct profile_frame *f = &p->frames.data[p->stacks.data[s].frame];
	function_id fn = f->flags & FRAME_APART ? PROFILE_NONE : f->function; /* only chains are searched */
	return fn != PROFILE_NONE && functions[fn];
}

struct strobe_error *report_find_parents(struct report_query *q, const struct profile *p, const str_id **ret)
{
	*ret = NULL;
	if (!q->filter->exclude_other && !report_has_key(q, COLUMN_PARENT))
		return NULL;
	regex_t re;
	TRY(compile(q->grouping->parent ? q->grouping->parent : REPORT_PARENTS, "--parent", &re));
	uint8_t *functions = match_functions(p, &re);
	regfree(&re);
	/* Callers have lower IDs than their callees. With callers first, the outermost match counts. */
	str_id *parents = arena_new_array(&q->scratch, str_id, p->stacks.len + 1);
	for (stack_id s = 0; s < p->stacks.len; s++) {
		stack_id caller = p->stacks.data[s].caller;
		str_id above = caller == PROFILE_NONE ? 0 : parents[caller], own = 0;
		if (stack_matches(p, functions, s))
			own = p->functions.data[p->frames.data[p->stacks.data[s].frame].function].name;
		parents[s] = q->grouping->chains.callee_first ? (own ? own : above) : (above ? above : own);
	}
	free(functions);
	*ret = parents;
	return NULL;
}

struct strobe_error *report_cut_callees(const struct profile *p, const char *pattern, struct profile **ret)
{
	regex_t re;
	*ret = NULL;
	TRY(compile(pattern, "--ignore-callees", &re));
	uint8_t *functions = match_functions(p, &re);
	regfree(&re);
	/* By stack: its end in the new profile, one of its callers or itself. */
	stack_id *end = xreallocarray(NULL, p->stacks.len + 1, sizeof(*end));
	bool *is_cut = xcalloc(p->stacks.len + 1, sizeof(*is_cut));
	for (stack_id s = 0; s < p->stacks.len; s++) {
		stack_id caller = p->stacks.data[s].caller;
		bool is_below = caller != PROFILE_NONE && is_cut[caller];
		is_cut[s] = is_below || stack_matches(p, functions, s);
		end[s] = is_below ? end[caller] : s;
	}
	*ret = profile_replace_stacks(p, end);
	free(is_cut);
	free(end);
	free(functions);
	return NULL;
}
