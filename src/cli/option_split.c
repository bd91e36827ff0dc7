#include "cli/option_split.h"

#include <string.h>

#include "base/vector.h"

/* How long options are compared. */
enum spelling { WHOLE, BEGINNING };

static bool is_called(const struct option *o, const char *name, size_t n, enum spelling spelling)
{
	return o->kind != OPTION_GROUP && o->long_name && !strncmp(o->long_name, name, n) && (spelling == BEGINNING || !o->long_name[n]);
}

static const struct option *find_long(const struct option *table, const char *name, size_t n, enum spelling spelling)
{
	for (struct option_walk w = option_walk(table); option_next(&w);)
		if (is_called(w.row, name, n, spelling))
			return w.row;
	return NULL;
}

static const struct option *find_short(const struct option *table, char c)
{
	for (struct option_walk w = option_walk(table); option_next(&w);)
		if (w.row->kind != OPTION_GROUP && w.row->short_name == c)
			return w.row;
	return NULL;
}

/* 2: the value is the next word. */
static int words_with_value(const struct option *o, const char *next)
{
	bool has_next = next && !(o->default_arg && next[0] == '-');
	return option_takes_value(o) && !o->optional_arg && has_next ? 2 : 1;
}

/* The number of words of the option that begins with this one; 0: not in this table. */
static int count_long(const struct option *table, const char *word, const char *next, enum spelling spelling)
{
	const char *name = word + 2;
	size_t n = strcspn(name, "=");
	const struct option *o = find_long(table, name, n, spelling);
	if (o)
		return name[n] ? 1 : words_with_value(o, next);
	return n > 3 && !strncmp(name, "no-", 3) && find_long(table, name + 3, n - 3, spelling) ? 1 : 0;
}

/* The options of a cluster must all be in the table. */
static int count_short(const struct option *table, const char *word, const char *next)
{
	for (const char *c = word + 1; *c; c++) {
		const struct option *o = find_short(table, *c);
		if (!o)
			return 0;
		if (option_takes_value(o))
			return c[1] ? 1 : words_with_value(o, next);
	}
	return 1;
}

static bool requests_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help");
}

/* The number of words of the option at the start of argv; *ret_own: whether it is in `own`. */
static int count_words(const struct option *own, const struct option *other, char **argv, bool *ret_own)
{
	const char *word = argv[0], *next = argv[1];
	bool is_long = word[1] == '-';
	int n = 0;
	for (enum spelling s = WHOLE; !n && s <= BEGINNING; s++)
		for (int i = 0; !n && i < 2; i++) {
			const struct option *table = i ? other : own;
			n = is_long ? count_long(table, word, next, s) : count_short(table, word, next);
			*ret_own = !i;
		}
	*ret_own = requests_help(word) || (n && *ret_own);
	return n ? n : 1;
}

int options_split(const struct option *own, const struct option *other, int argc, char **argv)
{
	VEC(char *) ours = {}, theirs = {};
	int at = 1;
	while (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "--") != 0) {
		bool is_own;
		for (int n = count_words(own, other, argv + at, &is_own); n && at < argc; n--, at++) {
			if (is_own)
				vec_push(&ours, argv[at]);
			else
				vec_push(&theirs, argv[at]);
		}
	}
	int first = 1 + (int)ours.len;
	if (ours.len)
		memcpy(argv + 1, ours.data, ours.len * sizeof(*argv));
	if (theirs.len)
		memcpy(argv + first, theirs.data, theirs.len * sizeof(*argv));
	vec_deinit(&ours);
	vec_deinit(&theirs);
	return first;
}
