#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probe/fetch.h"

#define STEPS_MAX 64

/* A name as C takes it, and "$retval"; what ends it. */
static const char *name_end(const char *text)
{
	while (isalnum((unsigned char)*text) || *text == '_' || *text == '$')
		text++;
	return text;
}

static struct strobe_error *parse_index(const char **text, struct fetch_step *ret)
{
	char *end;
	const char *digits = *text + 1;
	ret->kind = FETCH_INDEX;
	ret->index = strtol(digits, &end, 0);
	if (end == digits || *end != ']' || ret->index < INT32_MIN || ret->index > INT32_MAX)
		return error_create(ERROR_USAGE, "an index is a number: '%s'", *text);
	*text = end + 1;
	return NULL;
}

static struct strobe_error *parse_member(const char **text, struct arena *arena, struct fetch_path *path, struct fetch_step *ret)
{
	ret->kind = **text == '.' ? FETCH_DOT : FETCH_ARROW;
	const char *name = *text + (ret->kind == FETCH_DOT ? 1 : 2), *end = name_end(name);
	if (end == name)
		return error_create(ERROR_USAGE, "the name of a member must follow '%.*s' in '%s'", ret->kind == FETCH_DOT ? 1 : 2, *text,
				    *text);
	ret->member = path->last_name = arena_strndup(arena, name, (size_t)(end - name));
	*text = end;
	return NULL;
}

struct strobe_error *fetch_path_parse(const char *text, struct arena *arena, struct fetch_path *ret)
{
	const char *end = name_end(text), *all = text;
	*ret = (struct fetch_path){ .variable = arena_strndup(arena, text, (size_t)(end - text)) };
	ret->last_name = ret->variable;
	if (end == text)
		return error_create(ERROR_USAGE, "'%s' does not begin with the name of a variable", text);
	for (text = end; *text;) {
		struct fetch_step step = {};
		bool is_arrow = text[0] == '-' && text[1] == '>';
		if (ret->steps.len == STEPS_MAX)
			return error_create(ERROR_USAGE, "'%s' has more than %d members", all, STEPS_MAX);
		if (*text == '[')
			TRY(parse_index(&text, &step));
		else if (*text == '.' || is_arrow)
			TRY(parse_member(&text, arena, ret, &step));
		else
			return error_create(ERROR_USAGE, "unexpected '%s' in '%s': expected '->', '.' or '['", text, all);
		vec_push(&ret->steps, step);
	}
	return NULL;
}

void fetch_path_deinit(struct fetch_path *p)
{
	vec_deinit(&p->steps);
}
