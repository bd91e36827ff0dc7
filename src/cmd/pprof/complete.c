/* What Tab offers at the prompt of strobe pprof: commands and settings, then functions of the profile. */
#include <string.h>

#include "base/text.h"
#include "base/u64map.h"
#include "cmd/pprof/pprof.h"

static void add_if(struct line_choices *to, const char *text, const char *word)
{
	if (text_has_prefix(text, word))
		line_choices_add(to, text);
}

static void add_commands(const char *word, bool is_help, struct line_choices *to)
{
	static const char *const others[] = { "exit", "help", "options", "quit" };
	for (size_t i = 0; i < pprof_kinds_nr; i++)
		add_if(to, pprof_kinds[i].name, word);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !is_help; i++)
		add_if(to, others[i], word);
	pprof_config_complete(word, !is_help, to);
}

/* Arguments are regular expressions, with spaces between: a name as one that matches it. "." does as it is. */
static const char *as_expression(struct arena *a, const char *name)
{
	char *text = arena_alloc(a, 2 * strlen(name) + 1), *at = text;
	for (; *name; name++) {
		if (strchr("\\+*?()|[]{}^$", *name))
			*at++ = '\\';
		*at++ = *name == ' ' || *name == '\t' ? '.' : *name;
	}
	*at = 0;
	return text;
}

/* Those that begin so; where none does, those that have it anywhere. sign: "-" where they are to be ignored. */
static void add_functions(const struct profile *p, const char *word, const char *sign, struct line_choices *to)
{
	for (int anywhere = 0; anywhere < 2 && !to->texts.len; anywhere++) {
		struct u64map seen = {};
		for (function_id i = 0; i < p->functions.len; i++) {
			const char *text = as_expression(&to->arena, profile_str(p, p->functions.data[i].name));
			bool fits = anywhere ? strstr(text, word) != NULL : text_has_prefix(text, word);
			bool is_new = false;
			if (fits && *text)
				u64map_put(&seen, p->functions.data[i].name, &is_new);
			if (is_new)
				line_choices_add(to, arena_printf(&to->arena, "%s%s", sign, text));
		}
		u64map_deinit(&seen);
	}
}

void pprof_complete(void *ctx, const char *before, struct line_choices *ret)
{
	const struct pprof_session *s = ctx;
	const char *start = before + strspn(before, " \t"), *end = start + strcspn(start, " \t");
	const char *last = before + strlen(before);
	while (last > before && last[-1] != ' ' && last[-1] != '\t')
		last--;
	bool is_help = end - start == 4 && !memcmp(start, "help", 4);
	const struct pprof_report_kind *kind = pprof_kind(start, (size_t)(end - start));
	ret->word_at = (size_t)(last - before);
	if (last <= start)
		add_commands(last, false, ret);
	else if (is_help)
		add_commands(last, true, ret);
	else if (kind && kind->output != OUTPUT_TAGS && *last == '-')
		add_functions(s->merged.profile, last + 1, "-", ret);
	else if (kind && kind->output != OUTPUT_TAGS)
		add_functions(s->merged.profile, last, "", ret);
}
