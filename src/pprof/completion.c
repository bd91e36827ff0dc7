#include "pprof/completion.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/u64map.h"
#include "pprof/config.h"
#include "pprof/kinds.h"

struct completion {
	void (*add)(void *ctx, const char *text);
	void *ctx;
	struct arena arena;
	size_t nr; /* number of added texts */
};

static void add_text(struct completion *c, const char *text)
{
	c->add(c->ctx, text);
	c->nr++;
}

static void add_if(struct completion *c, const char *text, const char *word)
{
	if (text_has_prefix(text, word))
		add_text(c, text);
}

static void add_commands(struct completion *c, const char *word, bool is_help)
{
	static const char *const others[] = { "exit", "help", "options", "quit" };
	for (size_t i = 0; i < pprof_kinds_nr; i++)
		add_if(c, pprof_kinds[i].name, word);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !is_help; i++)
		add_if(c, others[i], word);
	pprof_config_complete(word, !is_help, c->add, c->ctx);
}

/* A regular expression that matches the name. It must not contain blanks, which separate arguments; "." is not escaped. */
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

/* Names with this prefix; if there are none, names that contain it. sign: "-" before names to ignore. */
static void add_functions(struct completion *c, const struct profile *p, const char *word, const char *sign)
{
	for (int anywhere = 0; anywhere < 2 && !c->nr; anywhere++) {
		struct u64map seen = {};
		for (function_id i = 0; i < p->functions.len; i++) {
			const char *text = as_expression(&c->arena, profile_str(p, p->functions.data[i].name));
			bool fits = anywhere ? strstr(text, word) != NULL : text_has_prefix(text, word);
			bool is_new = false;
			if (fits && *text)
				u64map_put(&seen, p->functions.data[i].name, &is_new);
			if (is_new)
				add_text(c, arena_printf(&c->arena, "%s%s", sign, text));
		}
		u64map_deinit(&seen);
	}
}

size_t pprof_complete(const struct profile *p, const char *before, void (*add)(void *ctx, const char *text), void *ctx)
{
	struct completion c = { .add = add, .ctx = ctx };
	const char *start = before + strspn(before, " \t"), *end = start + strcspn(start, " \t");
	const char *last = before + strlen(before);
	while (last > before && last[-1] != ' ' && last[-1] != '\t')
		last--;
	bool is_help = end - start == 4 && !memcmp(start, "help", 4);
	const struct pprof_report_kind *kind = pprof_kind(start, (size_t)(end - start));
	arena_init(&c.arena);
	if (last <= start || is_help)
		add_commands(&c, last, last > start);
	else if (kind && kind->output != OUTPUT_TAGS)
		add_functions(&c, p, *last == '-' ? last + 1 : last, *last == '-' ? "-" : "");
	arena_deinit(&c.arena);
	return (size_t)(last - before);
}
