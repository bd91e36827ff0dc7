/* report: what regular expressions say about stacks: --parent and --ignore-callees. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/report/report.h"

static struct strobe_error *compile(const char *pattern, const char *option, regex_t *ret)
{
	int bad = regcomp(ret, pattern, REG_EXTENDED | REG_NOSUB);
	if (!bad)
		return NULL;
	char why[128];
	regerror(bad, ret, why, sizeof(why));
	return error_create(ERROR_USAGE, "%s '%s': %s", option, pattern, why);
}

/* One byte for each function: 1 where its name matches. */
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
	function_id fn = f->flags & FRAME_APART ? PROFILE_NONE : f->function; /* only chains are looked at */
	return fn != PROFILE_NONE && functions[fn];
}

struct strobe_error *report_find_parents(struct report_run *r)
{
	const struct profile *p = r->profile;
	bool wanted = r->o->filter.exclude_other;
	for (uint32_t i = 0; i < r->keys_nr; i++)
		wanted |= r->keys[i].column->id == COLUMN_PARENT;
	if (!wanted)
		return NULL;
	regex_t re;
	TRY(compile(r->o->grouping.parent ? r->o->grouping.parent : REPORT_PARENTS, "--parent", &re));
	uint8_t *functions = match_functions(p, &re);
	regfree(&re);
	/* Callers have lower ids than what they call. With callers first, the outermost match counts. */
	r->parents = arena_new_array(&r->scratch, str_id, p->stacks.len + 1);
	for (stack_id s = 0; s < p->stacks.len; s++) {
		stack_id caller = p->stacks.data[s].caller;
		str_id above = caller == PROFILE_NONE ? 0 : r->parents[caller], own = 0;
		if (stack_matches(p, functions, s))
			own = p->functions.data[p->frames.data[p->stacks.data[s].frame].function].name;
		r->parents[s] = r->o->grouping.chains.callee_first ? (own ? own : above) : (above ? above : own);
	}
	free(functions);
	return NULL;
}

struct strobe_error *report_cut_callees(struct report_run *r)
{
	struct profile *p = r->profile;
	if (!r->o->grouping.ignore_callees)
		return NULL;
	regex_t re;
	TRY(compile(r->o->grouping.ignore_callees, "--ignore-callees", &re));
	uint8_t *functions = match_functions(p, &re);
	regfree(&re);
	stack_id *cut = xreallocarray(NULL, p->stacks.len + 1, sizeof(*cut));
	for (stack_id s = 0; s < p->stacks.len; s++) {
		stack_id caller = p->stacks.data[s].caller;
		cut[s] = caller != PROFILE_NONE && cut[caller] != PROFILE_NONE ? cut[caller] :
			 stack_matches(p, functions, s)			       ? s :
										 PROFILE_NONE;
	}
	for (size_t i = 0; i < p->rows.len; i++) {
		stack_id *stack = &p->rows.data[i].stack;
		if (*stack != PROFILE_NONE && cut[*stack] != PROFILE_NONE)
			*stack = cut[*stack];
	}
	free(cut);
	free(functions);
	return NULL;
}
